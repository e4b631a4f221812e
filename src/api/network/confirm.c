#include "api/caller/credentials.h"
#include "api/network/transaction_id.h"
#include "api/worker/attempts.h"
#include "api/worker/money_fault.h"
#include "api/worker/shared_statement.h"
#include "api/worker/unstored.h"
#include "api/worker/usecases.h"
#include "domain/currency.h"
#include "store/payment/transactions.h"
#include "store/payment/windows.h"
#include "wire/messages.h"

struct confirming {
    const struct confirmation *request;
    struct transaction_name name;
    bool has_tried; /* the guarded write was tried without reading the rows first */
};

SHARED_ACT_DEFINE(confirm_shared, transactions_confirm_shared, struct transaction_change);
SHARED_ACT_DEFINE(cancel_shared, transactions_cancel_shared, struct transaction_change);
_Static_assert((int)SHARERS_MAX <= (int)TRANSACTION_CHANGES_MAX, "so many requests are changed together");

/* Writes by a shared statement. STATUS_CHANGED: the guards failed; read the rows and judge them. */
static enum status write_shared(struct call *call, const struct confirming *work) {
    struct service *service = call->service;
    struct transaction_change change = {.name = work->name};
    enum status status = work->request->confirm
                             ? shared_statement_run(&service->confirmations, call, confirm_shared, &change)
                             : shared_statement_run(&service->cancellations, call, cancel_shared, &change);
    return status == STATUS_OK ? change.status : status;
}

/* `rows`: NULL if they were not read. Then a top-up gets STATUS_CHANGED, and is written once its rows are read. */
static enum status write_act(struct connection *connection, const struct confirming *work, enum confirmation_act act,
                             const struct confirmation_rows *rows) {
    if (act == CONFIRMATION_CANCEL) {
        return transactions_cancel(connection, &work->name);
    }
    return rows == NULL || rows->has_order
               ? transactions_confirm(connection, &work->name)
               : transactions_confirm_top_up(connection, rows->transaction.id, work->name.actor);
}

/*
 * Writes the approval if the window of the payment that holds the order has closed. True: read the rows again.
 */
static bool finalise_holder(struct call *call, struct connection *connection, const struct confirmation *request,
                            struct confirmation_rows *rows) {
    return request->confirm && rows->has_order && rows->transaction.state == TRANSACTION_REGISTRADA &&
           unstored_resolve(call, connection, &rows->order, rows->now);
}

static void note_limit(const struct call *call, const struct confirming *work) {
    const bool is_at_limit = true;
    cache_put(call->service->networks_at_limit, cache_key(&work->name.network_id), clock_monotonic(), &is_at_limit);
}

/* A confirmation that exceeds a limit makes the whole shared statement fail, and its other requests must then go alone.
 * So a network that has just exceeded one shares nothing. */
static bool may_share(const struct call *call, const struct confirming *work) {
    bool is_at_limit;
    return !work->request->confirm ||
           !cache_get(call->service->networks_at_limit, cache_key(&work->name.network_id), &is_at_limit);
}

/* Names the amount due now, if the merchant changed it after the registration. */
static struct fault explain_amount(const struct call *call, const struct confirmation_rows *rows,
                                   enum refusal refusal) {
    char written[MONEY_TEXT_SIZE];
    if (refusal != REFUSED_AMOUNT || !rows->has_order) {
        return (struct fault){0};
    }
    currency_print(rows->order.currency, rows->transaction.amount, written);
    return money_fault_order(text_of(written), &rows->order, call->arena);
}

/*
 * Past the window, a cancellation that the database began inside it may still be on its way. So 0015, which says that
 * the payment stands, needs the written approval. Where the account is full or the database refuses to write it, 0015
 * needs that nobody is changing the payment. STATUS_CHANGED: written, or to be tried again; read the rows again.
 */
static enum status finalise_own(struct connection *connection, const struct confirming *work,
                                const struct confirmation_rows *rows) {
    const struct transaction *own = &rows->transaction;
    if (work->request->confirm || own->state != TRANSACTION_CONFIRMADA || rows->now < own->window_ends_at) {
        return STATUS_OK;
    }
    enum status written = rows->has_order ? windows_finalise_order(connection, rows->order.id, work->name.actor)
                                          : windows_finalise_top_up(connection, own->id, work->name.actor);
    if (written == STATUS_OK) {
        return STATUS_CHANGED;
    }
    bool stays_unwritten = written == STATUS_CHANGED || status_is_refused(written);
    if (!stays_unwritten && written != STATUS_AGAIN) {
        return written;
    }
    enum status awaited = transactions_await(connection, own->id, TRANSACTION_CONFIRMADA);
    return awaited == STATUS_OK && !stays_unwritten ? STATUS_CHANGED : awaited;
}

