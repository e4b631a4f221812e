#include "store/operation/health.h"
#include "api/monitoring/key_check.h"
#include "api/monitoring/writes_check.h"
#include "api/worker/usecases.h"
#include "base/log.h"
#include "store/schema/rights.h"
#include "store/schema/schema.h"

void health_handle(struct call *call) {
    call->reply = reply_ok(call->arena);
}

static const struct fault NO_CONNECTION[] = {
    [SCHEMA_READY] = {.field = "the database", .problem = "is busy: every connection of this process is in use"},
    [SCHEMA_AWAY] = {.field = "the database", .problem = "cannot be reached"},
    [SCHEMA_REFUSED] = {.field = "the database",
                        .problem = "refuses the login of worker_user, or has no schema of that name"},
    [SCHEMA_OTHER] = {.field = "the schema",
                      .problem = "has another version than this program knows, or its version cannot be read"}};

static const struct fault NO_ANSWER = {.field = "the database",
                                       .problem = "does not answer in time, or not as it should"},
                          WRONG_KEY = {.field = "the key file",
                                       .problem = "decrypts none of the stored secrets: restore the copy of it"},
                          NO_WRITES = {.field = "the database",
                                       .problem = "accepts no writes: its disk is full, it is read only, "
                                                  "somebody holds a read lock, or it waits for a replica's "
                                                  "acknowledgement"},
                          FAILED_WRITE = {.field = "the database",
                                          .problem =
                                              "accepts no writes, because of an error that the worker's log names"},
                          NO_RIGHT = {.field = "the workers' account of the database",
                                      .problem = "lacks a right that it needs: recaudoctl config check, as root"};

static const struct fault MISSING[TASK_COUNT] = {
    [TASK_SETTLE] = {"the settling dispatcher", "was not seen for three minutes"},
    [TASK_DELIVER] = {"the delivering dispatcher", "was not seen for three minutes"}};
static const struct fault MISSING_ALL = {.field = "neither the settling nor the delivering dispatcher",
                                         .problem = "was seen in the last three minutes"};

static const char *const TIMERS[TASK_COUNT] = {[TASK_SETTLE] = "recaudo-settle", [TASK_DELIVER] = "recaudo-deliver"};

static const struct fault *find_missing_dispatcher(const struct heartbeat heartbeats[TASK_COUNT]) {
    const struct fault *fault = NULL;
    for (enum dispatch_task task = 0; task < TASK_COUNT; task++) {
        if (!heartbeats[task].seen || heartbeats[task].ago > HEARTBEAT_AGE_MAX) {
            log_line(LOG_ERROR, "%s %s: check %s.timer or cron, and its log", MISSING[task].field,
                     MISSING[task].problem, TIMERS[task]);
            fault = fault == NULL ? &MISSING[task] : &MISSING_ALL;
        }
    }
    return fault;
}

/* Returns NULL too if the account may not read the heartbeats. */
static const struct fault *find_dispatcher_fault(struct connection *connection) {
    struct heartbeat heartbeats[TASK_COUNT];
    enum status status = health_heartbeats(connection, heartbeats);
    if (status == STATUS_OK) {
        return find_missing_dispatcher(heartbeats);
    }
    return status == STATUS_FAULT ? NULL : &NO_ANSWER;
}

/*
 * Looks for a dropped function or a revoked right that requests need: those requests get 0009. A right that only
 * /readyz and /metrics need takes no worker out of service.
 */
static const struct fault *find_missing_right(const struct call *call, struct connection *connection) {
    struct text missing;
    if (rights_missing_for_requests(connection, call->arena, &missing) != STATUS_OK) {
        return &NO_ANSWER;
    }
    if (missing.size > 0) {
        rights_tell_missing(missing);
        return &NO_RIGHT;
    }
    return NULL;
}

/* Returns NULL if everything is ready. */
static const struct fault *find_fault(const struct call *call, struct connection *connection) {
    unsigned version = 0;
    bool key_fits = false;
    if (schema_version(connection, &version) != STATUS_OK) {
        return &NO_ANSWER;
    }
    if (version != schema_known_version()) {
        return &NO_CONNECTION[SCHEMA_OTHER];
    }
    if (key_check(connection, call->service->vault, call->arena, &key_fits) != STATUS_OK) {
        return &NO_ANSWER;
    }
    if (!key_fits) {
        key_check_tell(call->service->config->security.key_file);
        return &WRONG_KEY;
    }
    enum database_writes writes = writes_check(connection);
    if (writes == WRITES_REFUSED || writes == WRITES_FAILED) {
        return writes == WRITES_REFUSED ? &NO_WRITES : &FAILED_WRITE;
    }
    const struct fault *missing = find_missing_right(call, connection);
    return missing != NULL ? missing : find_dispatcher_fault(connection);
}

void ready_handle(struct call *call) {
    struct connection *connection;
    const struct fault *fault;
    if (call_take_connection(call, &connection) == STATUS_OK) {
        fault = find_fault(call, connection);
        pool_give(call->service->pool, connection);
    } else {
        fault = &NO_CONNECTION[pool_access(call->service->pool)];
    }
    if (fault == NULL) {
        call->reply = reply_ready(call->arena);
    } else {
        call_refuse(call, REFUSED_TRY_AGAIN, fault);
    }
}
