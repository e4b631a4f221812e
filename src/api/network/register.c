#include "api/caller/credentials.h"
#include "api/network/transaction_id.h"
#include "api/worker/attempts.h"
#include "api/worker/commerces.h"
#include "api/worker/money_fault.h"
#include "api/worker/shared_statement.h"
#include "api/worker/unstored.h"
#include "api/worker/usecases.h"
#include "store/order/payables.h"
#include "store/payment/transactions.h"
#include "wire/messages.h"

/* What the digest writes is what the table keeps. */
_Static_assert((int)FINGERPRINT_SIZE == (int)FINGERPRINT_BYTES, "a fingerprint is stored whole");

struct registering {
    const struct registration *request;
    uint64_t network_id;
    unsigned char fingerprint[FINGERPRINT_BYTES];
    bool has_tried; /* the guarded insert was tried without reading the rows first */
};

/* Computes the fingerprint that identifies a repeated request. It covers all fields, with the amount as a value. */
static void take_fingerprint(struct registering *work) {
    const struct registration *request = work->request;
    char amount[MONEY_TEXT_SIZE];
    const struct text parts[] = {request->reference, text_of(money_print(request->value, MONEY_DECIMALS, amount)),
                                 request->commerce,  request->teller,
                                 request->money,     request->given_names,
                                 request->surname1,  request->surname2};
    checksum_fingerprint(parts, COUNT_OF(parts), work->fingerprint);
}

/* The customer's names with spaces between them. */
static struct text full_name(const struct account *account, struct arena *arena) {
    const struct text parts[] = {account->name, account->lastname1, account->lastname2};
    struct text name = {"", 0};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (parts[i].size > 0) {
            name = arena_print(arena, "%.*s%s%.*s", TEXT_ARGS(name), name.size > 0 ? " " : "", TEXT_ARGS(parts[i]));
        }
    }
    return name;
}

static struct transaction new_transaction(const struct call *call, const struct registering *work,
                                          const struct payable *payable) {
    struct transaction new = {.reference = work->request->reference, .amount = work->request->value};
    enum refusal refusal;
    if (payable_resolve(payable, &refusal) == PAYABLE_ORDER) {
        new.order_id = payable->order.id;
        new.currency = payable->order.currency;
        new.commerce = payable->order.commerce;
        new.description = payable->order.description;
    } else {
        new.account_id = payable->account.id;
        new.currency = payable->account.currency;
        new.commerce = call->service->service_name;
        new.description = full_name(&payable->account, call->arena);
    }
    memcpy(new.fingerprint, work->fingerprint, FINGERPRINT_BYTES);
    return new;
}

/* The rows before this request. If a window has closed, a new registration is judged after the approval is written. */
struct before {
    struct payable payable;
    bool exists; /* the network has registered this transaction before */
    struct transaction transaction;
};

static enum status find_payable(struct call *call, struct connection *connection, const struct registering *work,
                                struct before *out) {
    const struct registration *request = work->request;
    struct payable *payable = &out->payable;
    enum status status = payables_find_for(connection, request->reference, work->network_id, request->transaction,
                                           call->arena, payable, &out->exists, &out->transaction);
    if (status == STATUS_OK && !out->exists && payable->has_order &&
        unstored_resolve(call, connection, &payable->order, payable->now)) {
        status = payables_find_for(connection, request->reference, work->network_id, request->transaction, call->arena,
                                   payable, &out->exists, &out->transaction);
    }
    if (status == STATUS_OK && !out->exists) {
        status = payables_note_offer(connection, work->network_id, payable);
    }
    if (status == STATUS_OK && payable->has_order) {
        status = commerces_complete(call->service, connection, call->arena, &payable->order);
    }
    return status;
}

/* Names the valid value, where TEXT says more than the refusal's own words. */
static struct fault explain(const struct call *call, const struct registration *request, const struct payable *payable,
                            enum refusal refusal) {
    enum refusal ignored;
    bool is_order = payable_resolve(payable, &ignored) == PAYABLE_ORDER;
    if (refusal == REFUSED_AMOUNT) {
        return is_order ? money_fault_order(request->amount, &payable->order, call->arena)
                        : money_fault_written(request->amount, payable->account.currency, call->arena);
    }
    if (refusal == REFUSED_CURRENCY) {
        return money_fault_currency(is_order ? payable->order.currency : payable->account.currency, call->arena);
    }
    if (refusal == REFUSED_NOT_AUTHORISED) {
        return (struct fault)FAULT_MERCHANT_DISABLED;
    }
    return refusal == REFUSED_OTHER_COMMERCE
               ? (struct fault){.field = "commerce", .problem = "must be the COMMERCE of the lookup's reply"}
               : (struct fault){0};
}