/* An earlier confirmation of the same transaction may be on its way. If it is committed, the payment stands, whatever
 * the request is refused for. STATUS_CHANGED: it was; read the rows again. */
static enum status await_own(struct connection *connection, const struct confirming *work,
                             const struct confirmation_rows *rows) {
    bool may_be_on_its_way = work->request->confirm && rows->transaction.state == TRANSACTION_REGISTRADA;
    return may_be_on_its_way ? transactions_await(connection, rows->transaction.id, TRANSACTION_REGISTRADA) : STATUS_OK;
}

/* Reads the rows, judges the request and writes. */
static enum status judge_and_write(struct call *call, struct connection *connection, const struct confirming *work,
                                   enum refusal *refusal) {
    const struct confirmation *request = work->request;
    struct confirmation_rows rows;
    enum confirmation_act act;
    enum status status = transactions_find(connection, work->name.network_id, request->transaction, call->arena, &rows);
    if (status == STATUS_OK && finalise_holder(call, connection, request, &rows)) {
        status = transactions_find(connection, work->name.network_id, request->transaction, call->arena, &rows);
    }
    if (status == STATUS_NONE) {
        *refusal = REFUSED_NO_SUCH_TRANSACTION;
        return STATUS_OK;
    }
    if (status == STATUS_OK) {
        status = finalise_own(connection, work, &rows);
    }
    if (status != STATUS_OK) {
        return status;
    }
    const struct paid_thing paid = {.order = rows.has_order ? &rows.order : NULL, .room = rows.room};
    *refusal = confirmation_judge(request->confirm, &rows.transaction, &paid, rows.now, &act);
    if (*refusal != GRANTED) {
        status = await_own(connection, work, &rows);
        call->fault = status == STATUS_OK ? explain_amount(call, &rows, *refusal) : (struct fault){0};
        return status;
    }
    return act == CONFIRMATION_STANDS ? STATUS_OK : write_act(connection, work, act, &rows);
}

/* The first attempt writes without reading, unless that was tried. The rows are read only if it writes nothing. */
static enum status try_confirm(struct call *call, struct connection *connection, void *of_confirming,
                               enum refusal *refusal) {
    struct confirming *work = of_confirming;
    enum status status = STATUS_CHANGED;
    if (!work->has_tried) {
        work->has_tried = true;
        status = write_act(connection, work, work->request->confirm ? CONFIRMATION_CONFIRM : CONFIRMATION_CANCEL, NULL);
    }
    if (status == STATUS_CHANGED) {
        status = judge_and_write(call, connection, work, refusal);
    }
    if (status == STATUS_LIMIT) {
        note_limit(call, work);
        call->fault = (struct fault){.field = arena_print(call->arena, "%s", transactions_reached_limit(connection)).at,
                                     .problem = "has too little left for it"};
    }
    return status;
}

static enum refusal write(struct call *call, struct confirming *work) {
    enum status status = may_share(call, work) ? write_shared(call, work) : STATUS_AGAIN;
    work->has_tried = status == STATUS_CHANGED;
    return shared_statement_is_final(status) ? call_refusal_of(status) : attempts_run(call, try_confirm, work);
}

void confirm_handle(struct call *call) {
    struct confirmation request;
    struct confirming work = {.request = &request};
    enum refusal refusal = messages_read_confirmation(call->request->body, call->arena, &request, &call->fault);
    if (refusal == GRANTED) {
        const struct text parts[] = {request.name, request.transaction};
        const struct proof proof = {PARTY_NETWORK, request.name, CHECKSUM_CONFIRMATION, parts, request.checksum};
        refusal = credentials_verify(call, &proof, &work.name.network_id);
    }
    if (refusal == GRANTED) {
        refusal = transaction_id_judge_known(call, request.transaction);
    }
    if (refusal == GRANTED) {
        work.name.transaction = request.transaction;
        work.name.actor = call_actor(call);
        refusal = write(call, &work);
    }
    if (refusal == GRANTED) {
        call->reply = reply_confirmation(request.transaction, request.confirm, call->arena);
    } else {
        call_refuse(call, refusal, &call->fault);
    }
}
