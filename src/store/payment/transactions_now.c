#include "store/payment/transaction_now_row.h"

const char sql_text_of_transaction_now_find[] =
    "SELECT " TRANSACTION_NOW_COLUMNS " FROM transactions t" TRANSACTION_NOW_TABLES
    " WHERE t.network_id = (SELECT id FROM networks WHERE name = ?) AND t.network_transaction = ?";

const char sql_text_of_transaction_now_of_order[] =
    "SELECT " TRANSACTION_NOW_COLUMNS " FROM transactions t" TRANSACTION_NOW_TABLES
    " WHERE t.order_id = ? ORDER BY t.id";

/* Names tables and indexes for the same reason as the lists of orders (store/order/orders_now.c). */
const char sql_text_of_transaction_now_list[] =
    "SELECT STRAIGHT_JOIN " TRANSACTION_NOW_COLUMNS
    " FROM transactions t FORCE INDEX (registered, window_end, network_transaction)" TRANSACTION_NOW_TABLES
    " WHERE t.registered_at >= ? AND t.registered_at < ? AND (? = 0 OR t.network_id = ?)"
    "   AND (? = '' OR t.state = ?)"
    " ORDER BY t.registered_at DESC, t.id DESC LIMIT ?";

void transaction_now_get(struct sql *sql, struct arena *arena, struct transaction_now *out) {
    out->id = sql_get_number(sql);
    out->network = sql_get_text(sql, arena);
    out->network_transaction = sql_get_text(sql, arena);
    out->reference = sql_get_text(sql, arena);
    out->order_id = sql_get_number(sql);
    out->document = sql_get_text(sql, arena);
    out->state = sql_get_text(sql, arena);
    out->state_written = sql_get_text(sql, arena);
    out->amount = sql_get_money(sql);
    out->currency = sql_get_text(sql, arena);
    out->commerce = sql_get_text(sql, arena);
    out->description = sql_get_text(sql, arena);
    out->teller = sql_get_text(sql, arena);
    out->given_names = sql_get_text(sql, arena);
    out->surname1 = sql_get_text(sql, arena);
    out->surname2 = sql_get_text(sql, arena);
    out->registered_at = sql_get_instant(sql);
    out->confirmed_at = sql_get_instant(sql);
    out->window_ends_at = sql_get_instant(sql);
    out->window_closed = sql_get_number(sql) != 0;
    out->finalised_at = sql_get_instant(sql);
    out->cancelled_at = sql_get_instant(sql);
}

static enum status get_transactions(struct sql *sql, struct arena *arena,
                                    void (*each)(void *context, const struct transaction_now *transaction),
                                    void *context) {
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct transaction_now transaction;
        transaction_now_get(sql, arena, &transaction);
        each(context, &transaction);
    }
    return sql_end_list(sql, status);
}

enum status transactions_now_find(struct connection *connection, struct text network, struct text network_transaction,
                                  struct arena *arena, struct transaction_now *out) {
    struct sql *sql = sql_begin(connection, SQL_transaction_now_find);
    sql_text(sql, network);
    sql_text(sql, network_transaction);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        transaction_now_get(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status transactions_now_of_order(struct connection *connection, uint64_t order_id, struct arena *arena,
                                      void (*each)(void *context, const struct transaction_now *transaction),
                                      void *context) {
    struct sql *sql = sql_begin(connection, SQL_transaction_now_of_order);
    sql_number(sql, order_id);
    return get_transactions(sql, arena, each, context);
}

enum status transactions_now_list(struct connection *connection, const struct transaction_filter *filter,
                                  struct arena *arena,
                                  void (*each)(void *context, const struct transaction_now *transaction),
                                  void *context) {
    struct sql *sql = sql_begin(connection, SQL_transaction_now_list);
    sql_instant(sql, filter->since);
    sql_bound(sql, filter->until);
    sql_number(sql, filter->network_id);
    sql_number(sql, filter->network_id);
    sql_text(sql, filter->state);
    sql_text(sql, filter->state);
    sql_number(sql, filter->limit);
    return get_transactions(sql, arena, each, context);
}
