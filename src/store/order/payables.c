#include "store/order/payables.h"

#include "store/db/json.h"
#include "store/db/rows.h"

/* A unique key finds the order, because at most one per reference is PENDIENTE. */
#define PAYABLE_TABLES " FROM always LEFT JOIN orders o ON o.open_reference = ? LEFT JOIN accounts a ON a.document = ?"

/* Answers most lookups. */
const char sql_text_of_payable_open_shared[] =
    "SELECT r.place, UTC_TIMESTAMP(6), " ORDER_COLUMNS " FROM JSON_TABLE(?, '$[*]' COLUMNS (place INT UNSIGNED PATH"
    " '$[0]', reference VARCHAR(26) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[1]')) AS r"
    " STRAIGHT_JOIN orders o FORCE INDEX (open_reference) ON o.open_reference = r.reference";

const char sql_text_of_payable_find[] =
    "SELECT UTC_TIMESTAMP(6), " ORDER_COLUMNS ", " ACCOUNT_COLUMNS PAYABLE_TABLES " WHERE always.id = 1";

const char sql_text_of_registration_find[] =
    "SELECT UTC_TIMESTAMP(6), " ORDER_COLUMNS ", " ACCOUNT_COLUMNS ", " TRANSACTION_COLUMNS PAYABLE_TABLES
    " LEFT JOIN transactions t ON t.network_id = ? AND t.network_transaction = ? WHERE always.id = 1";

const char sql_text_of_payable_closed[] =
    "SELECT " ORDER_COLUMNS " FROM orders o WHERE o.reference = ? ORDER BY o.id DESC LIMIT 1";

const char sql_text_of_offer_made[] = "SELECT 1 FROM offers WHERE order_id = ? AND network_id = ?";

static void get_payable(struct sql *sql, struct arena *arena, struct payable *out) {
    *out = (struct payable){.now = sql_get_instant(sql)};
    out->has_order = rows_get_order(sql, arena, &out->order);
    out->has_account = rows_get_account(sql, arena, &out->account);
}

static bool finds_nothing(const struct payable *payable) {
    return !payable->has_order && !payable->has_account;
}

/* When nothing can be paid, the latest order with this reference says why. */
static enum status find_latest(struct connection *connection, struct text reference, struct arena *arena,
                               struct payable *out) {
    struct sql *sql = sql_begin(connection, SQL_payable_closed);
    sql_text(sql, reference);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->has_order = rows_get_order(sql, arena, &out->order);
    }
    return sql_end_list(sql, status);
}

enum status payables_find(struct connection *connection, struct text reference, struct arena *arena,
                          struct payable *out) {
    struct sql *sql = sql_begin(connection, SQL_payable_find);
    sql_text(sql, reference);
    sql_text(sql, reference);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        get_payable(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

/* An account may have the reference of an order that came by an external query. The condition stands here, not in the
 * statement: there it costs the server 6,000 instructions. */
static bool decides(const struct payable *payable) {
    return payable->has_order && payable->order.origin != ORIGIN_EXTERNAL &&
           order_is_open(&payable->order, payable->now);
}

static struct text references_as_json(struct payable_search *const searches[], size_t count, struct arena *arena) {
    struct json json = json_begin(arena, '[');
    for (size_t i = 0; i < count; i++) {
        json_open(&json, '[');
        json_number(&json, i);
        json_text(&json, searches[i]->reference);
        json_close(&json, ']');
        *searches[i]->found = (struct payable){.has_order = false};
    }
    return json_end(&json, ']');
}

enum status payables_find_shared(struct connection *connection, struct payable_search *const searches[], size_t count,
                                 struct arena *arena) {
    struct sql *sql = sql_begin(connection, SQL_payable_open_shared);
    sql_text(sql, references_as_json(searches, count, arena));
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        uint64_t place = sql_get_number(sql);
        if (place >= count) {
            status = STATUS_FAULT;
            break;
        }
        struct payable found = {.now = sql_get_instant(sql)};
        found.has_order = rows_get_order(sql, searches[place]->arena, &found.order);
        *searches[place]->found = decides(&found) ? found : (struct payable){.has_order = false};
    }
    return sql_end_list(sql, status);
}

enum status payables_find_closed(struct connection *connection, struct text reference, struct arena *arena,
                                 struct payable *out) {
    return finds_nothing(out) ? find_latest(connection, reference, arena, out) : STATUS_OK;
}

enum status payables_note_offer(struct connection *connection, uint64_t network_id, struct payable *payable) {
    const struct order *order = &payable->order;
    if (!payable->has_order || order->origin != ORIGIN_EXTERNAL || !order_is_open(order, payable->now)) {
        return STATUS_OK;
    }
    struct sql *sql = sql_begin(connection, SQL_offer_made);
    sql_number(sql, order->id);
    sql_number(sql, network_id);
    enum status status = sql_first(sql);
    sql_end(sql);
    payable->is_others_offer = status == STATUS_NONE;
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status payables_find_for(struct connection *connection, struct text reference, uint64_t network_id,
                              struct text network_transaction, struct arena *arena, struct payable *out,
                              bool *has_transaction, struct transaction *transaction) {
    struct sql *sql = sql_begin(connection, SQL_registration_find);
    sql_text(sql, reference);
    sql_text(sql, reference);
    sql_number(sql, network_id);
    sql_text(sql, network_transaction);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        get_payable(sql, arena, out);
        *has_transaction = rows_get_transaction(sql, arena, transaction);
    }
    sql_end(sql);
    if (status == STATUS_OK && !*has_transaction && finds_nothing(out)) {
        return find_latest(connection, reference, arena, out);
    }
    return status;
}
