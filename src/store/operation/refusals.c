#include "store/operation/refusals.h"

#include "store/db/routine.h"

enum { HOURS_LATELY = 2, HOURS_OF_DAY = 24 };

const char sql_text_of_refusal_note[] = "SELECT refusals_note(?, ?)";

#define HOURS_BACK "DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:00:00') - INTERVAL ? - 1 HOUR"

const char sql_text_of_console_refusal_count_list[] =
    "SELECT code, SUM(IF(began_at >= " HOURS_BACK ", refusals, 0)), SUM(refusals) AS of_day FROM refusal_counts"
    " WHERE began_at >= " HOURS_BACK " GROUP BY code ORDER BY of_day DESC, code LIMIT 100";

#define LAST_AGO     SQL_AGE(last_at)
#define LAST_IS_PAST SQL_IS_PAST(last_at)

const char sql_text_of_refusal_last[] =
    "SELECT refusals, began_at, " LAST_AGO " FROM refusal_counts WHERE code = ? AND " LAST_IS_PAST
    " ORDER BY began_at DESC LIMIT 1";

const char sql_text_of_network_refused_note[] = "SELECT network_refused_note(?, ?)";

const char sql_text_of_network_served_note[] = "SELECT network_served_note(?)";

const char sql_text_of_network_refused_list[] =
    "SELECT network, code, " SQL_AGE(since) " FROM networks_refused ORDER BY network, code LIMIT 1000";

enum status refusals_note(struct connection *connection, const char *code, uint64_t more) {
    struct sql *sql = sql_begin(connection, SQL_refusal_note);
    sql_text(sql, text_of(code));
    sql_number(sql, more);
    return routine_call(sql);
}

enum status refusals_note_network(struct connection *connection, uint64_t network_id, const char *code) {
    struct sql *sql = sql_begin(connection, SQL_network_refused_note);
    sql_number(sql, network_id);
    sql_text(sql, text_of(code));
    return routine_call(sql);
}

enum status refusals_note_served(struct connection *connection, uint64_t network_id) {
    struct sql *sql = sql_begin(connection, SQL_network_served_note);
    sql_number(sql, network_id);
    return routine_call(sql);
}

enum status refusals_of_networks(struct connection *connection, struct arena *arena,
                                 void (*each)(void *context, const struct refused_network *network), void *context) {
    struct sql *sql = sql_begin(connection, SQL_network_refused_list);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct refused_network network;
        network.name = sql_get_text(sql, arena);
        network.code = sql_get_text(sql, arena);
        network.age = (duration)sql_get_number(sql);
        each(context, &network);
    }
    return sql_end_list(sql, status);
}

enum status refusals_last(struct connection *connection, const char *code, struct last_refusals *last) {
    struct sql *sql = sql_begin(connection, SQL_refusal_last);
    sql_text(sql, text_of(code));
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        last->count = sql_get_number(sql);
        last->hour = sql_get_instant(sql);
        last->ago = (duration)sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

/* Workers count refusals every ten seconds. */
enum status refusals_alarm(struct connection *connection, enum alarming_refusal alarm, bool *is_on,
                           struct last_refusals *last) {
    static const struct {
        const char *code;
        duration lately;
    } ALARMS[ALARM_COUNT] = {[ALARM_TRY_AGAIN] = {"0028", MINUTE},
                             [ALARM_FAULT] = {"0009", 5 * MINUTE},
                             [ALARM_LIMIT] = {"0113", 5 * MINUTE}};
    enum status status = refusals_last(connection, ALARMS[alarm].code, last);
    *is_on = status == STATUS_OK && last->ago < ALARMS[alarm].lately;
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status refusals_list(struct connection *connection, struct arena *arena,
                          void (*each)(void *context, const struct refusal_count *count), void *context) {
    struct sql *sql = sql_begin(connection, SQL_console_refusal_count_list);
    sql_number(sql, HOURS_LATELY);
    sql_number(sql, HOURS_OF_DAY);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct refusal_count count;
        count.code = sql_get_text(sql, arena);
        count.lately = sql_get_number(sql);
        count.of_day = sql_get_number(sql);
        each(context, &count);
    }
    return sql_end_list(sql, status);
}
