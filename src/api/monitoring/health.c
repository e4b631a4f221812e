#include "store/operation/health.h"
#include "api/worker/usecases.h"
#include "store/schema/schema.h"

/* Dispatchers are started every minute, and while they run they say every few seconds that they are alive. */
#define HEARTBEAT_AGE_MAX (3 * MINUTE)

void health_handle(struct call *call) {
    call->reply = reply_ok(call->arena);
}

static const struct fault NO_CONNECTION = {.field = "the database",
                                           .problem = "is away, busy, or not the one that this program knows"},
                          NO_ANSWER = {.field = "the database", .problem = "does not answer as it should"},
                          OTHER_SCHEMA = {.field = "the schema",
                                          .problem = "has another version than this program knows"};

static const struct fault MISSING[TASK_COUNT] = {
    [TASK_SETTLE] = {"the settling dispatcher", "was not seen for three minutes"},
    [TASK_DELIVER] = {"the delivering dispatcher", "was not seen for three minutes"}};

/* NULL: everything is ready. */
static const struct fault *find_fault(struct connection *connection) {
    unsigned version = 0;
    struct heartbeat heartbeats[TASK_COUNT];
    if (schema_version(connection, &version) != STATUS_OK) {
        return &NO_ANSWER;
    }
    if (version != schema_known_version()) {
        return &OTHER_SCHEMA;
    }
    if (health_heartbeats(connection, heartbeats) != STATUS_OK) {
        return &NO_ANSWER;
    }
    for (enum task task = 0; task < TASK_COUNT; task++) {
        if (!heartbeats[task].seen || heartbeats[task].ago > HEARTBEAT_AGE_MAX) {
            return &MISSING[task];
        }
    }
    return NULL;
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
