#include "store/payment/windows.h"

#include "store/db/routine.h"

const char sql_text_of_window_finalise_orders[] = "SELECT payments_finalise(?)";

const char sql_text_of_window_finalise_top_ups[] = "SELECT top_ups_finalise(?)";

const char sql_text_of_window_finalise_order[] =
    "SET STATEMENT innodb_lock_wait_timeout = 0, lock_wait_timeout = 0 FOR SELECT order_finalise(?, ?)";

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
