#include "store/order/order_now_row.h"

const char sql_text_of_order_now_find[] =
    "SELECT " ORDER_NOW_COLUMNS " FROM orders o JOIN orders_now v ON v.id = o.id WHERE o.id = ?";

const char sql_text_of_order_now_find_by_reference[] =
    "SELECT " ORDER_NOW_COLUMNS " FROM orders o JOIN orders_now v ON v.id = o.id"
    " WHERE o.id = COALESCE((SELECT id FROM orders WHERE open_reference = ?),"
    " (SELECT MAX(id) FROM orders WHERE reference = ?))";

const char sql_text_of_order_now_find_by_old_reference[] =
    "SELECT " ORDER_NOW_COLUMNS " FROM reference_owners r STRAIGHT_JOIN orders o ON o.id = r.left_by"
    " JOIN orders_now v ON v.id = o.id WHERE r.reference = ?";

const char sql_text_of_order_now_find_by_number[] =
    "SELECT " ORDER_NOW_COLUMNS
    " FROM orders o JOIN orders_now v ON v.id = o.id WHERE o.merchant_id = ? AND o.po_id = ?";

/* The end of every list below. */
#define NEWEST                                                                                                         \
    " AND o.created_at >= ? AND o.created_at < ? AND (? = 0 OR o.merchant_id = ?)"                                     \
    " AND (? = 0 OR o.amount = CAST(? AS DECIMAL(19,4))) ORDER BY o.created_at DESC, o.id DESC LIMIT ?"

/* Names the indexes, because just after a large import the optimizer's statistics are misleading. */
const char sql_text_of_order_now_list[] =
    "SELECT STRAIGHT_JOIN " ORDER_NOW_COLUMNS
    " FROM orders o FORCE INDEX (created, merchant_order) JOIN orders_now v ON v.id = o.id"
    " WHERE TRUE" NEWEST;

/* Uses the index of documents, because a customer has few orders. */
const char sql_text_of_order_now_list_of_document[] =
    "SELECT STRAIGHT_JOIN " ORDER_NOW_COLUMNS " FROM orders o FORCE INDEX (document) JOIN orders_now v ON v.id = o.id"
    " WHERE o.document = ? AND (? = '' OR v.state_now = ?)" NEWEST;

/*
 * An order is in a state because it is written, or is VENCIDA because it is overdue. Each case has an index of its own,
 * so that rare states are found fast too.
 */
const char sql_text_of_order_now_list_in_state[] =
    "SELECT STRAIGHT_JOIN " ORDER_NOW_COLUMNS " FROM ("
    "(SELECT STRAIGHT_JOIN o.id, o.created_at FROM orders o FORCE INDEX (listed, merchant_order)"
    "   JOIN orders_now v ON v.id = o.id WHERE o.state = ? AND v.state_now = ?" NEWEST ") UNION ALL "
    "(SELECT o.id, o.created_at FROM orders o FORCE INDEX (due)"
    "  WHERE ? = 'VENCIDA' AND o.state = 'PENDIENTE' AND o.held_by IS NULL AND o.due_at <= UTC_TIMESTAMP(6)" NEWEST
    ")) found JOIN orders o ON o.id = found.id JOIN orders_now v ON v.id = found.id"
    " ORDER BY found.created_at DESC, found.id DESC LIMIT ?";

void order_now_get(struct sql *sql, struct arena *arena, struct order_now *out) {
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
    out->window_closed = sql_get_number(sql) != 0;
    out->created_at = sql_get_instant(sql);
    out->changed_at = sql_get_instant(sql);
    out->changed_by = sql_get_text(sql, arena);
    out->token = sql_get_text(sql, arena);
}

static enum status get_first_order(struct sql *sql, struct arena *arena, struct order_now *out) {
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        order_now_get(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status orders_now_find(struct connection *connection, uint64_t id, struct arena *arena, struct order_now *out) {
    struct sql *sql = sql_begin(connection, SQL_order_now_find);
    sql_number(sql, id);
    return get_first_order(sql, arena, out);
}

enum status orders_now_find_by_reference(struct connection *connection, struct text reference, struct arena *arena,
                                         struct order_now *out) {
    struct sql *sql = sql_begin(connection, SQL_order_now_find_by_reference);
    sql_text(sql, reference);
    sql_text(sql, reference);
    return get_first_order(sql, arena, out);
}

enum status orders_now_find_by_old_reference(struct connection *connection, struct text reference, struct arena *arena,
                                             struct order_now *out) {
    struct sql *sql = sql_begin(connection, SQL_order_now_find_by_old_reference);
    sql_text(sql, reference);
    return get_first_order(sql, arena, out);
}

enum status orders_now_find_by_number(struct connection *connection, uint64_t merchant_id, struct text po_id,
                                      struct arena *arena, struct order_now *out) {
    struct sql *sql = sql_begin(connection, SQL_order_now_find_by_number);
    sql_number(sql, merchant_id);
    sql_text(sql, po_id);
    return get_first_order(sql, arena, out);
}

/* Binds the parameters of NEWEST. */
static void bind_newest(struct sql *sql, const struct order_filter *filter) {
    sql_instant(sql, filter->since);
    sql_bound(sql, filter->until);
    sql_number(sql, filter->merchant_id);
    sql_number(sql, filter->merchant_id);
    sql_number(sql, filter->has_amount);
    sql_money(sql, filter->amount);
    sql_number(sql, filter->limit);
}

static struct sql *begin_list_of_document(struct connection *connection, const struct order_filter *filter) {
    struct text state = filter->state.size == 0 ? TEXT("") : filter->state;
    struct sql *sql = sql_begin(connection, SQL_order_now_list_of_document);
    sql_text(sql, filter->document);
    sql_text(sql, state);
    sql_text(sql, state);
    bind_newest(sql, filter);
    return sql;
}

static struct sql *begin_order_list(struct connection *connection, const struct order_filter *filter) {
    if (filter->document.size > 0) {
        return begin_list_of_document(connection, filter);
    }
    bool any = filter->state.size == 0;
    struct sql *sql = sql_begin(connection, any ? SQL_order_now_list : SQL_order_now_list_in_state);
    if (!any) {
        sql_text(sql, filter->state);
        for (int part = 0; part < 2; part++) {
            sql_text(sql, filter->state);
            bind_newest(sql, filter);
        }
        sql_number(sql, filter->limit);
    } else {
        bind_newest(sql, filter);
    }
    return sql;
}

enum status orders_now_list(struct connection *connection, const struct order_filter *filter, struct arena *arena,
                            void (*each)(void *context, const struct order_now *order), void *context) {
    struct sql *sql = begin_order_list(connection, filter);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct order_now order;
        order_now_get(sql, arena, &order);
        each(context, &order);
    }
    return sql_end_list(sql, status);
}
