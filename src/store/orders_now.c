#include "store/orders_now.h"

#include "store/sql.h"

/* Needs `orders_now v JOIN orders o`. */
#define COLUMNS                                                                                                        \
    "v.id, v.merchant, v.po_id, v.reference, v.state_now, v.state_written, v.amount, o.min_amount, o.max_amount,"      \
    " v.currency, v.description, o.payment_means, o.email, o.document, o.document_type, o.customer_name, v.origin,"    \
    " v.due_at, v.held_until, v.created_at, v.changed_at, v.changed_by"

const char sql_text_of_order_now_find[] =
    "SELECT " COLUMNS " FROM orders o JOIN orders_now v ON v.id = o.id WHERE o.id = ?";

const char sql_text_of_order_now_find_by_reference[] =
    "SELECT " COLUMNS " FROM orders o JOIN orders_now v ON v.id = o.id"
    " WHERE o.id = (SELECT MAX(id) FROM orders WHERE reference = ?)";

const char sql_text_of_order_now_find_by_number[] =
    "SELECT " COLUMNS " FROM orders o JOIN orders_now v ON v.id = o.id WHERE o.merchant_id = ? AND o.po_id = ?";

/*
 * The states as written, and the due date, narrow the search, so that a rare state is found by its index. The order of
 * the tables and the choice of indexes are given, because just after a large import the statistics lead the optimizer
 * astray.
 */
const char sql_text_of_order_now_list[] =
    "SELECT STRAIGHT_JOIN " COLUMNS
    " FROM orders o FORCE INDEX (created, merchant_order, due) JOIN orders_now v ON v.id = o.id"
    " WHERE o.created_at >= ? AND (? = 0 OR o.merchant_id = ?)"
    "   AND (? = '' OR o.state = ?"
    "        OR (o.state = ? AND o.due_at <= IF(? = 'VENCIDA', UTC_TIMESTAMP(6), TIMESTAMP'9999-12-31 23:59:59')))"
    "   AND (? = '' OR v.state_now = ?)"
    " ORDER BY o.created_at DESC, o.id DESC LIMIT ?";

static void get_order(struct sql *sql, struct arena *arena, struct order_now *out) {
    out->id = sql_get_number(sql);
    out->merchant = sql_get_text(sql, arena);
    out->po_id = sql_get_text(sql, arena);
    out->reference = sql_get_text(sql, arena);
    out->state = sql_get_text(sql, arena);
    out->state_written = sql_get_text(sql, arena);
    out->amount = sql_get_money(sql);
    out->has_limits = !sql_is_null(sql);
    out->least = sql_get_money(sql);
    out->most = sql_get_money(sql);
    out->currency = sql_get_text(sql, arena);
    out->description = sql_get_text(sql, arena);
    out->payment_means = sql_get_text(sql, arena);
    out->email = sql_get_text(sql, arena);
    out->document = sql_get_text(sql, arena);
    out->document_type = sql_get_text(sql, arena);
    out->customer_name = sql_get_text(sql, arena);
    out->origin = sql_get_text(sql, arena);
    out->due_at = sql_get_instant(sql);
    out->held_until = sql_get_instant(sql);
    out->created_at = sql_get_instant(sql);
    out->changed_at = sql_get_instant(sql);
    out->changed_by = sql_get_text(sql, arena);
}

static enum status get_first(struct sql *sql, struct arena *arena, struct order_now *out) {
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        get_order(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status orders_now_find(struct connection *connection, uint64_t id, struct arena *arena, struct order_now *out) {
    struct sql *sql = sql_begin(connection, SQL_order_now_find);
    sql_number(sql, id);
    return get_first(sql, arena, out);
}

enum status orders_now_find_by_reference(struct connection *connection, struct text reference, struct arena *arena,
                                         struct order_now *out) {
    struct sql *sql = sql_begin(connection, SQL_order_now_find_by_reference);
    sql_text(sql, reference);
    return get_first(sql, arena, out);
}

enum status orders_now_find_by_number(struct connection *connection, uint64_t merchant_id, struct text po_id,
                                      struct arena *arena, struct order_now *out) {
    struct sql *sql = sql_begin(connection, SQL_order_now_find_by_number);
    sql_number(sql, merchant_id);
    sql_text(sql, po_id);
    return get_first(sql, arena, out);
}

/* By the clock an order becomes APROBADA or VENCIDA without having been written so. */
static struct text other_written_state(struct text state) {
    bool comes_by_clock = text_equal(state, TEXT("APROBADA")) || text_equal(state, TEXT("VENCIDA"));
    return comes_by_clock ? TEXT("PENDIENTE") : state;
}

enum status orders_now_list(struct connection *connection, const struct order_filter *filter, struct arena *arena,
                            void (*each)(void *context, const struct order_now *order), void *context) {
    struct sql *sql = sql_begin(connection, SQL_order_now_list);
    sql_instant(sql, filter->since);
    sql_number(sql, filter->merchant_id);
    sql_number(sql, filter->merchant_id);
    sql_text(sql, filter->state);
    sql_text(sql, filter->state);
    sql_text(sql, other_written_state(filter->state));
    sql_text(sql, filter->state);
    sql_text(sql, filter->state);
    sql_text(sql, filter->state);
    sql_number(sql, filter->limit);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct order_now order;
        get_order(sql, arena, &order);
        each(context, &order);
    }
    sql_end(sql);
    return status == STATUS_NONE ? STATUS_OK : status;
}
