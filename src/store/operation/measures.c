#include "store/operation/measures.h"

#include "store/db/rows.h"
#include "store/notification/stuck.h"
#include "store/operation/seals.h"
#include "store/schema/schema.h"

/* Finding each merchant's oldest takes one index lookup, however many wait. */
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

const char sql_text_of_measure_endpoints[] =
    "SELECT COUNT(*), UTC_TIMESTAMP(6) FROM endpoints_now e STRAIGHT_JOIN merchants m ON m.id = e.merchant_id"
    " WHERE e.resting AND m.enabled";

const char sql_text_of_measure_resting[] =
    "SELECT m.name, " SQL_AGE(e.failing_since) " FROM endpoints e STRAIGHT_JOIN merchants m ON m.id = e.merchant_id"
                                               " JOIN endpoints_now v ON v.merchant_id = m.id"
                                               " WHERE m.enabled AND v.resting ORDER BY m.name LIMIT ?";

const char sql_text_of_measure_exhausted[] =
    "SELECT COUNT(*) FROM (SELECT n.id FROM"
    "   (SELECT merchant_id, MIN(due_at) FROM notifications FORCE INDEX (merchant) WHERE state = 'exhausted'"
    "     GROUP BY merchant_id) q"
    "   STRAIGHT_JOIN merchants m ON m.id = q.merchant_id AND m.enabled"
    "   STRAIGHT_JOIN notifications n FORCE INDEX (merchant) ON n.state = 'exhausted' AND n.merchant_id = m.id"
    " LIMIT ?) d";

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

/* What the functions below read with. */
struct taking {
    struct connection *connection;
    const struct settlement_schedule *schedule;
    struct arena *arena;
};

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
    return rows_one_number(sql, &out->count);
}

static enum status read_due_notifications(const struct taking *taking, struct measures *out) {
    enum status status = take_oldest_due(taking->connection, out);
    if (status == STATUS_OK) {
        status = count_due(taking->connection, true, out->count_max, &out->due);
    }
    return status == STATUS_OK ? count_due(taking->connection, false, out->count_max, &out->held) : status;
}

static enum status read_endpoints(const struct taking *taking, struct measures *out) {
    struct sql *sql = sql_begin(taking->connection, SQL_measure_endpoints);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->resting = sql_get_number(sql);
        out->database_clock = sql_get_instant(sql);
    }
    sql_end(sql);
    if (status != STATUS_OK || out->resting == 0) {
        return status;
    }
    sql = sql_begin(taking->connection, SQL_measure_resting);
    sql_number(sql, MEASURES_NAMES_MAX);
    for (status = sql_first(sql); status == STATUS_OK; status = sql_next(sql)) {
        struct merchant_trouble *resting = &out->resting_merchants[out->resting_count++];
        resting->name = sql_get_text(sql, taking->arena);
        resting->age = (duration)sql_get_number(sql);
    }
    return sql_end_list(sql, status);
}

static void take_refusing(void *of_measures, const struct refusing_merchant *merchant) {
    struct measures *out = of_measures;
    if (out->refusing_count < MEASURES_NAMES_MAX) {
        out->refusing_merchants[out->refusing_count++] = (struct merchant_trouble){merchant->name, merchant->oldest};
    }
}

static enum status read_exhausted(const struct taking *taking, struct measures *out) {
    struct sql *sql = sql_begin(taking->connection, SQL_measure_exhausted);
    sql_number(sql, out->count_max);
    return rows_one_number(sql, &out->exhausted);
}

static enum status take_overdue(struct connection *connection, enum statement statement, uint64_t most,
                                struct overdue *out) {
    struct sql *sql = sql_begin(connection, statement);
    sql_number(sql, most);
    return rows_one_overdue(sql, out);
}

static enum status read_windows(const struct taking *taking, struct measures *out) {
    return take_overdue(taking->connection, SQL_measure_windows, out->count_max, &out->windows);
}

static enum status read_expiries(const struct taking *taking, struct measures *out) {
    return take_overdue(taking->connection, SQL_measure_expiries, out->count_max, &out->expiries);
}

