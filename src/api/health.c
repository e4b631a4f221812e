#include "api/usecases.h"

void health_handle(struct call *call) {
    call->reply = reply_ok(call->arena);
}

void ready_handle(struct call *call) {
    struct connection *connection;
    struct fault fault = {0};
    enum status status = pool_take(call->service->pool, &connection);
    if (status == STATUS_OK) {
        status = connection_probe(connection);
        pool_give(call->service->pool, connection);
    }
    if (status == STATUS_OK) {
        call->reply = reply_ok(call->arena);
    } else {
        call_refuse(call, REFUSED_TRY_AGAIN, &fault);
    }
}
