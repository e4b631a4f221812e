#include "store/payment/transactions.h"

#include "store/db/json.h"
#include "store/db/routine.h"
#include "store/db/rows.h"

#include <assert.h>

/* Columns of an array's rows. JSON_TABLE cuts what is longer than its column, so each has room for one character more
 * than the place to which it goes: what is too long there is an error, as it would be as a parameter. */
#define AT(place, column) column " PATH '$[" #place "]' ERROR ON ERROR"
#define TEXT_AT(place, name, size)                                                                                     \
    ", " AT(place, name " VARCHAR(" #size ") CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
#define CODE_AT(place, name, size)                                                                                     \
    ", " AT(place, name " VARCHAR(" #size ") CHARACTER SET ascii COLLATE ascii_nopad_bin")

#define REGISTRATIONS                                                                                                  \
    "JSON_TABLE(?, '$[*]' COLUMNS (" AT(0, "network_id INT UNSIGNED") ", " AT(1, "amount DECIMAL(19,4)")               \
        CODE_AT(2, "reference", 26) ", " AT(3, "money VARCHAR(4) CHARACTER SET ascii COLLATE ascii_bin")               \
            CODE_AT(4, "fingerprint", 64) TEXT_AT(5, "sent", 65) TEXT_AT(6, "commerce", 101) TEXT_AT(7, "teller", 65)  \
                TEXT_AT(8, "given_names", 101) TEXT_AT(9, "surname1", 101) TEXT_AT(10, "surname2", 101)                \
                    TEXT_AT(11, "network", 41) ")) AS r"

/*
 * Every rule of registration_judge that does not depend on the request alone, for orders that are not from an external
 * query. tests/store/payment/test_rules.c keeps the two equal.
 */
#define REGISTRATIONS_INSERT                                                                                           \
    "INSERT INTO transactions (network_id, network_transaction, order_id, reference, amount, currency, commerce,"      \
    " description, teller, given_names, surname1, surname2, fingerprint, changed_by)"                                  \
    " SELECT r.network_id, r.sent, o.id, o.reference, r.amount, o.currency, m.commerce, o.description, r.teller,"      \
    " r.given_names, r.surname1, r.surname2, UNHEX(r.fingerprint), CONCAT('network:', r.network)"                      \
    " FROM " REGISTRATIONS " STRAIGHT_JOIN orders o FORCE INDEX (open_reference) ON o.open_reference = r.reference"    \
    " STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id"                                         \
    " WHERE o.origin <> 'external' AND o.held_by IS NULL AND o.due_at > UTC_TIMESTAMP(6)"                              \
    " AND o.currency = r.money AND IF(o.amount > 0, o.amount = r.amount,"                                              \
    " r.amount BETWEEN COALESCE(o.min_amount, 0) AND COALESCE(o.max_amount, ~0)) AND m.enabled"                        \
    " AND m.commerce = r.commerce AND NOT EXISTS (SELECT 1 FROM transactions e FORCE INDEX (network_transaction)"      \
    " WHERE e.network_id = r.network_id AND e.network_transaction = r.sent)"                                           \
    " RETURNING id, network_id, network_transaction, fingerprint, commerce, description"

const char sql_text_of_registration_insert[] = REGISTRATIONS_INSERT;

const char sql_text_of_registration_insert_shared[] = SQL_WITHOUT_WAITING REGISTRATIONS_INSERT;

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

const char sql_text_of_transaction_await[] = "SELECT 1 FROM transactions WHERE id = ? AND state = ? LOCK IN SHARE MODE";

const char sql_text_of_payment_cancel[] = "SELECT payment_cancel(?, ?, ?)";

const char sql_text_of_confirm_order_shared[] = SQL_WITHOUT_WAITING "SELECT payments_confirm(?)";

const char sql_text_of_payment_cancel_shared[] = SQL_WITHOUT_WAITING
    "SELECT BIT_OR(payment_cancel(c.network_id, c.sent, c.actor) << c.place) FROM JSON_TABLE(?, '$[*]' COLUMNS (" AT(
        0, "place INT UNSIGNED") ", " AT(1, "network_id INT UNSIGNED") TEXT_AT(2, "sent", 65)
        TEXT_AT(3, "actor", 81) ")) AS c";

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

static void put_registration(struct json *json, const struct new_registration *new) {
    const struct registration *request = new->request;
    char amount[MONEY_TEXT_SIZE];
    json_open(json, '[');
    json_number(json, new->network_id);
    json_text(json, text_of(money_print(request->value, MONEY_DECIMALS, amount)));
    json_text(json, request->reference);
    json_text(json, request->money);
    json_hex(json, (struct text){(const char *)new->stored->fingerprint, FINGERPRINT_BYTES});
    json_text(json, request->transaction);
    json_text(json, request->commerce);
    json_text(json, request->teller);
    json_text_or_null(json, request->given_names);
    json_text_or_null(json, request->surname1);
    json_text_or_null(json, request->surname2);
    json_text(json, request->name);
    json_close(json, ']');
}

/*
 * Returns the registration whose row this is; NULL: none. Two of one network may have the same id, and one of them be
 * refused; the fingerprint tells them apart. If they are the same altogether, neither is stored.
 */
static struct new_registration *find_new(struct new_registration *const news[], size_t count, uint64_t network_id,
                                         struct text sent, struct text fingerprint) {
    for (size_t i = 0; i < count; i++) {
        const struct text its_own = {(const char *)news[i]->stored->fingerprint, FINGERPRINT_BYTES};
        if (news[i]->network_id == network_id && text_equal(news[i]->request->transaction, sent) &&
            text_equal(its_own, fingerprint)) {
            return news[i];
        }
    }
    return NULL;
}

static enum status read_stored(struct sql *sql, struct new_registration *const news[], size_t count,
                               struct arena *arena) {
    uint64_t id = sql_get_number(sql), network_id = sql_get_number(sql);
    struct text sent = sql_get_text(sql, arena), fingerprint = sql_get_text(sql, arena);
    struct new_registration *new = find_new(news, count, network_id, sent, fingerprint);
    if (new == NULL) {
        return STATUS_FAULT;
    }
    new->stored->id = id;
    new->stored->commerce = sql_get_text(sql, new->arena);
    new->stored->description = sql_get_text(sql, new->arena);
    new->stored->reference = new->request->reference;
    new->stored->amount = new->request->value;
    new->stored->currency = new->request->money;
    new->status = STATUS_OK;
    return STATUS_OK;
}

static enum status register_all(struct connection *connection, enum statement statement,
                                struct new_registration *const news[], size_t count, struct arena *arena) {
    struct json json = json_begin(arena, '[');
    bool is_empty = true;
    for (size_t i = 0; i < count; i++) {
        news[i]->status = STATUS_CHANGED;
        if (registration_judge_request(news[i]->request) == GRANTED) {
            put_registration(&json, news[i]);
            is_empty = false;
        }
    }
    if (is_empty) {
        return STATUS_OK;
    }
    struct sql *sql = sql_begin(connection, statement);
    sql_text(sql, json_end(&json, ']'));
    enum status status = sql_first(sql);
    while (status == STATUS_OK) {
        status = read_stored(sql, news, count, arena);
        status = status == STATUS_OK ? sql_next(sql) : status;
    }
    return sql_end_list(sql, status);
}

enum status transactions_register(struct connection *connection, struct new_registration *new) {
    struct new_registration *const news[] = {new};
    enum status status = register_all(connection, SQL_registration_insert, news, 1, new->arena);
    return status == STATUS_OK ? new->status : status;
}

enum status transactions_register_shared(struct connection *connection, struct new_registration *const news[],
                                         size_t count, struct arena *arena) {
    return register_all(connection, SQL_registration_insert_shared, news, count, arena);
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

enum status transactions_await(struct connection *connection, uint64_t id, enum transaction_state state) {
    struct sql *sql = sql_begin(connection, SQL_transaction_await);
    sql_number(sql, id);
    sql_text(sql, text_of(transaction_state_name(state)));
    enum status status = sql_first(sql);
    sql_end(sql);
    return status == STATUS_NONE ? STATUS_CHANGED : status;
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

/* The statement's value has a bit for each place in the array: written. */
static enum status change_all(struct connection *connection, enum statement statement,
                              struct transaction_change *const changes[], size_t count, struct arena *arena) {
    uint64_t written;
    assert(count <= TRANSACTION_CHANGES_MAX);
    struct json json = json_begin(arena, '[');
    for (size_t i = 0; i < count; i++) {
        json_open(&json, '[');
        json_number(&json, i);
        json_number(&json, changes[i]->name.network_id);
        json_text(&json, changes[i]->name.transaction);
        json_text(&json, changes[i]->name.actor);
        json_close(&json, ']');
    }
    struct sql *sql = sql_begin(connection, statement);
    sql_text(sql, json_end(&json, ']'));
    enum status status = routine_count(sql, &written);
    for (size_t i = 0; i < count; i++) {
        changes[i]->status = (written >> i & 1) != 0 ? STATUS_OK : STATUS_CHANGED;
    }
    return status;
}

enum status transactions_confirm_shared(struct connection *connection, struct transaction_change *const changes[],
                                        size_t count, struct arena *arena) {
    return change_all(connection, SQL_confirm_order_shared, changes, count, arena);
}

enum status transactions_cancel_shared(struct connection *connection, struct transaction_change *const changes[],
                                       size_t count, struct arena *arena) {
    return change_all(connection, SQL_payment_cancel_shared, changes, count, arena);
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
