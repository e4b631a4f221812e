#include "store/order/expiry.h"

#include "store/db/routine.h"

const char sql_text_of_expiry_write[] = "SELECT orders_expire(?)";

const char sql_text_of_work_next[] =
    "SELECT UTC_TIMESTAMP(6),"
    " (SELECT MIN(window_ends_at) FROM transactions WHERE state = 'CONFIRMADA'),"
    " (SELECT due_at FROM orders WHERE state = 'PENDIENTE' AND held_by IS NULL ORDER BY due_at LIMIT 1)";

enum status expiry_run(struct connection *connection, uint64_t batch, uint64_t *expired) {
    return routine_run_batch(connection, SQL_expiry_write, batch, expired);
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
