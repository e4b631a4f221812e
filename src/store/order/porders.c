#include "store/order/porders.h"

#include "store/db/guarded.h"
#include "store/db/routine.h"
#include "store/db/rows.h"

const char sql_text_of_porder_insert[] =
    "INSERT INTO orders (merchant_id, po_id, reference, amount, vat, currency, country, description, language,"
    " payment_means, email, document, document_type, customer_name, origin, due_at, token, changed_by)"
    " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'registered', ?, ?, ? FROM DUAL"
    " WHERE ? > UTC_TIMESTAMP(6) AND ? <= UTC_TIMESTAMP(6)"
    "   AND (? OR reference_prefix_owner(?) IS NULL)";

const char sql_text_of_porder_clock[] = "SELECT UTC_TIMESTAMP(6)";

const char sql_text_of_porder_change[] =
    "UPDATE orders SET reference = COALESCE(?, reference), amount = ?, vat = COALESCE(?, vat), country = ?,"
    " description = ?, language = COALESCE(?, language), payment_means = COALESCE(?, payment_means), email = ?,"
    " document = COALESCE(?, document), document_type = COALESCE(?, document_type),"
    " customer_name = COALESCE(?, customer_name), due_at = ?, changed_by = ?"
    " WHERE id = ? AND version = ? AND state = 'PENDIENTE' AND held_by IS NULL AND due_at > UTC_TIMESTAMP(6)"
    "   AND ? > UTC_TIMESTAMP(6)";

const char sql_text_of_order_cancel[] = "SELECT order_cancel(?, ?, ?)";

const char sql_text_of_porder_refund[] = "SELECT order_refund(?, ?, ?)";

/* One row by one key, without a join, for the most frequent question: the state of an order that nobody has paid
 * yet. */
const char sql_text_of_porder_find[] =
    "SELECT UTC_TIMESTAMP(6), " ORDER_COLUMNS
    ", o.po_id, o.email, o.payment_means, o.token, o.created_at, o.changed_at,"
    " COALESCE(o.country, (SELECT m.country FROM merchants m WHERE m.id = o.merchant_id)), o.paid_by"
    " FROM orders o WHERE o.merchant_id = ? AND o.po_id = ?";

/* Attempts are purged after a time; the states of their notifications stay. */
const char sql_text_of_porder_outcome[] =
    "SELECT t.id, t.amount, t.confirmed_at, n.name, COALESCE("
    " (SELECT a.reason = 'acknowledged' FROM notifications told JOIN attempts a ON a.notification_id = told.id"
    "   WHERE told.order_id = ? AND a.http_status IS NOT NULL ORDER BY a.id DESC LIMIT 1),"
    " (SELECT told.state = 'delivered' FROM notifications told"
    "   WHERE told.order_id = ? AND told.state IN ('delivered', 'exhausted') ORDER BY told.id DESC LIMIT 1))"
    " FROM always LEFT JOIN transactions t ON t.id = ? LEFT JOIN networks n ON n.id = t.network_id WHERE always.id = 1";

static void give_terms(struct sql *sql, const struct porder_terms *terms) {
    const struct new_order *order = &terms->order;
    sql_number(sql, order->merchant_id);
    sql_text(sql, order->po_id);
    sql_text(sql, order->reference);
    sql_money(sql, order->amount);
    sql_text_or_null(sql, terms->vat);
    sql_text(sql, order->currency);
    sql_number(sql, terms->country);
    sql_text(sql, order->description);
    sql_text(sql, terms->language);
    sql_text_or_null(sql, order->payment_means);
    sql_text_or_null(sql, order->email);
    sql_text_or_null(sql, order->document);
    sql_text_or_null(sql, order->document_type);
    sql_text_or_null(sql, order->customer_name);
    sql_instant(sql, order->due_at);
}