static enum status read_stuck(const struct taking *taking, struct measures *out) {
    return stuck_count(taking->connection, &out->stuck);
}

static enum status read_totals(const struct taking *taking, struct measures *out) {
    struct sql *sql = sql_begin(taking->connection, SQL_measure_totals);
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

static enum status read_heartbeats(const struct taking *taking, struct measures *out) {
    return health_heartbeats(taking->connection, out->heartbeats);
}

static enum status read_backup_age(const struct taking *taking, struct measures *out) {
    return health_backup(taking->connection, &out->backup);
}

static enum status read_seals(const struct taking *taking, struct measures *out) {
    return seals_wait(taking->connection, &out->unsealed);
}

static enum status read_troubles(const struct taking *taking, struct measures *out) {
    return troubles_last(taking->connection, out->troubles);
}

static void keep_limit(void *context, const struct money_limit *limit) {
    struct measures *measures = context;
    if (measures->limit_count < MEASURES_LIMITS_MAX) {
        measures->limits[measures->limit_count++] = *limit;
    }
}

static enum status read_settlement(const struct taking *taking, struct measures *out) {
    return settlement_delay_look(taking->connection, taking->schedule, &out->settlement);
}

static enum status read_retention(const struct taking *taking, struct measures *out) {
    return retention_nights(taking->connection, out->retention);
}

static enum status read_money_limits(const struct taking *taking, struct measures *out) {
    return money_limits_list(taking->connection, 0, taking->arena, keep_limit, out);
}

static enum status read_refusing_merchants(const struct taking *taking, struct measures *out) {
    return health_refusing(taking->connection, taking->arena, take_refusing, out);
}

static void keep_refused_network(void *of_measures, const struct refused_network *network) {
    struct measures *out = of_measures;
    if (out->refused_count < MEASURES_NAMES_MAX) {
        out->refused_networks[out->refused_count++] = *network;
    }
}

static enum status read_refused_networks(const struct taking *taking, struct measures *out) {
    return refusals_of_networks(taking->connection, taking->arena, keep_refused_network, out);
}

enum status measures_take(struct connection *connection, const struct settlement_schedule *schedule, uint64_t count_max,
                          struct arena *arena, struct measures *out) {
    static enum status (*const READ[MEASURE_COUNT])(const struct taking *taking, struct measures *out) = {
        [MEASURE_HEARTBEATS] = read_heartbeats,
        [MEASURE_BACKUP] = read_backup_age,
        [MEASURE_DUE] = read_due_notifications,
        [MEASURE_STUCK] = read_stuck,
        [MEASURE_EXHAUSTED] = read_exhausted,
        [MEASURE_WINDOWS] = read_windows,
        [MEASURE_EXPIRIES] = read_expiries,
        [MEASURE_TOTALS] = read_totals,
        [MEASURE_SEALS] = read_seals,
        [MEASURE_TROUBLES] = read_troubles,
        [MEASURE_SETTLEMENT] = read_settlement,
        [MEASURE_RETENTION] = read_retention,
        [MEASURE_LIMITS] = read_money_limits,
        [MEASURE_ENDPOINTS] = read_endpoints,
        [MEASURE_REFUSING] = read_refusing_merchants,
        [MEASURE_REFUSED] = read_refused_networks};
    const struct taking taking = {connection, schedule, arena};
    *out = (struct measures){.count_max = count_max};
    enum status status = schema_version(connection, &out->schema_version);
    for (enum measure measure = 0; status == STATUS_OK && measure < MEASURE_COUNT; measure++) {
        status = READ[measure](&taking, out);
        out->refused[measure] = status == STATUS_FAULT;
        status = status == STATUS_FAULT ? STATUS_OK : status;
    }
    return status;
}

size_t measures_count_refused(const struct measures *measures) {
    size_t count = 0;
    for (enum measure measure = 0; measure < MEASURE_COUNT; measure++) {
        count += measures->refused[measure];
    }
    return count;
}
