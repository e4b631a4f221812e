#include "store/operation/measures.h"

#include "store/db/sql.h"
#include "store/operation/seals.h"
#include "store/schema/schema.h"

/* The oldest of each merchant is one step in the index, however many wait. */
#define OLDEST_OF_EACH                                                                                                 \
    "(SELECT merchant_id, MIN(due_at) AS oldest FROM notifications FORCE INDEX (merchant)"                             \
    "  WHERE state = 'pending' AND due_at <= UTC_TIMESTAMP(6) GROUP BY merchant_id) q"                                 \
    " STRAIGHT_JOIN endpoints_now e ON e.merchant_id = q.merchant_id"

const char sql_text_of_measure_due[] =
    "SELECT e.reachable, TIMESTAMPDIFF(MICROSECOND, MIN(q.oldest), UTC_TIMESTAMP(6)) FROM " OLDEST_OF_EACH
    " GROUP BY e.reachable";

const char sql_text_of_measure_due_count[] =
    "SELECT COUNT(*) FROM (SELECT n.id FROM " OLDEST_OF_EACH " STRAIGHT_JOIN notifications n FORCE INDEX (merchant)"
    "    ON n.state = 'pending' AND n.merchant_id = q.merchant_id AND n.due_at <= UTC_TIMESTAMP(6)"
    " WHERE e.reachable = ? LIMIT ?) d";

const char sql_text_of_measure_endpoints[] = "SELECT COUNT(*), UTC_TIMESTAMP(6) FROM endpoints_now WHERE resting";

const char sql_text_of_measure_resting[] = "SELECT merchant FROM endpoints_now WHERE resting ORDER BY merchant LIMIT ?";

const char sql_text_of_measure_exhausted[] =
    "SELECT COUNT(*) FROM (SELECT id FROM notifications FORCE INDEX (due) WHERE state = 'exhausted' LIMIT ?) d";

const char sql_text_of_measure_windows[] =
    "SELECT COUNT(*), TIMESTAMPDIFF(MICROSECOND, MIN(window_ends_at), UTC_TIMESTAMP(6)) FROM"
    " (SELECT window_ends_at FROM transactions FORCE INDEX (window_end)"
    "   WHERE state = 'CONFIRMADA' AND window_ends_at <= UTC_TIMESTAMP(6) ORDER BY window_ends_at LIMIT ?) d";

const char sql_text_of_measure_expiries[] =
    "SELECT COUNT(*), TIMESTAMPDIFF(MICROSECOND, MIN(due_at), UTC_TIMESTAMP(6)) FROM"
    " (SELECT due_at FROM orders FORCE INDEX (due)"
    "   WHERE state = 'PENDIENTE' AND held_by IS NULL AND due_at <= UTC_TIMESTAMP(6) ORDER BY due_at LIMIT ?) d";

const char sql_text_of_measure_totals[] =
    "SELECT SUM(finalised), SUM(expired), SUM(delivered), SUM(to_be_tried_again), SUM(exhausted)"
    " FROM dispatcher_totals";

const char sql_text_of_measure_seals[] = "SELECT seal_wait()";

static struct overdue get_measured_overdue(struct sql *sql) {
    struct overdue overdue = {.count = sql_get_number(sql)};
    overdue.oldest = (duration)sql_get_number(sql);
    return overdue;
}

static enum status take_oldest_due(struct connection *connection, struct measures *out) {
    struct sql *sql = sql_begin(connection, SQL_measure_due);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        bool reachable = sql_get_number(sql) != 0;
        (reachable ? &out->due : &out->held)->oldest = (duration)sql_get_number(sql);
    }
    return sql_end_list(sql, status);
}

