#include "store/order/payables.h"

#include "store/db/json.h"
#include "store/db/rows.h"

/* `r`: the references, each with its place in the list of searches. */
#define SEARCHES                                                                                                       \
    "JSON_TABLE(?, '$[*]' COLUMNS (place INT UNSIGNED PATH '$[0]', reference VARCHAR(26) CHARACTER SET ascii COLLATE"  \
    " ascii_nopad_bin PATH '$[1]')) AS r"

/* Answers most lookups. A unique key finds the order, because at most one per reference is PENDIENTE. */
const char sql_text_of_payable_open[] =
    "SELECT r.place, UTC_TIMESTAMP(6), " ORDER_COLUMNS " FROM " SEARCHES
    " STRAIGHT_JOIN orders o FORCE INDEX (open_reference) ON o.open_reference = r.reference";

const char sql_text_of_payable_find[] =
    "SELECT r.place, UTC_TIMESTAMP(6), " ORDER_COLUMNS ", " ACCOUNT_COLUMNS " FROM " SEARCHES
    " LEFT JOIN orders o FORCE INDEX (open_reference) ON o.open_reference = r.reference"
    " LEFT JOIN accounts a ON a.document = r.reference";

const char sql_text_of_payable_closed[] =
    "SELECT r.place, " ORDER_COLUMNS " FROM " SEARCHES " STRAIGHT_JOIN orders o ON o.id ="
    " (SELECT x.id FROM orders x WHERE x.reference = r.reference ORDER BY x.id DESC LIMIT 1)";

const char sql_text_of_registration_find[] =
    "SELECT UTC_TIMESTAMP(6), " ORDER_COLUMNS ", " ACCOUNT_COLUMNS ", " TRANSACTION_COLUMNS " FROM always"
    " LEFT JOIN orders o ON o.open_reference = ? LEFT JOIN accounts a ON a.document = ?"
    " LEFT JOIN transactions t ON t.network_id = ? AND t.network_transaction = ? WHERE always.id = 1";

const char sql_text_of_offer_made[] = "SELECT 1 FROM offers WHERE order_id = ? AND network_id = ?";

static void get_payable(struct sql *sql, struct arena *arena, struct payable *out) {
    *out = (struct payable){.now = sql_get_instant(sql)};
    out->has_order = rows_get_order(sql, arena, &out->order);
    out->has_account = rows_get_account(sql, arena, &out->account);
}

static void get_closed(struct sql *sql, struct arena *arena, struct payable *out) {
    out->has_order = rows_get_order(sql, arena, &out->order);
}

/* An account may have the reference of an order that came by an external query. The condition stands here, not in the
 * statement: there it costs the server 6,000 instructions. */
static bool decides_alone(const struct payable *payable) {
    return payable->order.origin != ORIGIN_EXTERNAL && order_is_open(&payable->order, payable->now);
}

static void get_open(struct sql *sql, struct arena *arena, struct payable *out) {
    struct payable found = {.now = sql_get_instant(sql)};
    found.has_order = rows_get_order(sql, arena, &found.order);
    if (decides_alone(&found)) {
        *out = found;
    }
}

static bool any_has_accounts(struct payable_search *const searches[], size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any |= searches[i]->with_accounts;
    }
    return any;
}

static struct text references_as_json(struct payable_search *const searches[], size_t count, struct arena *arena) {
    struct json json = json_begin(arena, '[');
    for (size_t i = 0; i < count; i++) {
        json_open(&json, '[');
        json_number(&json, i);
        json_text(&json, searches[i]->reference);
        json_close(&json, ']');
    }
    return json_end(&json, ']');
}

/* Reads what was found for a search from the rest of its row. */
typedef void get_found(struct sql *sql, struct arena *arena, struct payable *out);

static enum status run_searches(struct sql *sql, struct payable_search *const searches[], size_t count,
                                struct arena *arena, get_found *get) {
    sql_text(sql, references_as_json(searches, count, arena));
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        uint64_t place = sql_get_number(sql);
        if (place >= count) {
            status = STATUS_FAULT;
            break;
        }
        get(sql, searches[place]->arena, searches[place]->found);
    }
    return sql_end_list(sql, status);
}

enum status payables_find_shared(struct connection *connection, struct payable_search *const searches[], size_t count,
                                 struct arena *arena) {
    bool with_accounts = any_has_accounts(searches, count);
    for (size_t i = 0; i < count; i++) {
        searches[i]->with_accounts = with_accounts;
        *searches[i]->found = (struct payable){.has_order = false};
    }
    struct sql *sql = sql_begin(connection, with_accounts ? SQL_payable_find : SQL_payable_open);
    return run_searches(sql, searches, count, arena, with_accounts ? get_payable : get_open);
}

enum status payables_find_closed_shared(struct connection *connection, struct payable_search *const searches[],
                                        size_t count, struct arena *arena) {
    return run_searches(sql_begin(connection, SQL_payable_closed), searches, count, arena, get_closed);
}

enum status payables_find(struct connection *connection, struct text reference, struct arena *arena,
                          struct payable *out) {
    struct payable_search search = {reference, arena, out, .with_accounts = true}, *const alone[] = {&search};
    return payables_find_shared(connection, alone, 1, arena);
}

enum status payables_find_closed(struct connection *connection, struct text reference, struct arena *arena,
                                 struct payable *out) {
    struct payable_search search = {.reference = reference, .arena = arena, .found = out}, *const alone[] = {&search};
    bool is_nothing = !out->has_order && !out->has_account;
    return is_nothing ? payables_find_closed_shared(connection, alone, 1, arena) : STATUS_OK;
}

enum status payables_note_offer(struct connection *connection, uint64_t network_id, struct payable *payable) {
    if (!payable_is_offer(payable)) {
        return STATUS_OK;
    }
    struct sql *sql = sql_begin(connection, SQL_offer_made);
    sql_number(sql, payable->order.id);
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
    return status == STATUS_OK && !*has_transaction ? payables_find_closed(connection, reference, arena, out) : status;
}
