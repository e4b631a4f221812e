#include "store/settlements.h"

#include "store/sql.h"

const char sql_text_of_settlement_now[] = "SELECT UTC_TIMESTAMP(6)";

const char sql_text_of_settlement_zone[] =
    "SELECT c.time_zone FROM merchants m JOIN countries c ON c.code = m.country WHERE m.id = ?";

#define OPERATION_COLUMNS                                                                                              \
    "t.id, t.state = 'CANCELADA', n.name, t.network_transaction, m.name, o.po_id, t.currency, t.amount"

/* Tables and indexes are given, so that rows come in the order of the index, unsorted and at once, however many there are. */
#define PARTIES                                                                                                        \
    " STRAIGHT_JOIN networks n FORCE INDEX (PRIMARY) ON n.id = t.network_id"                                           \
    " LEFT JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id"                                                   \
    " LEFT JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id"

const char sql_text_of_settlement_settled[] =
    "SELECT t.settled_at, " OPERATION_COLUMNS " FROM transactions t FORCE INDEX (settled)" PARTIES
    " WHERE t.settled_at >= ? AND t.settled_at < ? AND (? = 0 OR t.network_id = ?) AND (? = 0 OR o.merchant_id = ?)"
    " ORDER BY t.settled_at, t.id";

const char sql_text_of_settlement_refunds[] =
    "SELECT r.at, " OPERATION_COLUMNS " FROM refunds r FORCE INDEX (at)"
    " STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = r.transaction_id" PARTIES
    " WHERE r.at >= ? AND r.at < ? AND (? = 0 OR t.network_id = ?) AND (? = 0 OR o.merchant_id = ?)"
    " ORDER BY r.at, r.order_id";

enum status settlements_now(struct connection *connection, instant *out) {
    struct sql *sql = sql_begin(connection, SQL_settlement_now);
    enum status status = sql_first(sql);
    *out = status == STATUS_OK ? sql_get_instant(sql) : 0;
    sql_end(sql);
    return status;
}

enum status settlements_zone(struct connection *connection, uint64_t merchant_id, struct arena *arena,
                             struct text *out) {
    struct sql *sql = sql_begin(connection, SQL_settlement_zone);
    sql_number(sql, merchant_id);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        *out = sql_get_text(sql, arena);
    }
    sql_end(sql);
    return status;
}

static void get_operation(struct sql *sql, bool is_refund, struct arena *scratch, struct operation *out) {
    out->at = sql_get_instant(sql);
    out->id = sql_get_number(sql);
    bool was_cancelled = sql_get_number(sql) != 0;
    out->kind = is_refund ? OPERATION_REFUNDED : (was_cancelled ? OPERATION_CANCELLED : OPERATION_FINALISED);
    out->network = sql_get_text(sql, scratch);
    out->transaction = sql_get_text(sql, scratch);
    out->merchant = sql_get_text(sql, scratch);
    out->order = sql_get_text(sql, scratch);
    out->currency = sql_get_text(sql, scratch);
    out->amount = sql_get_money(sql);
}

static enum status run(struct connection *connection, enum statement statement, const struct settlement_span *span,
                       struct arena *scratch, void (*each)(void *context, const struct operation *operation),
                       void *context) {
    struct sql *sql = sql_begin(connection, statement);
    sql_instant(sql, span->from);
    sql_instant(sql, span->to);
    sql_number(sql, span->network_id);
    sql_number(sql, span->network_id);
    sql_number(sql, span->merchant_id);
    sql_number(sql, span->merchant_id);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct operation operation;
        arena_reset(scratch);
        get_operation(sql, statement == SQL_settlement_refunds, scratch, &operation);
        each(context, &operation);
    }
    sql_end(sql);
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status settlements_each(struct connection *connection, const struct settlement_span *span, struct arena *scratch,
                             void (*each)(void *context, const struct operation *operation), void *context) {
    enum status status = run(connection, SQL_settlement_settled, span, scratch, each, context);
    return status == STATUS_OK ? run(connection, SQL_settlement_refunds, span, scratch, each, context) : status;
}
