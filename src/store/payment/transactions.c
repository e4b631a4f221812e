#include "store/payment/transactions.h"

#include "store/db/routine.h"
#include "store/db/rows.h"

/*
 * Every rule of registration_judge that does not depend on the request alone, for an order that is not from an external
 * query. tests/store/payment/test_rules.c keeps the two equal.
 */
const char sql_text_of_registration_insert[] =
    "INSERT INTO transactions (network_id, network_transaction, order_id, reference, amount, currency, commerce,"
    " description, teller, given_names, surname1, surname2, fingerprint, changed_by)"
    " SELECT ?, ?, o.id, o.reference, ?, o.currency, m.commerce, o.description, ?, ?, ?, ?, ?, CONCAT('network:', ?)"
    " FROM orders o FORCE INDEX (open_reference)"
    " STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id"
    " WHERE o.open_reference = ? AND o.origin <> 'external' AND o.held_by IS NULL AND o.due_at > UTC_TIMESTAMP(6)"
    " AND o.currency = ? AND IF(o.amount > 0, o.amount = ?,"
    " ? BETWEEN COALESCE(o.min_amount, 0) AND COALESCE(o.max_amount, ~0)) AND m.enabled AND m.commerce = ?"
    " RETURNING id, commerce, description";

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

static void give_registration(struct sql *sql, uint64_t network_id, const struct registration *request,
                              const unsigned char fingerprint[FINGERPRINT_BYTES]) {
    sql_number(sql, network_id);
    sql_text(sql, request->transaction);
    sql_money(sql, request->value);
    sql_text(sql, request->teller);
    sql_text_or_null(sql, request->given_names);
    sql_text_or_null(sql, request->surname1);
    sql_text_or_null(sql, request->surname2);
    sql_bytes(sql, fingerprint, FINGERPRINT_BYTES);
    sql_text(sql, request->name);
    sql_text(sql, request->reference);
    sql_text(sql, request->money);
    sql_money(sql, request->value);
    sql_money(sql, request->value);
    sql_text(sql, request->commerce);
}

enum status transactions_register(struct connection *connection, uint64_t network_id,
                                  const struct registration *request, struct arena *arena, struct transaction *new) {
    if (registration_judge_request(request) != GRANTED) {
        return STATUS_CHANGED;
    }
    struct sql *sql = sql_begin(connection, SQL_registration_insert);
    give_registration(sql, network_id, request, new->fingerprint);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        new->id = sql_get_number(sql);
        new->commerce = sql_get_text(sql, arena);
        new->description = sql_get_text(sql, arena);
        new->reference = request->reference;
        new->amount = request->value;
        new->currency = request->money;
    } else if (status == STATUS_NONE) {
        status = STATUS_CHANGED;
    }
    return sql_end_single(sql, status);
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

static enum status run_named(struct connection *connection, enum statement statement,
                             const struct transaction_name *name) {
    struct sql *sql = sql_begin(connection, statement);
    sql_number(sql, name->network_id);
    sql_text(sql, name->transaction);
    sql_text(sql, name->actor);
    return routine_run(sql);
}

enum status transactions_confirm(struct connection *connection, const struct transaction_name *name) {
    return run_named(connection, SQL_confirm_order, name);
}

enum status transactions_confirm_top_up(struct connection *connection, uint64_t id, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_confirm_top_up);
    sql_number(sql, id);
    sql_text(sql, actor);
    return routine_run(sql);
}

const char *transactions_reached_limit(const struct connection *connection) {
    return sql_reached_limit(connection);
}

enum status transactions_cancel(struct connection *connection, const struct transaction_name *name) {
    return run_named(connection, SQL_payment_cancel, name);
}
