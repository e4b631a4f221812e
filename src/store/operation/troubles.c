#include "store/operation/troubles.h"

#include "store/db/routine.h"
#include "store/db/rows.h"

const char sql_text_of_trouble_note[] = "SELECT trouble_note(?, ?)";

const char sql_text_of_trouble_was_noted[] =
    "SELECT COUNT(*) FROM last_done"
    " WHERE what = ? AND host = ? AND at > UTC_TIMESTAMP(6) - INTERVAL ? MICROSECOND AND " SQL_IS_PAST(at);

const char sql_text_of_trouble_hosts[] =
    "SELECT COALESCE(GROUP_CONCAT(host ORDER BY host SEPARATOR ', ' LIMIT 20), '') FROM last_done"
    " WHERE what = ? AND at > UTC_TIMESTAMP(6) - INTERVAL ? MICROSECOND AND " SQL_IS_PAST(at);

/* In the order of enum trouble. */
#define AGE(what) "(SELECT " SQL_AGE(MAX(at)) " FROM last_done WHERE what = '" what "' AND " SQL_IS_PAST(at) ")"

const char sql_text_of_trouble_last[] =
    "SELECT " AGE("held") ", " AGE("reload") ", " AGE("unrecorded") ", " AGE("seal_file") ", " AGE("rights");

const char sql_text_of_worker_note[] = "SELECT trouble_note('serving', ?)";

#define SERVED_AGO     SQL_AGE(at)
#define SERVED_IS_PAST SQL_IS_PAST(at)

/* Those dated in the future come last. */
const char sql_text_of_worker_hosts[] =
    "SELECT host, IF(" SERVED_IS_PAST ", " SERVED_AGO ", NULL) AS ago FROM last_done WHERE what = 'serving'"
    " ORDER BY ago IS NULL, at DESC LIMIT 1000";

static struct text trouble_word(enum trouble trouble) {
    static const char *const WORDS[] = {[TROUBLE_HELD] = "held",
                                        [TROUBLE_RELOAD] = "reload",
                                        [TROUBLE_UNRECORDED] = "unrecorded",
                                        [TROUBLE_SEAL_FILE] = "seal_file",
                                        [TROUBLE_RIGHTS] = "rights"};
    return text_of(WORDS[trouble]);
}

/* Workers repeat their notes every ten seconds. A dispatcher that cannot record outcomes retries every half minute, and
 * its successor at its start. Each dispatcher checks its seal_file in every interval of [audit] seal_every. */
duration trouble_lasts(enum trouble trouble, duration seal_every) {
    const duration times[TROUBLE_COUNT] = {[TROUBLE_HELD] = 3 * seal_every,
                                           [TROUBLE_RELOAD] = MINUTE,
                                           [TROUBLE_UNRECORDED] = 2 * MINUTE,
                                           [TROUBLE_SEAL_FILE] = 3 * seal_every,
                                           [TROUBLE_RIGHTS] = MINUTE};
    return times[trouble];
}

bool trouble_is_on(const struct heartbeat *noted, enum trouble trouble, duration seal_every) {
    return noted->seen && noted->ago < trouble_lasts(trouble, seal_every);
}

enum status troubles_note(struct connection *connection, enum trouble trouble, struct text host) {
    struct sql *sql = sql_begin(connection, SQL_trouble_note);
    sql_text(sql, trouble_word(trouble));
    sql_text(sql, host);
    return routine_call(sql);
}

enum status troubles_was_noted(struct connection *connection, enum trouble trouble, struct text host, duration within,
                               bool *out) {
    struct sql *sql = sql_begin(connection, SQL_trouble_was_noted);
    sql_text(sql, trouble_word(trouble));
    sql_text(sql, host);
    sql_number(sql, (uint64_t)within);
    return rows_one_bool(sql, out);
}

enum status troubles_last(struct connection *connection, struct heartbeat out[TROUBLE_COUNT]) {
    struct sql *sql = sql_begin(connection, SQL_trouble_last);
    enum status status = sql_first(sql);
    for (enum trouble trouble = 0; status == STATUS_OK && trouble < TROUBLE_COUNT; trouble++) {
        out[trouble].seen = !sql_is_null(sql);
        out[trouble].ago = (duration)sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

enum status troubles_hosts(struct connection *connection, enum trouble trouble, duration within, struct arena *arena,
                           struct text *out) {
    struct sql *sql = sql_begin(connection, SQL_trouble_hosts);
    sql_text(sql, trouble_word(trouble));
    sql_number(sql, (uint64_t)within);
    return rows_one_text(sql, arena, out);
}

enum status workers_note(struct connection *connection, struct text host) {
    struct sql *sql = sql_begin(connection, SQL_worker_note);
    sql_text(sql, host);
    return routine_call(sql);
}

enum status workers_hosts(struct connection *connection, struct arena *arena,
                          void (*each)(void *context, struct text host, duration ago), void *context) {
    struct sql *sql = sql_begin(connection, SQL_worker_hosts);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct text host = sql_get_text(sql, arena);
        each(context, host, sql_is_null(sql) ? SERVED_UNKNOWN : (duration)sql_get_number(sql));
    }
    return sql_end_list(sql, status);
}
