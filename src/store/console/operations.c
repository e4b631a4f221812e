#include "store/console/operations.h"

#include "store/console/scoped.h"
#include "store/payment/operation_row.h"

/* A statement looks at this many operations, and returns a row for each, even if the operation is out of scope or of
 * other parties. */
#define LOOKED_AT " LIMIT 120"

enum { OPERATIONS_AT_ONCE = 120, REFUNDED = 3 };

#define PARTIES                                                                                                        \
    " LEFT JOIN (transactions t JOIN networks n ON n.id = t.network_id LEFT JOIN orders o ON o.id = t.order_id"        \
    " LEFT JOIN merchants m ON m.id = o.merchant_id) ON t.id = w.transaction_id"                                       \
    " AND (? = 0 OR t.network_id = ?) AND (? = 0 OR o.merchant_id = ?) AND " IN_SCOPE("o.merchant_id")

const char sql_text_of_console_operation_of_settlement[] =
    "SELECT STRAIGHT_JOIN w.at, w.transaction_id, w.kind, " OPERATION_NAMES
    " FROM (SELECT i.at, i.transaction_id, i.kind + 0 AS kind FROM settlement_items i FORCE INDEX (settlement)"
    "  WHERE i.settlement = ? AND i.at >= ?"
    "  AND (i.at > ? OR i.transaction_id > ? OR (i.transaction_id = ? AND i.kind + 0 > ?))"
    "  ORDER BY i.at, i.transaction_id, i.kind" LOOKED_AT ") w" PARTIES " ORDER BY w.at, w.transaction_id, w.kind";

const char sql_text_of_console_operation_settled[] =
    "SELECT STRAIGHT_JOIN w.at, w.transaction_id, IF(t.state = 'CANCELADA', 2, 1), " OPERATION_NAMES
    " FROM (SELECT f.settled_at AS at, f.id AS transaction_id FROM transactions f FORCE INDEX (settled)"
    "  WHERE f.settled_at >= ? AND f.settled_at < ? AND (f.settled_at > ? OR f.id > ?)"
    "  ORDER BY f.settled_at, f.id" LOOKED_AT ") w" PARTIES
    " AND t.state IN ('FINALIZADA', 'CANCELADA') ORDER BY w.at, w.transaction_id";

const char sql_text_of_console_operation_refunded[] =
    "SELECT STRAIGHT_JOIN w.at, w.order_id, 3, " OPERATION_NAMES ", w.transaction_id"
    " FROM (SELECT r.at, r.order_id, r.transaction_id FROM refunds r FORCE INDEX (at)"
    "  WHERE r.at >= ? AND r.at < ? AND (r.at > ? OR r.order_id > ?) ORDER BY r.at, r.order_id" LOOKED_AT ") w" PARTIES
    " ORDER BY w.at, w.order_id";

static enum statement choose(const struct settlement_span *span, const struct console_operation_place *place) {
    return span->number != 0   ? SQL_console_operation_of_settlement
           : place->in_refunds ? SQL_console_operation_refunded
                               : SQL_console_operation_settled;
}

static void bind_operation_place(struct sql *sql, const struct settlement_span *span,
                                 const struct console_operation_place *place) {
    if (span->number != 0) {
        sql_number(sql, span->number);
        sql_instant(sql, place->at);
    } else {
        sql_instant(sql, place->at > span->from ? place->at : span->from);
        sql_instant(sql, span->to);
    }
    sql_instant(sql, place->at);
    sql_number(sql, place->id);
    if (span->number != 0) {
        sql_number(sql, place->id);
        sql_number(sql, place->kind);
    }
}

static void bind_parties(struct sql *sql, const struct console_reader *reader, const struct settlement_span *span) {
    sql_number(sql, span->network_id);
    sql_number(sql, span->network_id);
    sql_number(sql, span->merchant_id);
    sql_number(sql, span->merchant_id);
    bind_scope(sql, reader);
}

/* Moves the place to the row. Returns false if the row has no operation for the reader. */
static bool get_next(struct sql *sql, struct arena *arena, struct console_operation_place *place,
                     struct operation *out) {
    operation_get(sql, arena, out);
    place->at = out->at;
    place->id = out->id;
    place->kind = (uint64_t)out->kind + 1;
    if (place->kind == REFUNDED && place->in_refunds) {
        out->id = sql_get_number(sql); /* a refund has the code of its payment, but its place goes by the order */
    }
    return out->network.size > 0;
}

enum status console_operations_next(const struct console_reader *reader, const struct settlement_span *span,
                                    struct console_operation_place *place,
                                    void (*each)(void *context, const struct operation *operation), void *context) {
    struct sql *sql = sql_begin(reader->connection, choose(span, place));
    bind_operation_place(sql, span, place);
    bind_parties(sql, reader, span);
    enum status status = sql_first(sql);
    size_t read = 0;
    for (; status == STATUS_OK; status = sql_next(sql), read++) {
        struct operation operation;
        if (get_next(sql, reader->arena, place, &operation)) {
            each(context, &operation);
        }
    }
    if (status == STATUS_NONE && read < OPERATIONS_AT_ONCE) {
        bool goes_on = span->number == 0 && !place->in_refunds;
        *place = (struct console_operation_place){.in_refunds = goes_on, .ended = !goes_on};
    }
    return sql_end_list(sql, status);
}
