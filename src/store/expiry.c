#include "store/expiry.h"

#include "store/batch.h"
#include "store/sql.h"

const char sql_text_of_expiry_due[] =
    "SELECT id FROM orders WHERE state = 'PENDIENTE' AND held_by IS NULL AND due_at <= UTC_TIMESTAMP(6)"
    " ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED";

const char sql_text_of_expiry_write[] =
    "UPDATE " BATCH " STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = batch.id"
    "   SET o.state = 'VENCIDA', o.changed_by = 'dispatcher'"
    " WHERE o.state = 'PENDIENTE' AND o.held_by IS NULL AND o.due_at <= UTC_TIMESTAMP(6)";

/* Locked, so that a merchant that gets its address at this moment finds every notification that waits for one. */
const char sql_text_of_expiry_notify[] =
    "INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means)"
    " SELECT o.id, o.merchant_id, 'cancelled', IF(m.notify_url IS NULL, 'unaddressed', 'pending'), o.amount,"
    "        COALESCE(o.payment_means, '')"
    "   FROM " BATCH " STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = batch.id"
    "  STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id LOCK IN SHARE MODE";

const char sql_text_of_work_next[] =
    "SELECT UTC_TIMESTAMP(6),"
    " (SELECT MIN(window_ends_at) FROM transactions WHERE state = 'CONFIRMADA'),"
    " (SELECT due_at FROM orders WHERE state = 'PENDIENTE' AND held_by IS NULL ORDER BY due_at LIMIT 1)";

struct expiring {
    struct arena *arena;
    uint64_t batch, expired;
};

static enum status expire(struct connection *connection, void *context) {
    struct expiring *work = context;
    struct text ids;
    uint64_t count = 0, changed = 0;
    work->expired = 0;
    enum status status = batch_claim(connection, SQL_expiry_due, work->batch, work->arena, &ids, &count);
    if (status == STATUS_OK) {
        status = batch_run(connection, SQL_expiry_write, ids, &changed);
    }
    if (status == STATUS_OK && changed != count) {
        return STATUS_AGAIN;
    }
    if (status == STATUS_OK) {
        status = batch_run(connection, SQL_expiry_notify, ids, NULL);
    }
    work->expired = status == STATUS_OK ? count : 0;
    return status;
}

enum status expiry_run(struct connection *connection, struct arena *arena, uint64_t batch, uint64_t *expired) {
    struct expiring work = {arena, batch, 0};
    enum status status = sql_transact(connection, expire, &work);
    *expired = work.expired;
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status expiry_next_work(struct connection *connection, duration longest, duration *out) {
    struct sql *sql = sql_begin(connection, SQL_work_next);
    enum status status = sql_first(sql);
    *out = longest;
    if (status == STATUS_OK) {
        instant now = sql_get_instant(sql);
        for (int i = 0; i < 2; i++) {
            bool is_set = !sql_is_null(sql);
            duration until = sql_get_instant(sql) - now;
            if (is_set && until < *out) {
                *out = until < 0 ? 0 : until;
            }
        }
    }
    sql_end(sql);
    return status;
}
