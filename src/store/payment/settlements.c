#include "store/payment/operation_row.h"

#include "store/db/rows.h"

#define ROW_COLUMNS "number, opened_at, closed_at, closed_by, day, zone, finalised, cancelled, refunded, digest"

const char sql_text_of_settlement_find[] = "SELECT " ROW_COLUMNS " FROM settlements WHERE number = ?";

const char sql_text_of_settlement_find_open[] =
    "SELECT " ROW_COLUMNS " FROM settlements FORCE INDEX (is_open) WHERE is_open = 1";

const char sql_text_of_settlement_find_day[] =
    "SELECT " ROW_COLUMNS " FROM settlements FORCE INDEX (day) WHERE zone = ? AND day = ?";

const char sql_text_of_settlement_with_day[] =
    "SELECT GROUP_CONCAT(s.number ORDER BY s.number SEPARATOR ', ') FROM settlements s WHERE s.state = 'closed'"
    " AND (SELECT 1 FROM settlement_items i FORCE INDEX (settlement)"
    "       WHERE i.settlement = s.number AND i.at >= ? AND i.at < ? LIMIT 1) = 1";

const char sql_text_of_settlement_count_since[] =
    "SELECT COUNT(*) FROM settlement_items FORCE INDEX (settlement) WHERE settlement = ? AND at >= ?";

const char sql_text_of_settlement_list[] = "SELECT " ROW_COLUMNS " FROM settlements ORDER BY number DESC LIMIT ?";

const char sql_text_of_settlement_now[] = "SELECT UTC_TIMESTAMP(6)";

const char sql_text_of_settlement_zone[] =
    "SELECT c.time_zone FROM merchants m JOIN countries c ON c.code = m.country WHERE m.id = ?";

const char sql_text_of_settlement_unsettled[] =
    "SELECT EXISTS (SELECT 1 FROM settlement_items i FORCE INDEX (settlement)"
    "   WHERE i.settlement = (SELECT number FROM settlements FORCE INDEX (is_open) WHERE is_open = 1)"
    "     AND i.at >= ? AND i.at < ?)"
    " OR EXISTS (SELECT 1 FROM settlement_items i FORCE INDEX (settlement)"
    "   WHERE i.settlement IS NULL AND i.at >= ? AND i.at < ?)"
    " OR EXISTS (SELECT 1 FROM transactions t FORCE INDEX (window_end)"
    "   WHERE t.state = 'CONFIRMADA' AND t.window_ends_at >= ? AND t.window_ends_at < ?)";

/* Fixes the order of tables and the indexes, so that rows arrive in index order, without a sort and without delay,
 * however many there are. */
#define PARTIES                                                                                                        \
    " STRAIGHT_JOIN networks n FORCE INDEX (PRIMARY) ON n.id = t.network_id"                                           \
    " LEFT JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id"                                                   \
    " LEFT JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id"

#define OF_PARTIES " AND (? = 0 OR t.network_id = ?) AND (? = 0 OR o.merchant_id = ?)"

const char sql_text_of_settlement_items[] =
    "SELECT i.at, t.id, i.kind + 0, " OPERATION_NAMES " FROM settlement_items i FORCE INDEX (settlement)"
    " STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = i.transaction_id" PARTIES
    " WHERE i.settlement = ?" OF_PARTIES " ORDER BY i.at, i.transaction_id, i.kind";

#define AMONG(kind)                                                                                                    \
    " AND (? = 0 OR EXISTS (SELECT 1 FROM settlement_items i WHERE i.transaction_id = t.id AND i.kind = " kind         \
    " AND i.settlement = ?))"

