#include "store/console/notifications.h"

#include "store/console/scoped.h"
#include "store/db/rows.h"
#include "store/external/query_rows.h"
#include "store/notification/notification_rows.h"

#define OWN " AND " IN_SCOPE("n.merchant_id")

const char sql_text_of_console_notification_find[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n" NOTIFICATION_TABLES " WHERE n.id = ?" OWN;

const char sql_text_of_console_notification_of_order[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n FORCE INDEX (order_status)" NOTIFICATION_TABLES
    " WHERE n.order_id = ?" OWN " ORDER BY n.sequence, n.id";

const char sql_text_of_console_attempt_of_order[] =
    "SELECT " ATTEMPT_COLUMNS
    " FROM notifications n FORCE INDEX (order_status) STRAIGHT_JOIN attempts a FORCE INDEX (one_per_lease)"
    " ON a.notification_id = n.id LEFT JOIN dispatchers d ON d.id = a.dispatcher_id"
    " WHERE n.order_id = ?" OWN " ORDER BY a.id LIMIT 300";

const char sql_text_of_console_attempt_of_merchant[] =
    "SELECT a.notification_id, a.number, a.started_at, a.duration_us, a.url, a.address, a.http_status, a.reason,"
    " a.late, '', '' FROM (SELECT n.id FROM notifications n FORCE INDEX (of_merchant) WHERE n.merchant_id = ?" OWN
    " ORDER BY n.created_at DESC, n.id DESC LIMIT 25) w STRAIGHT_JOIN attempts a FORCE INDEX (one_per_lease)"
    " ON a.notification_id = w.id ORDER BY a.id DESC LIMIT 100";

const char sql_text_of_console_notification_given_up[] =
    "SELECT COUNT(*) FROM (SELECT 1 FROM notifications n FORCE INDEX (merchant) WHERE n.state = 'exhausted'"
    " AND n.merchant_id = ?" OWN " LIMIT 1000) g";

#define LISTED " LIMIT 40"

const char sql_text_of_console_notification_list[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n FORCE INDEX (PRIMARY)" NOTIFICATION_TABLES " WHERE n.id < ?"
    " AND " FOR_ALL " ORDER BY n.id DESC" LISTED;

/* Each of these lists reads an index backwards that has its order; the first condition bounds the range. */
#define BEFORE(column) " AND " column " <= ? AND (" column " < ? OR n.id < ?)"

const char sql_text_of_console_notification_list_of_merchant[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n FORCE INDEX (of_merchant)" NOTIFICATION_TABLES
    " WHERE n.merchant_id = ?" BEFORE("n.created_at") OWN " ORDER BY n.created_at DESC, n.id DESC" LISTED;

const char sql_text_of_console_notification_list_in_state[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n FORCE INDEX (due)" NOTIFICATION_TABLES
    " WHERE n.state = ?" BEFORE("n.due_at") " AND " FOR_ALL " ORDER BY n.due_at DESC, n.id DESC" LISTED;

const char sql_text_of_console_notification_list_of_merchant_in_state[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n FORCE INDEX (merchant)" NOTIFICATION_TABLES
    " WHERE n.state = ? AND n.merchant_id = ?" BEFORE("n.due_at") OWN " ORDER BY n.due_at DESC, n.id DESC" LISTED;

const char sql_text_of_console_query_of_order[] =
    "SELECT " QUERY_COLUMNS
    " FROM orders o STRAIGHT_JOIN external_queries q FORCE INDEX (reference) ON q.reference = o.reference"
    " AND q.merchant_id = o.merchant_id" QUERY_TABLES
    " WHERE o.id = ? AND " IN_SCOPE("o.merchant_id") " ORDER BY q.asked_at DESC, q.id DESC LIMIT 50";

const char sql_text_of_console_query_of_merchant[] =
    "SELECT " QUERY_COLUMNS " FROM external_queries q FORCE INDEX (merchant)" QUERY_TABLES
    " WHERE q.merchant_id = ? AND " IN_SCOPE("q.merchant_id") " ORDER BY q.asked_at DESC, q.id DESC LIMIT 50";

/* Looks at the newest 2,000 queries about the reference, however many there are of other merchants. */
const char sql_text_of_console_query_of_reference[] =
    "SELECT " QUERY_COLUMNS " FROM (SELECT r.id, r.merchant_id FROM external_queries r FORCE INDEX (reference)"
    "  WHERE r.reference = ? ORDER BY r.asked_at DESC, r.id DESC LIMIT 2000) w"
    " STRAIGHT_JOIN external_queries q FORCE INDEX (PRIMARY) ON q.id = w.id" QUERY_TABLES
    " WHERE " IN_SCOPE("w.merchant_id") " ORDER BY q.asked_at DESC, q.id DESC LIMIT 100";

#define FAILED(query)                                                                                                  \
    query ".outcome IN ('silent', 'invalid') AND " query ".asked_at > UTC_TIMESTAMP(6) - INTERVAL 1 DAY"

#define FAILED_BEFORE                                                                                                  \
    "COALESCE((SELECT " FAILED("b") " FROM external_queries b FORCE INDEX (integration)"                               \
                                    "  WHERE b.integration_id = i.id ORDER BY b.asked_at DESC, b.id DESC"              \
                                    "  LIMIT 1 OFFSET 1), 0)"

#define FAILED_NOW FAILED("q")

const char sql_text_of_console_query_failed[] =
    "SELECT STRAIGHT_JOIN " QUERY_COLUMNS ", i.code, i.network_id IS NOT NULL"
    " FROM integrations i FORCE INDEX (integration_merchant)"
    " JOIN external_queries q FORCE INDEX (PRIMARY) ON q.id ="
    "  (SELECT l.id FROM external_queries l FORCE INDEX (integration) WHERE l.integration_id = i.id"
    "   ORDER BY l.asked_at DESC, l.id DESC LIMIT 1)" QUERY_TABLES
    " WHERE i.removed_at IS NULL AND m.enabled AND " IN_SCOPE("i.merchant_id") " AND (? OR " FAILED_BEFORE
                                                                               ") AND " FAILED_NOW
                                                                               " ORDER BY i.merchant_id, i.id";

enum { NOTIFICATIONS_AT_ONCE = 40 };

enum status console_notifications_find(const struct console_reader *reader, uint64_t id, struct notification_row *out) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_notification_find);
    sql_number(sql, id);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        notification_row_get(sql, reader->arena, out);
    }
    sql_end(sql);
    return status;
}

enum status console_notifications_of_order(const struct console_reader *reader, uint64_t order_id,
                                           void (*each)(void *context, const struct notification_row *notification),
                                           void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_notification_of_order);
    sql_number(sql, order_id);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct notification_row notification;
        notification_row_get(sql, reader->arena, &notification);
        each(context, &notification);
    }
    return sql_end_list(sql, status);
}

static enum status read_attempts(const struct console_reader *reader, struct sql *sql,
                                 void (*each)(void *context, const struct attempt_row *attempt), void *context) {
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct attempt_row attempt;
        attempt_row_get(sql, reader->arena, &attempt);
        each(context, &attempt);
    }
    return sql_end_list(sql, status);
}

