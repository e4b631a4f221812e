#include "store/operation/health.h"

#include "store/db/routine.h"
#include "store/db/rows.h"
#include "store/notification/stuck.h"

/* Per merchant, because notifications for a resting endpoint are not late. */
const char sql_text_of_health_due[] =
    "SELECT d.held, SUM(d.due), TIMESTAMPDIFF(MICROSECOND, MIN(d.oldest), UTC_TIMESTAMP(6)) FROM"
    " (SELECT m.notify_url IS NULL OR e.resting_until IS NOT NULL AS held, q.due, q.oldest"
    "    FROM (SELECT merchant_id, COUNT(*) AS due, MIN(due_at) AS oldest FROM notifications FORCE INDEX (merchant)"
    "           WHERE state = 'pending' AND due_at <= UTC_TIMESTAMP(6) GROUP BY merchant_id) q"
    "    STRAIGHT_JOIN merchants m ON m.id = q.merchant_id LEFT JOIN endpoints e ON e.merchant_id = q.merchant_id) d"
    " GROUP BY d.held";

/* A lease ends within a minute, so the index bounds the search for leased ones. */
const char sql_text_of_health_counts[] =
    "SELECT (SELECT COUNT(*) FROM notifications FORCE INDEX (due) WHERE state = 'pending' AND lease IS NOT NULL"
    "          AND due_at > UTC_TIMESTAMP(6) AND due_at <= UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE),"
    " (SELECT COUNT(*) FROM (SELECT id FROM notifications WHERE state = 'exhausted' LIMIT ?) exhausted),"
    " (SELECT COUNT(*) FROM (SELECT id FROM notifications WHERE state = 'unaddressed' LIMIT ?) unaddressed),"
    " (SELECT COUNT(*) FROM (SELECT n.id FROM notifications n STRAIGHT_JOIN merchants m ON m.id = n.merchant_id"
    "    WHERE n.state = 'exhausted' AND m.enabled LIMIT ?) open)";

const char sql_text_of_health_windows[] =
    "SELECT COUNT(*), TIMESTAMPDIFF(MICROSECOND, MIN(window_ends_at), UTC_TIMESTAMP(6)),"
    " (SELECT order_id FROM transactions WHERE state = 'CONFIRMADA' ORDER BY window_ends_at LIMIT 1) FROM transactions"
    " WHERE state = 'CONFIRMADA' AND window_ends_at <= UTC_TIMESTAMP(6)";

/*
 * By a correct clock every window ends earlier, so the index bounds the search. Limits without a bound, which refuse
 * nothing, are counted too. A dispatcher counts the payments of each minute, also of one without payments, so a count
 * of a minute to come shows that it worked while the clock was ahead.
 */
const char sql_text_of_health_ahead[] =
    "SELECT COUNT(*), TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), MAX(window_ends_at)),"
    " (SELECT COUNT(DISTINCT network_id, currency) FROM network_rooms"
    "   WHERE day > UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE),"
    " (SELECT MAX(began_at) FROM payment_counts"
    "   WHERE span = 'minute' AND began_at > UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE),"
    " (SELECT MAX(opened_at) FROM settlements FORCE INDEX (is_open)"
    "   WHERE is_open = 1 AND opened_at > UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE)"
    " FROM transactions"
    " FORCE INDEX (window_end) WHERE state = 'CONFIRMADA' AND confirmed_at > UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE"
    "   AND window_ends_at > UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE"
    "                        + INTERVAL (SELECT cancel_window FROM settings WHERE id = 1) MICROSECOND";

const char sql_text_of_health_expiries[] =
    "SELECT COUNT(*), TIMESTAMPDIFF(MICROSECOND, MIN(due_at), UTC_TIMESTAMP(6)) FROM orders FORCE INDEX (due)"
    " WHERE state = 'PENDIENTE' AND held_by IS NULL AND due_at <= UTC_TIMESTAMP(6)";

const char sql_text_of_health_without_room[] =
    "SELECT COUNT(*) FROM transactions t STRAIGHT_JOIN accounts a ON a.id = t.account_id"
    " WHERE t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6)"
    "   AND a.balance > 999999999999999.9999 - t.amount";

#define FAILING_FOR SQL_AGE(e.failing_since)

const char sql_text_of_health_resting[] =
    "SELECT m.name, e.failures, e.resting_until, e.resting_until <= UTC_TIMESTAMP(6),"
    "       (SELECT COUNT(*) FROM notifications n FORCE INDEX (merchant)"
    "         WHERE n.state = 'pending' AND n.merchant_id = e.merchant_id),"
    "       " FAILING_FOR "  FROM endpoints e STRAIGHT_JOIN merchants m ON m.id = e.merchant_id"
    " WHERE e.resting_until IS NOT NULL AND m.enabled AND m.notify_url IS NOT NULL"
    " ORDER BY m.name LIMIT 1000";