/* `i.at >= ?` alone bounds the range. Rows then arrive in index order, and none before it is read. */
const char sql_text_of_settlement_page[] =
    "SELECT i.at, t.id, i.kind + 0, " OPERATION_NAMES " FROM settlement_items i FORCE INDEX (settlement)"
    " STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = i.transaction_id" PARTIES
    " WHERE i.settlement = ? AND i.at >= ?"
    " AND (i.at > ? OR i.transaction_id > ? OR (i.transaction_id = ? AND i.kind + 0 > ?))"
    " ORDER BY i.at, i.transaction_id, i.kind LIMIT ?";

const char sql_text_of_settlement_settled[] =
    "SELECT t.settled_at, t.id, IF(t.state = 'CANCELADA', 2, 1), " OPERATION_NAMES
    " FROM transactions t FORCE INDEX (settled)" PARTIES " WHERE t.settled_at >= ? AND t.settled_at < ?"
    " AND t.state IN ('FINALIZADA', 'CANCELADA')" OF_PARTIES AMONG(
        "IF(t.state = 'CANCELADA', 'cancelled', 'finalised')") " ORDER BY t.settled_at, t.id";

const char sql_text_of_settlement_refunds[] =
    "SELECT r.at, t.id, 3, " OPERATION_NAMES " FROM refunds r FORCE INDEX (at)"
    " STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = r.transaction_id" PARTIES
    " WHERE r.at >= ? AND r.at < ?" OF_PARTIES AMONG("'refunded'") " ORDER BY r.at, r.order_id";

static void get_settlement_row(struct sql *sql, struct arena *arena, struct settlement_row *out) {
    out->number = sql_get_number(sql);
    out->opened_at = sql_get_instant(sql);
    out->closed_at = sql_get_instant(sql);
    out->is_closed = out->closed_at != 0;
    out->closed_by = sql_get_text(sql, arena);
    out->day = sql_get_text(sql, arena);
    out->zone = sql_get_text(sql, arena);
    for (enum operation_kind kind = 0; kind < OPERATION_KINDS; kind++) {
        out->counts[kind] = sql_get_number(sql);
    }
    out->digest = sql_get_text(sql, arena);
    out->is_summed = out->digest.size > 0;
}

