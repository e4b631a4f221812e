#include "store/order/slips.h"

#include "store/db/rows.h"

const char sql_text_of_slip_find[] =
    "SELECT UTC_TIMESTAMP(6), " ORDER_COLUMNS
    ", m.commerce, m.enabled, o.po_id, o.language, COALESCE(o.country, m.country), COALESCE(t.amount, 0)"
    " FROM orders o JOIN merchants m ON m.id = o.merchant_id"
    " LEFT JOIN transactions t ON t.id = COALESCE(o.paid_by, o.held_by) WHERE o.token = ?";

static void get_slip(struct sql *sql, struct arena *arena, struct slip *out) {
    *out = (struct slip){.now = sql_get_instant(sql)};
    rows_get_order(sql, arena, &out->order);
    out->order.commerce = sql_get_text(sql, arena);
    out->order.merchant_enabled = sql_get_number(sql) != 0;
    out->po_id = sql_get_text(sql, arena);
    out->language = sql_get_text(sql, arena);
    out->country = sql_get_number(sql);
    out->paid = sql_get_money(sql);
}

enum status slips_find(struct connection *connection, struct text token, struct arena *arena, struct slip *out) {
    struct sql *sql = sql_begin(connection, SQL_slip_find);
    sql_text(sql, token);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        get_slip(sql, arena, out);
    }
    sql_end(sql);
    return status;
}
