#include "store/payment/windows.h"

#include "store/db/routine.h"

const char sql_text_of_window_finalise_orders[] = "SELECT payments_finalise(?)";

const char sql_text_of_window_finalise_top_ups[] = "SELECT top_ups_finalise(?)";

const char sql_text_of_window_finalise_order[] =
    "SET STATEMENT innodb_lock_wait_timeout = 0, lock_wait_timeout = 0 FOR SELECT order_finalise(?, ?)";

const char sql_text_of_window_due_orders[] =
    "SELECT o.id FROM transactions t STRAIGHT_JOIN orders o ON o.id = t.order_id"
    " WHERE t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6) AND o.state = 'PENDIENTE'"
    "   AND o.held_by = t.id ORDER BY t.window_ends_at, t.id LIMIT ?";

enum status windows_finalise_orders(struct connection *connection, uint64_t batch, uint64_t *finalised) {
    return routine_run_batch(connection, SQL_window_finalise_orders, batch, finalised);
}

enum status windows_finalise_top_ups(struct connection *connection, uint64_t batch, uint64_t *finalised) {
    return routine_run_batch(connection, SQL_window_finalise_top_ups, batch, finalised);
}

enum status windows_finalise_order(struct connection *connection, uint64_t order_id, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_window_finalise_order);
    sql_number(sql, order_id);
    sql_text(sql, actor);
    return routine_run(sql);
}

static enum status finalise_one(struct connection *connection, uint64_t order_id) {
    return windows_finalise_order(connection, order_id, TEXT("dispatcher"));
}

static void log_unfinalised(uint64_t order_id) {
    log_line(LOG_ERROR,
             "the payment of order %llu cannot be written as final (operations manual, \"A payment that is not "
             "written as final\")",
             (unsigned long long)order_id);
}

enum status windows_finalise_each(struct connection *connection, uint64_t most, uint64_t *finalised) {
    static const struct routine_single PAYMENT = {finalise_one, log_unfinalised};
    return routine_run_each(connection, SQL_window_due_orders, most, &PAYMENT, finalised);
}