enum status console_attempts_of_order(const struct console_reader *reader, uint64_t order_id,
                                      void (*each)(void *context, const struct attempt_row *attempt), void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_attempt_of_order);
    sql_number(sql, order_id);
    return read_attempts(reader, sql, each, context);
}

enum status console_attempts_of_merchant(const struct console_reader *reader, uint64_t merchant_id,
                                         void (*each)(void *context, const struct attempt_row *attempt),
                                         void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_attempt_of_merchant);
    sql_number(sql, merchant_id);
    return read_attempts(reader, sql, each, context);
}

enum status console_notifications_given_up(const struct console_reader *reader, uint64_t merchant_id, uint64_t *count) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_notification_given_up);
    sql_number(sql, merchant_id);
    bind_scope(sql, reader);
    return rows_one_number(sql, count);
}

/* Binds BEFORE. place->at is a value of the index that the list reads. */
static void bind_place(struct sql *sql, const struct console_place *place) {
    instant at = place->at == 0 ? INSTANT_LAST : place->at;
    sql_instant(sql, at);
    sql_instant(sql, at);
    sql_number(sql, id_before(place));
}

static bool is_by_state(const struct console_filter *filter) {
    return filter->state.size > 0 && !text_equal(filter->state, TEXT("delivered"));
}

