#include "store/operation/settlement_delay.h"

#include "base/zone/zone_day.h"
#include "domain/instant.h"
#include "domain/settlement.h"
#include "store/db/rows.h"

const char sql_text_of_settlement_delay[] =
    "SELECT UTC_TIMESTAMP(6), (SELECT opened_at FROM settlements FORCE INDEX (is_open) WHERE is_open = 1), COUNT(*),"
    " " SQL_AGE(MIN(closed_at)) " FROM settlements WHERE state = 'closed' AND digest IS NULL";

const char sql_text_of_settlement_uncollected[] =
    "SELECT COUNT(*), " SQL_AGE(MIN(at)) " FROM (SELECT at FROM settlement_items FORCE INDEX (settlement)"
                                         " WHERE settlement IS NULL ORDER BY at LIMIT 500) waiting";

const char sql_text_of_settlement_of_day[] =
    "SELECT closed_at FROM settlements FORCE INDEX (day) WHERE zone = ? AND day = ?";

const char sql_text_of_settlement_zones[] =
    "SELECT number, zone FROM settlements WHERE closed_by = 'dispatcher'"
    " AND closed_at > UTC_TIMESTAMP(6) - INTERVAL 2 DAY ORDER BY number DESC LIMIT 2";

struct times {
    instant now, opened_at;
};

static enum status read(struct connection *connection, struct times *times, struct settlement_delay *out) {
    struct sql *sql = sql_begin(connection, SQL_settlement_delay);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        times->now = sql_get_instant(sql);
        times->opened_at = sql_get_instant(sql);
        out->unsummed = rows_get_overdue(sql);
    }
    sql_end(sql);
    return status;
}

/* STATUS_NONE: the day has no settlement. */
static enum status find_closing(struct connection *connection, const char *zone, instant day, instant *closed_at) {
    char text[INSTANT_TEXT_SIZE];
    struct sql *sql = sql_begin(connection, SQL_settlement_of_day);
    sql_text(sql, text_of(zone));
    sql_text(sql, instant_date(day, text));
    return rows_one_instant(sql, closed_at);
}

enum status settlement_delay_look(struct connection *connection, const struct settlement_schedule *schedule,
                                  struct settlement_delay *out) {
    struct times times = {.now = 0};
    instant cut, day;
    *out = (struct settlement_delay){.closing = 0};
    enum status status = read(connection, &times, out);
    status = status == STATUS_OK
                 ? rows_one_overdue(sql_begin(connection, SQL_settlement_uncollected), &out->uncollected)
                 : status;
    if (status != STATUS_OK || schedule->close_at == ZONE_TIME_OFF ||
        !zone_cut(schedule->zone, schedule->close_at, times.now, &cut, &day) ||
        settlement_follows_cut(times.opened_at, cut, times.now)) {
        return status;
    }
    status = find_closing(connection, schedule->zone, day, &out->taken_at);
    if (status == STATUS_NONE) {
        out->closing = times.now - cut;
    }
    out->day = day;
    /* A clock that was ahead has left more than that: ctl/status/ahead_status.h. */
    out->taken_at = times.opened_at > times.now ? 0 : out->taken_at;
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status settlement_zones_look(struct connection *connection, struct arena *arena, struct settlement_zone out[2]) {
    struct sql *sql = sql_begin(connection, SQL_settlement_zones);
    enum status status = sql_first(sql);
    out[0].number = out[1].number = 0;
    for (size_t i = 0; status == STATUS_OK; i++) {
        out[i].number = sql_get_number(sql);
        out[i].zone = sql_get_text(sql, arena);
        status = sql_next(sql);
    }
    return sql_end_list(sql, status);
}