/* Runs a statement for one row, and ends it. */
static enum status find_settlement(struct sql *sql, struct arena *arena, struct settlement_row *out) {
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        get_settlement_row(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status settlements_find(struct connection *connection, uint64_t number, struct arena *arena,
                             struct settlement_row *out) {
    struct sql *sql = sql_begin(connection, SQL_settlement_find);
    sql_number(sql, number);
    return find_settlement(sql, arena, out);
}

enum status settlements_find_open(struct connection *connection, struct arena *arena, struct settlement_row *out) {
    return find_settlement(sql_begin(connection, SQL_settlement_find_open), arena, out);
}

enum status settlements_find_day(struct connection *connection, struct text day, struct text zone, struct arena *arena,
                                 struct settlement_row *out) {
    struct sql *sql = sql_begin(connection, SQL_settlement_find_day);
    sql_text(sql, zone);
    sql_text(sql, day);
    return find_settlement(sql, arena, out);
}

enum status settlements_with_day(struct connection *connection, instant begins, instant ends, struct arena *arena,
                                 struct text *out) {
    struct sql *sql = sql_begin(connection, SQL_settlement_with_day);
    sql_instant(sql, begins);
    sql_instant(sql, ends);
    return rows_one_text(sql, arena, out);
}

enum status settlements_count_since(struct connection *connection, uint64_t number, instant since, uint64_t *out) {
    struct sql *sql = sql_begin(connection, SQL_settlement_count_since);
    sql_number(sql, number);
    sql_instant(sql, since);
    return rows_one_number(sql, out);
}

enum status settlements_list(struct connection *connection, uint64_t limit, struct arena *arena,
                             void (*each)(void *context, const struct settlement_row *row), void *context) {
    struct sql *sql = sql_begin(connection, SQL_settlement_list);
    sql_number(sql, limit);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct settlement_row row;
        get_settlement_row(sql, arena, &row);
        each(context, &row);
    }
    return sql_end_list(sql, status);
}

enum status settlements_now(struct connection *connection, instant *out) {
    return rows_one_instant(sql_begin(connection, SQL_settlement_now), out);
}

enum status settlements_zone(struct connection *connection, uint64_t merchant_id, struct arena *arena,
                             struct text *out) {
    struct sql *sql = sql_begin(connection, SQL_settlement_zone);
    sql_number(sql, merchant_id);
    return rows_one_text(sql, arena, out);
}

enum status settlements_find_unsettled(struct connection *connection, instant from, instant to, bool *any) {
    enum { PLACES = 3 }; /* of the statement, in each of which something may be left */
    struct sql *sql = sql_begin(connection, SQL_settlement_unsettled);
    for (size_t i = 0; i < PLACES; i++) {
        sql_instant(sql, from);
        sql_instant(sql, to);
    }
    return rows_one_bool(sql, any);
}

void operation_get(struct sql *sql, struct arena *scratch, struct operation *out) {
    out->at = sql_get_instant(sql);
    out->id = sql_get_number(sql);
    out->kind = (enum operation_kind)(sql_get_number(sql) - 1);
    out->network = sql_get_text(sql, scratch);
    out->transaction = sql_get_text(sql, scratch);
    out->merchant = sql_get_text(sql, scratch);
    out->order = sql_get_text(sql, scratch);
    out->currency = sql_get_text(sql, scratch);
    out->amount = sql_get_money(sql);
}

static void give_span(struct sql *sql, const struct settlement_span *span) {
    if (span->number != 0) {
        sql_number(sql, span->number);
    } else {
        sql_instant(sql, span->from);
        sql_instant(sql, span->to);
    }
    sql_number(sql, span->network_id);
    sql_number(sql, span->network_id);
    sql_number(sql, span->merchant_id);
    sql_number(sql, span->merchant_id);
    if (span->number == 0) {
        sql_number(sql, span->among);
        sql_number(sql, span->among);
    }
}

static enum status read_operations(struct connection *connection, enum statement statement,
                                   const struct settlement_span *span, struct arena *scratch,
                                   void (*each)(void *context, const struct operation *operation), void *context) {
    struct sql *sql = sql_begin(connection, statement);
    give_span(sql, span);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct operation operation;
        arena_reset(scratch);
        operation_get(sql, scratch, &operation);
        each(context, &operation);
    }
    return sql_end_list(sql, status);
}

enum status settlements_each(struct connection *connection, const struct settlement_span *span, struct arena *scratch,
                             void (*each)(void *context, const struct operation *operation), void *context) {
    if (span->number != 0) {
        return read_operations(connection, SQL_settlement_items, span, scratch, each, context);
    }
    enum status status = read_operations(connection, SQL_settlement_settled, span, scratch, each, context);
    return status == STATUS_OK ? read_operations(connection, SQL_settlement_refunds, span, scratch, each, context)
                               : status;
}

enum status settlements_page(struct connection *connection, struct settlement_place *place, struct arena *scratch,
                             void (*each)(void *context, const struct operation *operation), void *context) {
    struct sql *sql = sql_begin(connection, SQL_settlement_page);
    sql_number(sql, place->number);
    sql_instant(sql, place->at);
    sql_instant(sql, place->at);
    sql_number(sql, place->id);
    sql_number(sql, place->id);
    sql_number(sql, place->kind);
    sql_number(sql, SETTLEMENT_PAGE);
    enum status status = sql_first(sql);
    for (place->read = 0; status == STATUS_OK; status = sql_next(sql)) {
        struct operation operation;
        arena_reset(scratch);
        operation_get(sql, scratch, &operation);
        each(context, &operation);
        place->at = operation.at;
        place->id = operation.id;
        place->kind = (uint64_t)operation.kind + 1;
        place->read++;
    }
    return sql_end_list(sql, status);
}
