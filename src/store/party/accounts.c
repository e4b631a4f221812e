#include "store/party/accounts.h"

#include "store/db/rows.h"

const char sql_text_of_account_describe[] =
    "SELECT " ACCOUNT_COLUMNS ", a.balance, a.created_at FROM accounts a WHERE a.document = ?";

const char sql_text_of_account_list[] =
    "SELECT " ACCOUNT_COLUMNS ", a.balance, a.created_at FROM accounts a ORDER BY a.document LIMIT ?";

const char sql_text_of_account_insert[] =
    "INSERT INTO accounts (document, document_type, name, lastname1, lastname2, currency, changed_by)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)";

const char sql_text_of_account_movements[] =
    "SELECT l.at, l.amount, l.balance, n.name, t.network_transaction FROM account_ledger l"
    " JOIN transactions t ON t.id = l.transaction_id JOIN networks n ON n.id = t.network_id"
    " WHERE l.account_id = ? ORDER BY l.id";

static void get_account_description(struct sql *sql, struct arena *arena, struct account_description *out) {
    rows_get_account(sql, arena, &out->account);
    out->balance = sql_get_money(sql);
    out->created_at = sql_get_instant(sql);
}

enum status accounts_describe(struct connection *connection, struct text document, struct arena *arena,
                              struct account_description *out) {
    struct sql *sql = sql_begin(connection, SQL_account_describe);
    sql_text(sql, document);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        get_account_description(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status accounts_list(struct connection *connection, uint64_t limit, struct arena *arena,
                          void (*each)(void *context, const struct account_description *account), void *context) {
    struct sql *sql = sql_begin(connection, SQL_account_list);
    sql_number(sql, limit);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct account_description account;
        get_account_description(sql, arena, &account);
        each(context, &account);
    }
    return sql_end_list(sql, status);
}

enum status accounts_insert(struct connection *connection, const struct account *account, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_account_insert);
    sql_text(sql, account->document);
    sql_text(sql, account->document_type);
    sql_text(sql, account->name);
    sql_text(sql, account->lastname1);
    sql_text(sql, account->lastname2);
    sql_text(sql, account->currency);
    sql_text(sql, actor);
    return sql_run_and_end(sql);
}

enum status accounts_movements(struct connection *connection, uint64_t account_id, struct arena *arena,
                               void (*each)(void *context, const struct movement *movement), void *context) {
    struct sql *sql = sql_begin(connection, SQL_account_movements);
    sql_number(sql, account_id);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct movement movement;
        movement.at = sql_get_instant(sql);
        movement.amount = sql_get_money(sql);
        movement.balance = sql_get_money(sql);
        movement.network = sql_get_text(sql, arena);
        movement.network_transaction = sql_get_text(sql, arena);
        each(context, &movement);
    }
    return sql_end_list(sql, status);
}