static struct sql *begin_notification_list(const struct console_reader *reader, const struct console_filter *filter,
                                           uint64_t merchant_id, const struct console_place *place) {
    static const enum statement LISTS[2][2] = {
        {SQL_console_notification_list, SQL_console_notification_list_of_merchant},
        {SQL_console_notification_list_in_state, SQL_console_notification_list_of_merchant_in_state}};
    bool by_state = is_by_state(filter);
    struct sql *sql = sql_begin(reader->connection, LISTS[by_state][merchant_id != 0]);
    if (by_state) {
        sql_text(sql, filter->state);
    }
    if (merchant_id != 0) {
        sql_number(sql, merchant_id);
    }
    if (by_state || merchant_id != 0) {
        bind_place(sql, place);
    } else {
        sql_number(sql, id_before(place));
    }
    bind_scope(sql, reader);
    return sql;
}

static bool notification_passes(const struct notification_row *notification, const struct console_filter *filter) {
    return is_within(filter, notification->created_at) && is_asked_for(filter->state, notification->state) &&
           is_asked_for(filter->currency, notification->currency);
}

enum status console_notifications_list(const struct console_reader *reader, const struct console_filter *filter,
                                       struct console_place *place,
                                       bool (*each)(void *context, const struct notification_row *notification),
                                       void *context) {
    uint64_t merchant_id;
    place->ended = !find_merchant_of_list(reader, filter->merchant_id, &merchant_id);
    if (place->ended) {
        return STATUS_OK;
    }
    struct sql *sql = begin_notification_list(reader, filter, merchant_id, place);
    enum status status = sql_first(sql);
    size_t read = 0;
    bool goes_on = true;
    while (status == STATUS_OK && goes_on) {
        struct notification_row row;
        notification_row_get(sql, reader->arena, &row);
        *place = (struct console_place){row.id, is_by_state(filter) ? row.due_at : row.created_at, false};
        read++;
        goes_on = !notification_passes(&row, filter) || each(context, &row);
        status = goes_on ? sql_next(sql) : status;
    }
    place->ended = status == STATUS_NONE && read < NOTIFICATIONS_AT_ONCE;
    return sql_end_list(sql, status);
}

static enum status read_queries(const struct console_reader *reader, struct sql *sql,
                                void (*each)(void *context, const struct query_row *query), void *context) {
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct query_row query;
        query_row_get(sql, reader->arena, &query);
        each(context, &query);
    }
    return sql_end_list(sql, status);
}

enum status console_queries_of_order(const struct console_reader *reader, uint64_t order_id,
                                     void (*each)(void *context, const struct query_row *query), void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_query_of_order);
    sql_number(sql, order_id);
    return read_queries(reader, sql, each, context);
}

enum status console_queries_of_merchant(const struct console_reader *reader, uint64_t merchant_id,
                                        void (*each)(void *context, const struct query_row *query), void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_query_of_merchant);
    sql_number(sql, merchant_id);
    return read_queries(reader, sql, each, context);
}

enum status console_queries_of_reference(const struct console_reader *reader, struct text reference,
                                         void (*each)(void *context, const struct query_row *query), void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_query_of_reference);
    sql_text(sql, reference);
    return read_queries(reader, sql, each, context);
}

enum { FAILED_OF_MERCHANT_MAX = 5, FAILED_MAX = 50 };

enum status console_queries_failed(const struct console_reader *reader, bool twice,
                                   void (*each)(void *context, const struct failed_query *query), void *context,
                                   uint64_t *left_out) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_query_failed);
    bind_scope(sql, reader);
    sql_number(sql, !twice);
    uint64_t merchant_id = 0;
    size_t of_merchant = 0, shown = 0;
    *left_out = 0;
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct failed_query query;
        query_row_get(sql, reader->arena, &query.row);
        query.code = sql_get_text(sql, reader->arena);
        query.is_agreement = sql_get_number(sql) != 0;
        of_merchant = query.row.record.merchant_id == merchant_id ? of_merchant + 1 : 1;
        merchant_id = query.row.record.merchant_id;
        if (of_merchant <= FAILED_OF_MERCHANT_MAX && shown < FAILED_MAX) {
            each(context, &query);
            shown++;
        } else {
            ++*left_out;
        }
    }
    return sql_end_list(sql, status);
}
