#include "api/network_auth.h"
#include "api/usecases.h"
#include "store/transactions.h"
#include "wire/messages.h"

/* A first try, and more after the row changed between reading and writing. */
enum { TRIES_MAX = 5 };

static enum status write_act(struct call *call, struct connection *connection, const struct confirmation_rows *rows,
                             enum confirmation_act act) {
    struct text actor = arena_print(call->arena, "network:%.*s", TEXT_ARGS(call->caller));
    if (act == CONFIRMATION_CONFIRM) {
        return transactions_confirm(connection, rows, call->service->config->worker.cancel_window, actor);
    }
    return transactions_cancel(connection, rows, actor);
}

/* Reads, judges, writes. STATUS_NONE and STATUS_AGAIN: the row changed meanwhile, try once more. */
static enum status try_once(struct call *call, struct connection *connection, uint64_t network_id,
                            const struct confirmation *request, enum refusal *refusal) {
    struct confirmation_rows rows;
    enum confirmation_act act;
    enum status status = transactions_find(connection, network_id, request->transaction, call->arena, &rows);
    if (status == STATUS_NONE) {
        *refusal = REFUSED_NO_SUCH_TRANSACTION;
        return STATUS_OK;
    }
    if (status != STATUS_OK) {
        return status;
    }
    const struct order *order = rows.has_order ? &rows.order : NULL;
    *refusal = confirmation_judge(request->confirm, &rows.transaction, order, rows.now, &act);
    bool writes = *refusal == REFUSED_NOT && act != CONFIRMATION_STANDS;
    return writes ? write_act(call, connection, &rows, act) : STATUS_OK;
}

static enum refusal run(struct call *call, uint64_t network_id, const struct confirmation *request) {
    struct connection *connection;
    enum refusal refusal = REFUSED_NOT;
    enum status status = pool_take(call->service->pool, &connection);
    if (status != STATUS_OK) {
        return call_refusal_of(status);
    }
    int tries = 0;
    do {
        status = try_once(call, connection, network_id, request, &refusal);
    } while ((status == STATUS_NONE || status == STATUS_AGAIN) && ++tries < TRIES_MAX);
    pool_give(call->service->pool, connection);
    if (status == STATUS_NONE) {
        return REFUSED_TRY_AGAIN;
    }
    return status == STATUS_OK ? refusal : call_refusal_of(status);
}

void confirm_handle(struct call *call) {
    struct confirmation request;
    struct fault fault = {0};
    uint64_t network_id;
    enum refusal refusal = messages_read_confirmation(call->request->body, call->arena, &request, &fault);
    if (refusal == REFUSED_NOT) {
        const struct text parts[] = {request.name, request.transaction};
        refusal = network_authenticate(call, CHECKSUM_CONFIRMATION, parts, request.checksum, &network_id);
    }
    if (refusal == REFUSED_NOT) {
        refusal = run(call, network_id, &request);
    }
    if (refusal == REFUSED_NOT) {
        call->reply = reply_confirmation(request.transaction, request.confirm, call->arena);
    } else {
        call_refuse(call, refusal, &fault);
    }
}