/* Names the field that differs from the stored transaction. The last ones are stored in the fingerprint only. */
static struct fault explain_other_data(const struct registration *request, const struct transaction *stored) {
    const char *field = !text_equal(request->reference, stored->reference) ? "reference"
                        : !money_equal(request->value, stored->amount)     ? "amount"
                        : !text_equal(request->money, stored->currency)    ? "money"
                                                                           : "commerce, teller or a name";
    return (struct fault){.field = field, .problem = "differs"};
}

/* Reads, judges, and stores a new registration. It can lose a race to an equal registration, or by a deadlock. */
static enum status judge_and_store(struct call *call, struct connection *connection, const struct registering *work,
                                   enum refusal *refusal) {
    struct before before;
    const struct registration *request = work->request;
    enum status status = find_payable(call, connection, work, &before);
    if (status != STATUS_OK) {
        return status;
    }
    if (before.exists) {
        bool same = memcmp(before.transaction.fingerprint, work->fingerprint, FINGERPRINT_BYTES) == 0;
        *refusal = same ? GRANTED : REFUSED_OTHER_DATA;
        if (!same) {
            call->fault = explain_other_data(request, &before.transaction);
        }
    } else {
        *refusal = registration_judge(request, &before.payable, call->service->service_name);
        call->fault = explain(call, request, &before.payable, *refusal);
        if (*refusal == GRANTED) {
            before.transaction = new_transaction(call, work, &before.payable);
            status = transactions_insert(connection, work->network_id, request, &before.transaction);
        }
    }
    if (status == STATUS_OK && *refusal == GRANTED) {
        call->reply = reply_registration(&before.transaction, request->transaction, call->arena);
    }
    return status;
}

static struct new_registration new_registration(const struct call *call, const struct registering *work,
                                                struct transaction *stored) {
    *stored = (struct transaction){0};
    memcpy(stored->fingerprint, work->fingerprint, FINGERPRINT_BYTES);
    return (struct new_registration){
        .network_id = work->network_id, .request = work->request, .arena = call->arena, .stored = stored};
}

static enum status store_at_once(struct call *call, struct connection *connection, const struct registering *work) {
    struct transaction stored;
    struct new_registration new = new_registration(call, work, &stored);
    enum status status = transactions_register(connection, &new);
    if (status == STATUS_OK) {
        call->reply = reply_registration(&stored, work->request->transaction, call->arena);
    }
    return status;
}

SHARED_ACT_DEFINE(register_shared, transactions_register_shared, struct new_registration);

/* Stores by a shared statement. STATUS_CHANGED: the guards failed; read the rows and judge them. */
static enum status store_shared(struct call *call, const struct registering *work) {
    struct transaction stored;
    struct new_registration new = new_registration(call, work, &stored);
    enum status status = shared_statement_run(&call->service->registrations, call, register_shared, &new);
    status = status == STATUS_OK ? new.status : status;
    if (status == STATUS_OK) {
        call->reply = reply_registration(&stored, work->request->transaction, call->arena);
    }
    return status;
}

/* The first attempt stores without reading, unless that was tried. The rows are read only if it stores nothing. */
static enum status try_register(struct call *call, struct connection *connection, void *of_registering,
                                enum refusal *refusal) {
    struct registering *work = of_registering;
    enum status status = STATUS_CHANGED;
    if (!work->has_tried) {
        work->has_tried = true;
        status = store_at_once(call, connection, work);
    }
    bool is_unusual = status == STATUS_CHANGED || status == STATUS_CLASH;
    return is_unusual ? judge_and_store(call, connection, work, refusal) : status;
}

static enum refusal store(struct call *call, struct registering *work) {
    enum status status = store_shared(call, work);
    work->has_tried = status == STATUS_CHANGED;
    return shared_statement_is_final(status) ? call_refusal_of(status) : attempts_run(call, try_register, work);
}

void register_handle(struct call *call) {
    struct registration request;
    struct registering work = {.request = &request};
    enum refusal refusal = messages_read_registration(call->request->body, call->arena, &request, &call->fault);
    if (refusal == GRANTED) {
        const struct text parts[] = {request.name, request.reference, request.amount, request.transaction};
        const struct proof proof = {PARTY_NETWORK, request.name, CHECKSUM_REGISTRATION, parts, request.checksum};
        refusal = credentials_verify(call, &proof, &work.network_id);
    }
    if (refusal == GRANTED) {
        refusal = transaction_id_judge_new(call, request.transaction);
    }
    if (refusal == GRANTED) {
        take_fingerprint(&work);
        refusal = store(call, &work);
    }
    if (refusal != GRANTED) {
        call_refuse(call, refusal, &call->fault);
    }
}
