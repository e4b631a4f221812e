#include "store/notification/delivery_trial.h"

#include "store/db/batch.h"

const char sql_text_of_delivery_newest[] =
    "SELECT id FROM notifications ORDER BY id DESC LIMIT ? FOR UPDATE SKIP LOCKED";

const char sql_text_of_delivery_try_attempts[] =
    "INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, url, address, http_status,"
    " reason, late, reply, lease)"
    " SELECT batch.id, 1, ?, UTC_TIMESTAMP(6), 0, '', '', NULL, 'files', TRUE, REPEAT('.', 1024), ? FROM " BATCH;

const char sql_text_of_delivery_try_outcomes[] =
    "UPDATE " BATCH " STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = batch.id"
    "   SET n.state = IF(n.state = 'delivered', 'exhausted', 'delivered'), n.settled_at = UTC_TIMESTAMP(6),"
    "       n.due_at = UTC_TIMESTAMP(6), n.attempts = 1, n.lease = NULL, n.changed_by = 'dispatcher'";

struct trying {
    const struct delivery_trial *trial;
    struct arena *arena;
};

static enum status write_attempts(struct connection *connection, const struct delivery_trial *trial, struct text ids) {
    struct sql *sql = sql_begin(connection, SQL_delivery_try_attempts);
    sql_number(sql, trial->dispatcher_id);
    sql_bytes(sql, trial->lease, sizeof trial->lease);
    sql_text(sql, ids);
    return sql_run_and_end(sql);
}

/* Returns STATUS_CHANGED on success, to roll everything back. */
static enum status trial_unit(struct connection *connection, void *context) {
    const struct trying *trying = context;
    const struct delivery_trial *trial = trying->trial;
    struct text ids = TEXT("[]");
    uint64_t count = 0;
    enum status status =
        batch_lock(connection, SQL_delivery_newest, trial->wholly ? OUTCOMES_AT_ONCE : 1, trying->arena, &ids, &count);
    if (status == STATUS_OK || status == STATUS_NONE) {
        ids = status == STATUS_NONE ? TEXT("[]") : ids;
        status = write_attempts(connection, trial, ids);
    }
    if (status == STATUS_OK) {
        status = batch_run(connection, SQL_delivery_try_outcomes, trial->wholly ? ids : TEXT("[]"), NULL);
    }
    return status == STATUS_OK ? STATUS_CHANGED : status;
}

enum status delivery_try(struct connection *connection, const struct delivery_trial *trial, struct arena *arena) {
    struct trying trying = {trial, arena};
    enum status status = sql_transact(connection, trial_unit, &trying);
    return status == STATUS_CHANGED ? STATUS_OK : status;
}
