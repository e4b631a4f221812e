#include "store/payment/windows.h"

#include "store/db/routine.h"

const char sql_text_of_window_finalise_orders[] = "SELECT payments_finalise(?)";

const char sql_text_of_window_finalise_top_ups[] = "SELECT top_ups_finalise(?)";

const char sql_text_of_window_finalise_order[] = SQL_WITHOUT_WAITING "SELECT order_finalise(?, ?)";

const char sql_text_of_window_finalise_top_up[] = SQL_WITHOUT_WAITING "SELECT top_up_finalise(?, ?)";

/* Which windows had closed when a walk began, after the place where it has come. */
#define CLOSED_AFTER                                                                                                   \
    "t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6) AND t.window_ends_at <= ?"                        \
    " AND t.window_ends_at >= ? AND (t.window_ends_at > ? OR t.id > ?)"

const char sql_text_of_window_due_orders[] =
    "SELECT o.id, t.window_ends_at, t.id, UTC_TIMESTAMP(6)"
    " FROM transactions t STRAIGHT_JOIN orders o ON o.id = t.order_id"
    " WHERE " CLOSED_AFTER " AND o.state = 'PENDIENTE' AND o.held_by = t.id ORDER BY t.window_ends_at, t.id LIMIT ?";

const char sql_text_of_window_due_top_ups[] =
    "SELECT t.id, t.window_ends_at, t.id, UTC_TIMESTAMP(6) FROM transactions t WHERE " CLOSED_AFTER
    " AND t.account_id IS NOT NULL ORDER BY t.window_ends_at, t.id LIMIT ?";

enum status windows_finalise_orders(struct connection *connection, uint64_t batch, uint64_t *finalised) {
    return routine_run_batch(connection, SQL_window_finalise_orders, batch, finalised);
}

enum status windows_finalise_top_ups(struct connection *connection, uint64_t batch, uint64_t *finalised) {
    return routine_run_batch(connection, SQL_window_finalise_top_ups, batch, finalised);
}

static enum status finalise_one(struct connection *connection, enum statement statement, uint64_t id,
                                struct text actor) {
    struct sql *sql = sql_begin(connection, statement);
    sql_number(sql, id);
    sql_text(sql, actor);
    return routine_run(sql);
}

enum status windows_finalise_order(struct connection *connection, uint64_t order_id, struct text actor) {
    return finalise_one(connection, SQL_window_finalise_order, order_id, actor);
}

enum status windows_finalise_top_up(struct connection *connection, uint64_t transaction_id, struct text actor) {
    return finalise_one(connection, SQL_window_finalise_top_up, transaction_id, actor);
}

static enum status finalise_order(struct connection *connection, uint64_t order_id) {
    return windows_finalise_order(connection, order_id, TEXT("dispatcher"));
}

static enum status finalise_top_up(struct connection *connection, uint64_t transaction_id) {
    return windows_finalise_top_up(connection, transaction_id, TEXT("dispatcher"));
}

static void log_unfinalised_order(uint64_t order_id) {
    log_line(LOG_ERROR,
             "the payment of order %llu cannot be written as final (operations manual, \"A payment that is not "
             "written as final\")",
             (unsigned long long)order_id);
}

static void log_unfinalised_top_up(uint64_t transaction_id) {
    log_line(LOG_ERROR,
             "the top-up of transaction %llu cannot be credited (operations manual, \"A payment that is not written as "
             "final\")",
             (unsigned long long)transaction_id);
}

enum status windows_finalise_each_order(struct connection *connection, uint64_t most, struct routine_walk *walk) {
    static const struct routine_single PAYMENT = {finalise_order, log_unfinalised_order, "payments"};
    return routine_run_each(connection, SQL_window_due_orders, most, &PAYMENT, walk);
}

enum status windows_finalise_each_top_up(struct connection *connection, uint64_t most, struct routine_walk *walk) {
    static const struct routine_single TOP_UP = {finalise_top_up, log_unfinalised_top_up, "top-ups"};
    return routine_run_each(connection, SQL_window_due_top_ups, most, &TOP_UP, walk);
}
