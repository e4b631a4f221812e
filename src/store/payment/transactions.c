#include "store/payment/transactions.h"

#include "store/db/routine.h"
#include "store/db/rows.h"

const char sql_text_of_transaction_insert[] =
    "INSERT INTO transactions (network_id, network_transaction, order_id, account_id, reference, amount, currency,"
    " commerce, description, teller, given_names, surname1, surname2, fingerprint, changed_by)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CONCAT('network:', ?))";

const char sql_text_of_confirmation_find[] =
    "SELECT UTC_TIMESTAMP(6), " TRANSACTION_COLUMNS ", " ORDER_COLUMNS ", a.room FROM transactions t"
    " LEFT JOIN orders o ON o.id = t.order_id LEFT JOIN accounts a ON a.id = t.account_id"
    " WHERE t.network_id = ? AND t.network_transaction = ?";

const char sql_text_of_confirm_order[] = "SELECT payment_confirm(?, ?, ?)";

const char sql_text_of_confirm_top_up[] = "SELECT top_up_confirm(?, ?)";

const char sql_text_of_payment_cancel[] = "SELECT payment_cancel(?, ?, ?)";

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

enum status transactions_confirm(struct connection *connection, const struct confirmation_rows *rows,
                                 struct text actor) {
    struct sql *sql = sql_begin(connection, rows->has_order ? SQL_confirm_order : SQL_confirm_top_up);
    sql_number(sql, rows->transaction.id);
    if (rows->has_order) {
        sql_number(sql, rows->order.version);
    }
    sql_text(sql, actor);
    return routine_run(sql);
}

enum status transactions_cancel(struct connection *connection, const struct confirmation_rows *rows,
                                struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_payment_cancel);
    sql_number(sql, rows->transaction.id);
    sql_number(sql, rows->transaction.state == TRANSACTION_CONFIRMADA);
    sql_text(sql, actor);
    return routine_run(sql);
}
