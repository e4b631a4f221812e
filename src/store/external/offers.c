#include "store/external/offers.h"

#include "store/db/guarded.h"
#include "store/db/rows.h"
#include "store/order/porders.h"

#define OFFERED_COLUMNS "UTC_TIMESTAMP(6) AS now, " ORDER_COLUMNS ", o.email, o.customer_name"

/* Returns two rows, whatever it finds. */
const char sql_text_of_offer_find[] =
    "SELECT 0 AS by_reference, " OFFERED_COLUMNS
    " FROM always LEFT JOIN orders o ON o.merchant_id = ? AND o.po_id = ? WHERE always.id = 1"
    " UNION ALL SELECT 1, " OFFERED_COLUMNS
    " FROM always LEFT JOIN orders o ON o.open_reference = ? WHERE always.id = 1";

const char sql_text_of_offer_insert[] =
    "INSERT INTO orders (merchant_id, po_id, reference, amount, min_amount, max_amount, currency, description, email,"
    " document, document_type, customer_name, origin, due_at, changed_by)"
    " SELECT ?, ?, ?, ?, IF(?, ?, NULL), IF(?, ?, NULL), ?, ?, ?, ?, ?, ?, 'external', ?, ? FROM DUAL"
    " WHERE ? > UTC_TIMESTAMP(6)";

const char sql_text_of_offer_refresh[] =
    "UPDATE orders SET reference = ?, amount = ?, min_amount = IF(?, ?, NULL), max_amount = IF(?, ?, NULL),"
    "       description = ?, email = ?, document = ?, document_type = ?, customer_name = ?, due_at = ?, changed_by = ?"
    " WHERE id = ? AND version = ? AND state = 'PENDIENTE' AND held_by IS NULL AND due_at > UTC_TIMESTAMP(6)"
    "   AND ? > UTC_TIMESTAMP(6)";

const char sql_text_of_offer_note[] = "INSERT IGNORE INTO offers (order_id, network_id) VALUES (?, ?)";

const char sql_text_of_offer_networks[] = "SELECT COALESCE(GROUP_CONCAT(n.name ORDER BY n.name SEPARATOR ', '), '')"
                                          " FROM offers f JOIN networks n ON n.id = f.network_id WHERE f.order_id = ?";

/* Reads a row: the order with the offer's reference, or with the offer's number (merchant and po_id). */
static void get_offered(struct sql *sql, struct arena *arena, struct offer_scene *out) {
    bool by_reference = sql_get_number(sql) != 0;
    struct offered_order *order = by_reference ? &out->same_reference : &out->same_number;
    out->now = sql_get_instant(sql);
    order->exists = rows_get_order(sql, arena, &order->order);
    order->email = sql_get_text(sql, arena);
    order->customer_name = sql_get_text(sql, arena);
}

enum status offers_find(struct connection *connection, const struct offer *offer, struct arena *arena,
                        struct offer_scene *out) {
    struct sql *sql = sql_begin(connection, SQL_offer_find);
    sql_number(sql, offer->merchant_id);
    sql_text(sql, offer->po_id);
    sql_text(sql, offer->reference);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        get_offered(sql, arena, out);
    }
    return sql_end_list(sql, status);
}

static void give_amounts(struct sql *sql, const struct offer *offer) {
    sql_money(sql, offer->amount);
    sql_number(sql, offer->has_limits);
    sql_money(sql, offer->least);
    sql_number(sql, offer->has_limits);
    sql_money(sql, offer->most);
}

static void give_texts(struct sql *sql, const struct offer *offer) {
    sql_text(sql, offer->description);
    sql_text_or_null(sql, offer->email);
    sql_text_or_null(sql, offer->document);
    sql_text_or_null(sql, offer->document_type);
    sql_text_or_null(sql, offer->customer_name);
}

static enum status insert_offer(struct connection *connection, const struct offer *offer, struct text actor,
                                uint64_t *id) {
    struct sql *sql = sql_begin(connection, SQL_offer_insert);
    sql_number(sql, offer->merchant_id);
    sql_text(sql, offer->po_id);
    sql_text(sql, offer->reference);
    give_amounts(sql, offer);
    sql_text(sql, offer->currency);
    give_texts(sql, offer);
    sql_instant(sql, offer->due_at);
    sql_text(sql, actor);
    sql_instant(sql, offer->due_at);
    uint64_t written = 0;
    enum status status = sql_run(sql, &written);
    *id = status == STATUS_OK && written > 0 ? sql_inserted_id(sql) : 0;
    sql_end(sql);
    return status == STATUS_OK && written == 0 ? STATUS_CHANGED : status;
}

static enum status refresh(struct connection *connection, const struct offer *offer, const struct order *order,
                           struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_offer_refresh);
    sql_text(sql, offer->reference);
    give_amounts(sql, offer);
    give_texts(sql, offer);
    sql_instant(sql, offer->due_at);
    sql_text(sql, actor);
    sql_number(sql, order->id);
    sql_number(sql, order->version);
    sql_instant(sql, offer->due_at);
    return guarded_run(sql);
}

enum status offers_write(struct connection *connection, const struct offer *offer, const struct offer_plan *plan,
                         struct text actor, uint64_t *order_id) {
    enum status status =
        plan->ends == NULL ? STATUS_OK : porders_delete(connection, plan->ends->id, plan->ends->version, actor);
    *order_id = plan->order == NULL ? 0 : plan->order->id;
    if (status == STATUS_OK && plan->act == OFFER_INSERT) {
        status = insert_offer(connection, offer, actor, order_id);
    } else if (status == STATUS_OK && plan->act == OFFER_REFRESH) {
        status = refresh(connection, offer, plan->order, actor);
    }
    return status;
}

static enum status note_offered(struct connection *connection, uint64_t order_id, uint64_t network_id) {
    struct sql *sql = sql_begin(connection, SQL_offer_note);
    sql_number(sql, order_id);
    sql_number(sql, network_id);
    return sql_run_and_end(sql);
}

struct keeping {
    const struct offer *offer;
    const struct offer_plan *plan;
    struct text actor;
    const struct query_record *record;
};

/* The answer stands for an order of the merchant that gave it. Another merchant's order may keep the reference. */
static bool is_of_the_merchant(const struct keeping *keeping) {
    const struct offer_plan *plan = keeping->plan;
    return plan->refusal == GRANTED && (plan->order == NULL || plan->order->merchant_id == keeping->offer->merchant_id);
}

static enum status keep_offer(struct connection *connection, void *of_keeping) {
    const struct keeping *keeping = of_keeping;
    struct query_record record = *keeping->record;
    enum status status = offers_write(connection, keeping->offer, keeping->plan, keeping->actor, &record.order_id);
    if (status == STATUS_OK && is_of_the_merchant(keeping)) {
        status = note_offered(connection, record.order_id, record.network_id);
    }
    return status == STATUS_OK ? queries_insert(connection, &record) : status;
}

enum status offers_store(struct connection *connection, const struct offer *offer, const struct offer_plan *plan,
                         struct text actor, const struct query_record *record) {
    struct keeping keeping = {offer, plan, actor, record};
    bool writes_orders = plan->act != OFFER_STANDS || plan->ends != NULL;
    return writes_orders ? sql_transact(connection, keep_offer, &keeping) : keep_offer(connection, &keeping);
}

enum status offers_list_networks(struct connection *connection, uint64_t order_id, struct arena *arena,
                                 struct text *out) {
    struct sql *sql = sql_begin(connection, SQL_offer_networks);
    sql_number(sql, order_id);
    return rows_one_text(sql, arena, out);
}
