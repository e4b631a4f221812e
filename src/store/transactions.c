#include "store/transactions.h"

#include "store/guarded.h"
#include "store/rows.h"

const char sql_text_of_transaction_insert[] =
    "INSERT INTO transactions (network_id, network_transaction, order_id, account_id, reference, amount, currency,"
    " commerce, description, teller, given_names, surname1, surname2, fingerprint, changed_by)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CONCAT('network:', ?))";

const char sql_text_of_confirmation_find[] =
    "SELECT UTC_TIMESTAMP(6), " TRANSACTION_COLUMNS ", " ORDER_COLUMNS ", a.room FROM transactions t"
    " LEFT JOIN orders o ON o.id = t.order_id LEFT JOIN accounts a ON a.id = t.account_id"
    " WHERE t.network_id = ? AND t.network_transaction = ?";

const char sql_text_of_confirm_order[] =
    "UPDATE transactions t JOIN orders o ON o.id = t.order_id"
    "   SET t.state = 'CONFIRMADA', t.confirmed_at = UTC_TIMESTAMP(6),"
    "       t.window_ends_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, t.changed_by = ?,"
    "       o.held_by = t.id, o.held_until = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, o.changed_by = ?"
    " WHERE t.id = ? AND t.state = 'REGISTRADA' AND o.version = ? AND o.state = 'PENDIENTE' AND o.held_by IS NULL"
    "   AND o.due_at > UTC_TIMESTAMP(6)";

const char sql_text_of_confirm_top_up[] =
    "UPDATE transactions SET state = 'CONFIRMADA', confirmed_at = UTC_TIMESTAMP(6),"
    "       window_ends_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, changed_by = ?"
    " WHERE id = ? AND state = 'REGISTRADA'";

const char sql_text_of_cancel_registered[] =
    "UPDATE transactions SET state = 'CANCELADA', cancelled_at = UTC_TIMESTAMP(6), changed_by = ?"
    " WHERE id = ? AND state = 'REGISTRADA'";

const char sql_text_of_cancel_order[] =
    "UPDATE transactions t JOIN orders o ON o.id = t.order_id"
    "   SET t.state = 'CANCELADA', t.cancelled_at = UTC_TIMESTAMP(6), t.changed_by = ?,"
    "       o.held_by = NULL, o.held_until = NULL, o.changed_by = ?"
    " WHERE t.id = ? AND t.state = 'CONFIRMADA' AND t.window_ends_at > UTC_TIMESTAMP(6) AND o.held_by = t.id";

const char sql_text_of_cancel_top_up[] =
    "UPDATE transactions SET state = 'CANCELADA', cancelled_at = UTC_TIMESTAMP(6), changed_by = ?"
    " WHERE id = ? AND state = 'CONFIRMADA' AND window_ends_at > UTC_TIMESTAMP(6)";

enum status transactions_insert(struct connection *connection, uint64_t network_id, const struct registration *request,
                                struct transaction *new) {
    struct sql *sql = sql_begin(connection, SQL_transaction_insert);
    sql_number(sql, network_id);
    sql_text(sql, request->transaction);
    sql_number_or_null(sql, new->order_id);
    sql_number_or_null(sql, new->account_id);
    sql_text(sql, new->reference);
    sql_money(sql, new->amount);
    sql_text(sql, new->currency);
    sql_text(sql, new->commerce);
    sql_text(sql, new->description);
    sql_text(sql, request->teller);
    sql_text_or_null(sql, request->given_names);
    sql_text_or_null(sql, request->surname1);
    sql_text_or_null(sql, request->surname2);
    sql_bytes(sql, new->fingerprint, sizeof new->fingerprint);
    sql_text(sql, request->name);
    enum status status = sql_run(sql, NULL);
    new->id = sql_inserted_id(sql);
    sql_end(sql);
    return status;
}

enum status transactions_find(struct connection *connection, uint64_t network_id, struct text network_transaction,
                              struct arena *arena, struct confirmation_rows *out) {
    struct sql *sql = sql_begin(connection, SQL_confirmation_find);
    sql_number(sql, network_id);
    sql_text(sql, network_transaction);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->now = sql_get_instant(sql);
        rows_get_transaction(sql, arena, &out->transaction);
        out->has_order = rows_get_order(sql, arena, &out->order);
        out->room = sql_get_money(sql);
    }
    sql_end(sql);
    return status;
}

enum status transactions_confirm(struct connection *connection, const struct confirmation_rows *rows, duration window,
                                 struct text actor) {
    struct sql *sql = sql_begin(connection, rows->has_order ? SQL_confirm_order : SQL_confirm_top_up);
    sql_number(sql, (uint64_t)window);
    sql_text(sql, actor);
    if (rows->has_order) {
        sql_number(sql, (uint64_t)window);
        sql_text(sql, actor);
    }
    sql_number(sql, rows->transaction.id);
    if (rows->has_order) {
        sql_number(sql, rows->order.version);
    }
    return guarded_run(sql);
}

enum status transactions_cancel(struct connection *connection, const struct confirmation_rows *rows,
                                struct text actor) {
    if (rows->transaction.state == TRANSACTION_REGISTRADA) {
        struct sql *sql = sql_begin(connection, SQL_cancel_registered);
        sql_text(sql, actor);
        sql_number(sql, rows->transaction.id);
        return guarded_run(sql);
    }
    struct sql *sql = sql_begin(connection, rows->has_order ? SQL_cancel_order : SQL_cancel_top_up);
    sql_text(sql, actor);
    if (rows->has_order) {
        sql_text(sql, actor);
    }
    sql_number(sql, rows->transaction.id);
    return guarded_run(sql);
}