enum status porders_insert(struct connection *connection, const struct porder_terms *terms, struct text actor,
                           uint64_t *id, enum order_clash *clash) {
    uint64_t stored = 0;
    struct sql *sql = sql_begin(connection, SQL_porder_insert);
    give_terms(sql, terms);
    sql_text(sql, terms->token);
    sql_text(sql, actor);
    sql_instant(sql, terms->order.due_at);
    sql_instant(sql, terms->earliest);
    sql_number(sql, !terms->reference_is_assigned);
    sql_text(sql, terms->order.reference);
    enum status status = sql_run(sql, &stored);
    *id = sql_inserted_id(sql);
    *clash = sql_clashed_on(sql, "merchant_order") ? CLASH_ORDER_NUMBER : CLASH_REFERENCE;
    sql_end(sql);
    return status == STATUS_OK && stored == 0 ? STATUS_CHANGED : status;
}

enum status porders_clock(struct connection *connection, instant *now) {
    return rows_one_instant(sql_begin(connection, SQL_porder_clock), now);
}

static void get_porder(struct sql *sql, struct arena *arena, struct porder *out) {
    *out = (struct porder){.now = sql_get_instant(sql)};
    rows_get_order(sql, arena, &out->order);
    out->po_id = sql_get_text(sql, arena);
    out->email = sql_get_text(sql, arena);
    out->payment_means = sql_get_text(sql, arena);
    out->token = sql_get_text(sql, arena);
    out->created_at = sql_get_instant(sql);
    out->changed_at = sql_get_instant(sql);
    out->country = sql_get_number(sql);
    out->paid_by = sql_get_number(sql);
}

enum status porders_find(struct connection *connection, uint64_t merchant_id, struct text po_id, struct arena *arena,
                         struct porder *out) {
    struct sql *sql = sql_begin(connection, SQL_porder_find);
    sql_number(sql, merchant_id);
    sql_text(sql, po_id);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        get_porder(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status porders_find_outcome(struct connection *connection, struct arena *arena, struct porder *porder) {
    if (porder->order.state == ORDER_PENDIENTE && porder->paid_by == 0) {
        return STATUS_OK;
    }
    struct sql *sql = sql_begin(connection, SQL_porder_outcome);
    sql_number(sql, porder->order.id);
    sql_number(sql, porder->order.id);
    sql_number(sql, porder->paid_by);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        porder->transaction_id = sql_get_number(sql);
        porder->paid = sql_get_money(sql);
        porder->paid_at = sql_get_instant(sql);
        porder->network = sql_get_text(sql, arena);
        porder->is_acknowledged = sql_get_number(sql) != 0;
    }
    sql_end(sql);
    return status;
}

enum status porders_change(struct connection *connection, uint64_t id, uint64_t version,
                           const struct porder_terms *terms, struct text actor) {
    const struct new_order *order = &terms->order;
    struct sql *sql = sql_begin(connection, SQL_porder_change);
    sql_text_or_null(sql, order->reference);
    sql_money(sql, order->amount);
    sql_text_or_null(sql, terms->vat);
    sql_number(sql, terms->country);
    sql_text(sql, order->description);
    sql_text_or_null(sql, terms->language);
    sql_text_or_null(sql, order->payment_means);
    sql_text(sql, order->email);
    sql_text_or_null(sql, order->document);
    sql_text_or_null(sql, order->document_type);
    sql_text_or_null(sql, order->customer_name);
    sql_instant(sql, order->due_at);
    sql_text(sql, actor);
    sql_number(sql, id);
    sql_number(sql, version);
    sql_instant(sql, order->due_at);
    return guarded_run(sql);
}

enum status porders_delete(struct connection *connection, uint64_t id, uint64_t version, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_order_cancel);
    sql_number(sql, id);
    sql_number(sql, version);
    sql_text(sql, actor);
    return routine_run(sql);
}

enum status porders_refund(struct connection *connection, uint64_t id, struct text reason, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_porder_refund);
    sql_number(sql, id);
    sql_text_or_null(sql, reason);
    sql_text(sql, actor);
    return routine_run(sql);
}
