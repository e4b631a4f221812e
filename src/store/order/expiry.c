#include "store/order/expiry.h"

#include "store/db/routine.h"

const char sql_text_of_expiry_look[] = SQL_WITHOUT_WAITING
    "SELECT 1 FROM orders WHERE id = ? AND state = 'PENDIENTE' AND held_by IS NULL AND due_at <= UTC_TIMESTAMP(6)"
    " LOCK IN SHARE MODE";

const char sql_text_of_expiry_write[] = "SELECT orders_expire(?)";

const char sql_text_of_expiry_write_one[] = SQL_WITHOUT_WAITING "SELECT order_expire(?)";

const char sql_text_of_expiry_due[] =
    "SELECT id, due_at, id, UTC_TIMESTAMP(6) FROM orders"
    " WHERE state = 'PENDIENTE' AND held_by IS NULL AND due_at <= UTC_TIMESTAMP(6)"
    "   AND due_at <= ? AND due_at >= ? AND (due_at > ? OR id > ?) ORDER BY due_at, id LIMIT ?";

const char sql_text_of_work_next[] =
    "SELECT UTC_TIMESTAMP(6),"
    " (SELECT MIN(window_ends_at) FROM transactions WHERE state = 'CONFIRMADA'),"
    " (SELECT due_at FROM orders WHERE state = 'PENDIENTE' AND held_by IS NULL ORDER BY due_at LIMIT 1)";

enum status expiry_run(struct connection *connection, uint64_t batch, uint64_t *expired) {
    return routine_run_batch(connection, SQL_expiry_write, batch, expired);
}

static enum status expire_one(struct connection *connection, uint64_t order_id) {
    struct sql *sql = sql_begin(connection, SQL_expiry_write_one);
    sql_number(sql, order_id);
    return routine_run(sql);
}

static void log_unexpired(uint64_t order_id) {
    log_line(LOG_ERROR,
             "order %llu cannot be written as expired (operations manual, \"An order that is not written as expired\")",
             (unsigned long long)order_id);
}

enum status expiry_run_each(struct connection *connection, uint64_t most, struct routine_walk *walk) {
    static const struct routine_single ORDER = {expire_one, log_unexpired, "orders"};
    return routine_run_each(connection, SQL_expiry_due, most, &ORDER, walk);
}

enum status expiry_look(struct connection *connection, uint64_t order_id) {
    struct sql *sql = sql_begin(connection, SQL_expiry_look);
    sql_number(sql, order_id);
    enum status status = sql_first(sql);
    sql_end(sql);
    return status == STATUS_NONE ? STATUS_CHANGED : status;
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
