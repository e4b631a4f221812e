#include "store/health.h"
#include "api/usecases.h"
#include "store/schema.h"

/* The dispatcher is started every minute, and while it runs it says every few seconds that it is alive. */
#define HEARTBEAT_AGE_MAX (3 * MINUTE)

void health_handle(struct call *call) {
    call->reply = reply_ok(call->arena);
}

static const struct fault NO_CONNECTION = {"the database", "is away, busy, or not the one that this program knows"},
                          NO_ANSWER = {"the database", "does not answer as it should"},
                          OTHER_SCHEMA = {"the schema", "has another version than this program knows"},
                          NO_DISPATCHER = {"the dispatcher", "was not seen for three minutes"};

/* NULL: everything is ready. */
static const struct fault *find_fault(struct connection *connection) {
    unsigned version = 0;
    duration ago = 0;
    if (schema_version(connection, &version) != STATUS_OK) {
        return &NO_ANSWER;
    }
    if (version != schema_known_version()) {
        return &OTHER_SCHEMA;
    }
    enum status status = health_heartbeat(connection, &ago);
    if (status != STATUS_OK && status != STATUS_NONE) {
        return &NO_ANSWER;
    }
    return status == STATUS_NONE || ago > HEARTBEAT_AGE_MAX ? &NO_DISPATCHER : NULL;
}

void ready_handle(struct call *call) {
    struct connection *connection;
    const struct fault *fault = &NO_CONNECTION;
    if (call_take_connection(call, &connection) == STATUS_OK) {
        fault = find_fault(connection);
        pool_give(call->service->pool, connection);
    }
    if (fault == NULL) {
        call->reply = reply_ok(call->arena);
    } else {
        call_refuse(call, REFUSED_TRY_AGAIN, fault);
    }
}