const char sql_text_of_health_refusing[] =
    "SELECT merchant, failed, TIMESTAMPDIFF(MICROSECOND, oldest_at, UTC_TIMESTAMP(6)) FROM merchants_refusing"
    " ORDER BY merchant LIMIT 1000";

/* A leased notification is due at the end of its lease. */
const char sql_text_of_health_retries[] =
    "SELECT COUNT(*) FROM (SELECT id FROM notifications FORCE INDEX (due)"
    "  WHERE state = 'pending' AND due_at > UTC_TIMESTAMP(6) AND attempts > 0 LIMIT ?) d";

#define SEEN_AGO     SQL_AGE(MAX(seen_at))
#define SEEN_IS_PAST SQL_IS_PAST(seen_at)

#define IS_RUNNING "ended_at IS NULL AND seen_at > UTC_TIMESTAMP(6) - INTERVAL 30 SECOND"

/* In releases before the column `task`, one process did both tasks. */
#define RUNNING(task) "SUM(" IS_RUNNING " AND COALESCE(task, '" task "') = '" task "'), "
#define RUNNING_EACH  RUNNING("settle") RUNNING("deliver")

const char sql_text_of_health_dispatchers[] =
    "SELECT host, MAX(seen_at), " SEEN_AGO ", " RUNNING_EACH " SUM(IF(" IS_RUNNING ", in_flight, 0)) FROM dispatchers"
    " WHERE seen_at > UTC_TIMESTAMP(6) - INTERVAL 1 DAY AND " SEEN_IS_PAST " GROUP BY host ORDER BY 2 DESC";

/* One index lookup for each task. */
#define LAST_SEEN(task) "(SELECT " SEEN_AGO " FROM dispatchers WHERE task = '" task "' AND " SEEN_IS_PAST ")"

const char sql_text_of_health_heartbeat[] = "SELECT " LAST_SEEN("settle") ", " LAST_SEEN("deliver");

const char sql_text_of_health_write[] = "SELECT write_try()";

const char sql_text_of_health_may_write[] = "SELECT COUNT(*) FROM information_schema.ROUTINES"
                                            " WHERE ROUTINE_SCHEMA = DATABASE() AND ROUTINE_NAME = 'write_try'";

const char sql_text_of_health_read_only[] = "SELECT " SQL_READ_ONLY;

#define SAVED_AGO         SQL_AGE(MAX(at))
#define SAVED_IS_PAST     SQL_IS_PAST(at)
#define FIRST_PAYMENT_AGO SQL_AGE(MIN(registered_at))

const char sql_text_of_health_backup[] =
    "SELECT (SELECT " SAVED_AGO " FROM last_done WHERE what = 'backup' AND " SAVED_IS_PAST "),"
    " (SELECT " FIRST_PAYMENT_AGO " FROM transactions)";

static enum status look_at_due(struct connection *connection, struct health *out) {
    struct sql *sql = sql_begin(connection, SQL_health_due);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        bool held = sql_get_number(sql) != 0;
        *(held ? &out->held : &out->due) = rows_get_overdue(sql);
    }
    return sql_end_list(sql, status);
}

