#include "api/worker/attempts.h"

static bool is_to_be_repeated(enum status status) {
    return status == STATUS_CHANGED || status == STATUS_CLASH || status == STATUS_AGAIN;
}

enum refusal attempts_run(struct call *call, attempt_act *act, void *work) {
    struct connection *connection;
    enum refusal refusal;
    enum status status = call_take_connection(call, &connection);
    if (status != STATUS_OK) {
        return call_refusal_of(status);
    }
    int tries = 0;
    do {
        refusal = GRANTED;
        status = act(call, connection, work, &refusal);
    } while (is_to_be_repeated(status) && ++tries < ATTEMPTS_MAX && connection_may_try_again(connection));
    pool_give(call->service->pool, connection);
    return status == STATUS_OK ? refusal : call_refusal_of(status);
}
