#include "api/commerces.h"
#include "api/network_auth.h"
#include "api/usecases.h"
#include "store/payables.h"
#include "wire/messages.h"

static enum refusal find(struct call *call, const struct lookup *lookup, struct payable *payable) {
    struct connection *connection;
    enum status status = pool_take(call->service->pool, &connection);
    if (status == STATUS_OK) {
        status = payables_find(connection, lookup->reference, call->arena, payable);
        if (status == STATUS_OK && payable->has_order) {
            status = commerces_complete(call->service, connection, call->arena, &payable->order);
        }
        pool_give(call->service->pool, connection);
    }
    return call_refusal_of(status);
}

static enum refusal resolve(struct call *call, const struct payable *payable) {
    enum refusal refusal;
    enum payable_kind kind = payable_resolve(payable, &refusal);
    if (refusal == REFUSED_NOT && kind == PAYABLE_ORDER) {
        call->reply = reply_lookup_order(&payable->order, call->arena);
    } else if (refusal == REFUSED_NOT) {
        call->reply = reply_lookup_account(&payable->account, call->service->service_name, call->arena);
    }
    return refusal;
}

void lookup_handle(struct call *call) {
    struct lookup lookup;
    struct payable payable;
    struct fault fault = {0};
    uint64_t network_id;
    enum refusal refusal = messages_read_lookup(call->parameter, call->query, call->arena, &lookup, &fault);
    if (refusal == REFUSED_NOT) {
        const struct text parts[] = {lookup.name, lookup.reference};
        refusal = network_authenticate(call, CHECKSUM_LOOKUP, parts, lookup.checksum, &network_id);
    }
    if (refusal == REFUSED_NOT) {
        refusal = find(call, &lookup, &payable);
    }
    if (refusal == REFUSED_NOT) {
        refusal = resolve(call, &payable);
    }
    if (refusal != REFUSED_NOT) {
        call_refuse(call, refusal, &fault);
    }
}
