#include "store/order/porder_changes.h"

#include "store/db/guarded.h"
#include "store/db/routine.h"

const char sql_text_of_porder_change[] =
    "UPDATE orders SET reference = COALESCE(?, reference), amount = ?, vat = COALESCE(?, vat), country = ?,"
    " description = ?, language = COALESCE(?, language), payment_means = COALESCE(?, payment_means), email = ?,"
    " document = COALESCE(?, document), document_type = COALESCE(?, document_type),"
    " customer_name = COALESCE(?, customer_name), due_at = ?, changed_by = ?"
    " WHERE id = ? AND state = 'PENDIENTE' AND held_by IS NULL AND due_at > UTC_TIMESTAMP(6) AND ? > UTC_TIMESTAMP(6)";

const char sql_text_of_order_cancel[] = "SELECT order_cancel(?, ?, ?)";

const char sql_text_of_porder_refund[] = "SELECT order_refund(?, ?, ?)";

enum status porder_changes_terms(struct connection *connection, uint64_t id, const struct porder_terms *terms,
                                 struct text actor) {
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
    sql_instant(sql, order->due_at);
    return guarded_run(sql);
}

enum status porder_changes_delete(struct connection *connection, uint64_t id, uint64_t version, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_order_cancel);
    sql_number(sql, id);
    sql_number_or_null(sql, version);
    sql_text(sql, actor);
    return routine_run(sql);
}

enum status porder_changes_refund(struct connection *connection, uint64_t id, struct text reason, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_porder_refund);
    sql_number(sql, id);
    sql_text_or_null(sql, reason);
    sql_text(sql, actor);
    return routine_run(sql);
}