static enum status count_due(struct connection *connection, bool reachable, uint64_t most, struct overdue *out) {
    struct sql *sql = sql_begin(connection, SQL_measure_due_count);
    sql_number(sql, reachable);
    sql_number(sql, most);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->count = sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

static enum status read_due_notifications(struct connection *connection, struct measures *out) {
    enum status status = take_oldest_due(connection, out);
    if (status == STATUS_OK) {
        status = count_due(connection, true, out->count_max, &out->due);
    }
    return status == STATUS_OK ? count_due(connection, false, out->count_max, &out->held) : status;
}

static enum status read_endpoints(struct connection *connection, struct arena *arena, struct measures *out) {
    struct sql *sql = sql_begin(connection, SQL_measure_endpoints);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->resting = sql_get_number(sql);
        out->database_clock = sql_get_instant(sql);
    }
    sql_end(sql);
    if (status != STATUS_OK || out->resting == 0) {
        return status;
    }
    sql = sql_begin(connection, SQL_measure_resting);
    sql_number(sql, MEASURES_NAMES_MAX);
    for (status = sql_first(sql); status == STATUS_OK; status = sql_next(sql)) {
        out->resting_merchants[out->resting_count++] = sql_get_text(sql, arena);
    }
    return sql_end_list(sql, status);
}

static void take_refusing(void *of_measures, const struct refusing_merchant *merchant) {
    struct measures *out = of_measures;
    if (out->refusing_count < MEASURES_NAMES_MAX) {
        out->refusing_merchants[out->refusing_count++] = merchant->name;
    }
}

static enum status read_exhausted(struct connection *connection, struct measures *out) {
    struct sql *sql = sql_begin(connection, SQL_measure_exhausted);
    sql_number(sql, out->count_max);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->exhausted = sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

static enum status take_overdue(struct connection *connection, enum statement statement, uint64_t most,
                                struct overdue *out) {
    struct sql *sql = sql_begin(connection, statement);
    sql_number(sql, most);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        *out = get_measured_overdue(sql);
    }
    sql_end(sql);
    return status;
}

static enum status read_windows(struct connection *connection, struct measures *out) {
    return take_overdue(connection, SQL_measure_windows, out->count_max, &out->windows);
}

static enum status read_expiries(struct connection *connection, struct measures *out) {
    return take_overdue(connection, SQL_measure_expiries, out->count_max, &out->expiries);
}

static enum status read_stuck(struct connection *connection, struct measures *out) {
    return stuck_count(connection, &out->stuck);
}

static enum status read_totals(struct connection *connection, struct measures *out) {
    struct sql *sql = sql_begin(connection, SQL_measure_totals);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->totals.finalised = sql_get_number(sql);
        out->totals.expired = sql_get_number(sql);
        out->totals.delivered = sql_get_number(sql);
        out->totals.to_be_tried_again = sql_get_number(sql);
        out->totals.exhausted = sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

static enum status read_heartbeats(struct connection *connection, struct measures *out) {
    return health_heartbeats(connection, out->heartbeats);
}

static enum status read_backup_age(struct connection *connection, struct measures *out) {
    return health_backup(connection, &out->backup);
}

static enum status read_seals(struct connection *connection, struct measures *out) {
    struct sql *sql = sql_begin(connection, SQL_measure_seals);
    enum status status = sql_first(sql);
    out->unsealed = status == STATUS_OK ? (duration)sql_get_number(sql) : 0;
    sql_end(sql);
    return status == STATUS_OK ? seals_held(connection, &out->held_seals) : status;
}

static void keep_limit(void *context, const struct money_limit *limit) {
    struct measures *measures = context;
    if (measures->limit_count < MEASURES_LIMITS_MAX) {
        measures->limits[measures->limit_count++] = *limit;
    }
}

enum status measures_take(struct connection *connection, const struct settlement_schedule *schedule, uint64_t count_max,
                          struct arena *arena, struct measures *out) {
    static enum status (*const READ[])(struct connection *connection, struct measures *out) = {
        read_heartbeats, read_backup_age, read_due_notifications,
        read_stuck,      read_exhausted,  read_windows,
        read_expiries,   read_totals,     read_seals};
    *out = (struct measures){.count_max = count_max};
    enum status status = schema_version(connection, &out->schema_version);
    for (size_t i = 0; status == STATUS_OK && i < COUNT_OF(READ); i++) {
        status = READ[i](connection, out);
    }
    if (status == STATUS_OK) {
        status = settlement_delay_look(connection, schedule, &out->settlement);
    }
    if (status == STATUS_OK) {
        status = money_limits_list(connection, 0, arena, keep_limit, out);
    }
    if (status == STATUS_OK) {
        status = read_endpoints(connection, arena, out);
    }
    return status == STATUS_OK ? health_refusing(connection, arena, take_refusing, out) : status;
}