static enum status look_at_counts(struct connection *connection, struct health *out) {
    struct sql *sql = sql_begin(connection, SQL_health_counts);
    for (int i = 0; i < 3; i++) {
        sql_number(sql, HEALTH_COUNT_MAX);
    }
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->in_flight = sql_get_number(sql);
        out->exhausted = sql_get_number(sql);
        out->unaddressed = sql_get_number(sql);
        out->exhausted_open = sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

static enum status look_at_windows(struct connection *connection, struct health *out) {
    struct sql *sql = sql_begin(connection, SQL_health_windows);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->windows = rows_get_overdue(sql);
        out->oldest_order = sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

static enum status look_at_ahead(struct connection *connection, struct health *out) {
    struct sql *sql = sql_begin(connection, SQL_health_ahead);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->ahead = rows_get_overdue(sql);
        out->limits_ahead = sql_get_number(sql);
        out->was_ahead_until = sql_get_instant(sql);
        out->settlement_opened_ahead = sql_get_instant(sql);
    }
    sql_end(sql);
    return status;
}

enum status health_look(struct connection *connection, struct health *out) {
    *out = (struct health){.in_flight = 0};
    enum status status = look_at_due(connection, out);
    if (status == STATUS_OK) {
        status = look_at_counts(connection, out);
    }
    if (status == STATUS_OK) {
        status = stuck_count(connection, &out->stuck);
    }
    if (status == STATUS_OK) {
        status = look_at_windows(connection, out);
    }
    if (status == STATUS_OK) {
        status = look_at_ahead(connection, out);
    }
    return status == STATUS_OK ? rows_one_overdue(sql_begin(connection, SQL_health_expiries), &out->expiries) : status;
}

enum status health_without_room(struct connection *connection, uint64_t *count) {
    struct sql *sql = sql_begin(connection, SQL_health_without_room);
    return rows_one_number(sql, count);
}

enum status health_resting(struct connection *connection, struct arena *arena,
                           void (*each)(void *context, const struct resting_endpoint *endpoint), void *context) {
    struct sql *sql = sql_begin(connection, SQL_health_resting);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct resting_endpoint endpoint;
        endpoint.merchant = sql_get_text(sql, arena);
        endpoint.failures = sql_get_number(sql);
        endpoint.until = sql_get_instant(sql);
        endpoint.is_probed = sql_get_number(sql) != 0;
        endpoint.pending = sql_get_number(sql);
        endpoint.failing_for = (duration)sql_get_number(sql);
        each(context, &endpoint);
    }
    return sql_end_list(sql, status);
}

enum status health_refusing(struct connection *connection, struct arena *arena,
                            void (*each)(void *context, const struct refusing_merchant *merchant), void *context) {
    struct sql *sql = sql_begin(connection, SQL_health_refusing);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct refusing_merchant merchant = {.name = sql_get_text(sql, arena)};
        merchant.failed = sql_get_number(sql);
        merchant.oldest = (duration)sql_get_number(sql);
        each(context, &merchant);
    }
    return sql_end_list(sql, status);
}

enum status health_retries(struct connection *connection, uint64_t most, uint64_t *count) {
    struct sql *sql = sql_begin(connection, SQL_health_retries);
    sql_number(sql, most);
    return rows_one_number(sql, count);
}

enum status health_dispatchers(struct connection *connection, struct arena *arena,
                               void (*each)(void *context, const struct dispatcher_host *host), void *context) {
    struct sql *sql = sql_begin(connection, SQL_health_dispatchers);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct dispatcher_host host;
        host.host = sql_get_text(sql, arena);
        host.seen_at = sql_get_instant(sql);
        host.seen_ago = (duration)sql_get_number(sql);
        host.settling = sql_get_number(sql);
        host.delivering = sql_get_number(sql);
        host.in_flight = sql_get_number(sql);
        each(context, &host);
    }
    return sql_end_list(sql, status);
}

enum status health_heartbeats(struct connection *connection, struct heartbeat out[TASK_COUNT]) {
    struct sql *sql = sql_begin(connection, SQL_health_heartbeat);
    enum status status = sql_first(sql);
    for (enum dispatch_task task = 0; status == STATUS_OK && task < TASK_COUNT; task++) {
        out[task].seen = !sql_is_null(sql);
        out[task].ago = (duration)sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

/* An account sees only the functions that it may call. */
static bool may_try_write(struct connection *connection) {
    uint64_t seen = 0;
    enum status status = routine_count(sql_begin(connection, SQL_health_may_write), &seen);
    return status != STATUS_OK || seen > 0;
}

enum database_writes health_try_write(struct connection *connection) {
    uint64_t has_room;
    enum status status = routine_count(sql_begin(connection, SQL_health_write), &has_room);
    if (status == STATUS_OK) {
        return has_room > 0 ? WRITES_ACCEPTED : WRITES_REFUSED;
    }
    if (status != STATUS_FAULT) {
        return WRITES_REFUSED;
    }
    return may_try_write(connection) ? WRITES_FAILED : WRITES_UNTRIED;
}

enum status health_read_only(struct connection *connection, bool *out) {
    return rows_one_bool(sql_begin(connection, SQL_health_read_only), out);
}

enum status health_backup(struct connection *connection, struct backup_age *out) {
    struct sql *sql = sql_begin(connection, SQL_health_backup);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->is_noted = !sql_is_null(sql);
        duration backup = (duration)sql_get_number(sql);
        out->is_known = out->is_noted || !sql_is_null(sql);
        out->ago = out->is_noted ? backup : (duration)sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

bool backup_is_old(const struct backup_age *backup) {
    return backup->is_known && backup->ago > 26 * HOUR;
}
