#include "store/operation/seals.h"

#include "store/db/batch.h"
#include "store/db/routine.h"
#include "store/db/rows.h"

#define SEAL_COLUMNS                                                                                                   \
    "number, form, CAST(sealed_at AS CHAR), first_id, last_id, count, late, events, digest, key_id, signature"

const char sql_text_of_seal_last[] = "SELECT " SEAL_COLUMNS ", '' FROM seals ORDER BY number DESC LIMIT 1";

const char sql_text_of_seal_find[] = "SELECT " SEAL_COLUMNS ", marks FROM seals WHERE number = ?";

const char sql_text_of_seal_after[] =
    "SELECT " SEAL_COLUMNS ", marks FROM seals WHERE number > ? ORDER BY number LIMIT ?";

const char sql_text_of_seal_list[] = "SELECT " SEAL_COLUMNS ", '' FROM seals ORDER BY number DESC LIMIT ?";

const char sql_text_of_seal_with_late[] =
    "SELECT " SEAL_COLUMNS ", '' FROM seals WHERE number > ? AND late <> '' ORDER BY number";

const char sql_text_of_seal_made_after[] =
    "SELECT " SEAL_COLUMNS ", '' FROM seals FORCE INDEX (sealed_at)"
    " WHERE sealed_at >= ? AND (sealed_at > ? OR number > ?) ORDER BY sealed_at, number LIMIT ?";

const char sql_text_of_seal_made_within[] =
    "SELECT " SEAL_COLUMNS ", '' FROM seals FORCE INDEX (sealed_at)"
    " WHERE sealed_at > CAST(? AS DATETIME(6)) - INTERVAL ? MICROSECOND"
    " AND sealed_at <= CAST(? AS DATETIME(6)) - INTERVAL ? MICROSECOND AND number > ? ORDER BY number LIMIT ?";

const char sql_text_of_seal_clock[] =
    "SELECT CAST(GREATEST(UTC_TIMESTAMP(6), COALESCE(MAX(sealed_at), UTC_TIMESTAMP(6))) AS CHAR),"
    " TIMESTAMPDIFF(MICROSECOND, MAX(sealed_at), UTC_TIMESTAMP(6)) FROM seals";

const char sql_text_of_seal_wait[] = "SELECT seal_wait()";

const char sql_text_of_seal_log_is_gone[] =
    "SELECT (SELECT MAX(id) FROM orders) IS NOT NULL AND (SELECT MAX(id) FROM event_log) IS NULL";

const char sql_text_of_seal_append[] =
    "INSERT INTO seals (number, form, sealed_at, first_id, last_id, count, late, events, digest, key_id, signature,"
    " marks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/* An event's fields as they are digested. Instants are texts too, so that an invalid one is digested unchanged. */
#define EVENT_FIELDS                                                                                                   \
    "e.id, e.subject_id, e.version, CAST(e.at AS CHAR), e.subject, e.what, e.from_state, e.to_state, e.actor,"         \
    " e.db_account, e.reason, e.changes, e.order_id, e.order_version"

const char sql_text_of_seal_events[] =
    "SELECT " EVENT_FIELDS ", e.at > UTC_TIMESTAMP(6) - INTERVAL ? MICROSECOND AND e.at <= UTC_TIMESTAMP(6)"
    " FROM event_log e WHERE e.id BETWEEN ? AND ? ORDER BY e.id LIMIT ?";

const char sql_text_of_seal_events_among[] =
    "SELECT " EVENT_FIELDS " FROM " BATCH
    " STRAIGHT_JOIN event_log e FORCE INDEX (PRIMARY) ON e.id = batch.id ORDER BY e.id";

const char sql_text_of_seal_count_events[] = "SELECT COUNT(*) FROM event_log WHERE id BETWEEN ? AND ?";

const char sql_text_of_seal_event_ids[] = "SELECT id FROM event_log WHERE id BETWEEN ? AND ? ORDER BY id";

const char sql_text_of_seal_unsealed_since[] =
    "SELECT CONCAT(REPLACE(CAST(at AS CHAR), ' ', 'T'), 'Z') FROM event_log WHERE id > ? ORDER BY id LIMIT 1";

static void get_seal(struct sql *sql, struct arena *arena, struct seal_row *out) {
    out->number = sql_get_number(sql);
    out->form = sql_get_number(sql);
    out->sealed_at = sql_get_text(sql, arena);
    out->first_id = sql_get_number(sql);
    out->last_id = sql_get_number(sql);
    out->count = sql_get_number(sql);
    out->late = sql_get_text(sql, arena);
    out->events = sql_get_text(sql, arena);
    out->digest = sql_get_text(sql, arena);
    out->key_id = sql_get_text(sql, arena);
    out->signature = sql_get_text(sql, arena);
    out->marks = sql_get_text(sql, arena);
}

static enum status find_seal(struct sql *sql, struct arena *arena, struct seal_row *out) {
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        get_seal(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

/* Runs a statement for many seals, whose parameters are bound, and ends it. */
static enum status each_seal(struct sql *sql, struct arena *arena, seal_taker *each, void *context) {
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct seal_row row;
        get_seal(sql, arena, &row);
        each(context, &row);
    }
    return sql_end_list(sql, status);
}

enum status seals_last(struct connection *connection, struct arena *arena, struct seal_row *out) {
    return find_seal(sql_begin(connection, SQL_seal_last), arena, out);
}

enum status seals_find(struct connection *connection, uint64_t number, struct arena *arena, struct seal_row *out) {
    struct sql *sql = sql_begin(connection, SQL_seal_find);
    sql_number(sql, number);
    return find_seal(sql, arena, out);
}

enum status seals_after(struct connection *connection, uint64_t number, struct arena *arena, seal_taker *each,
                        void *context) {
    struct sql *sql = sql_begin(connection, SQL_seal_after);
    sql_number(sql, number);
    sql_number(sql, SEALS_AT_ONCE);
    return each_seal(sql, arena, each, context);
}

enum status seals_list(struct connection *connection, uint64_t limit, struct arena *arena, seal_taker *each,
                       void *context) {
    struct sql *sql = sql_begin(connection, SQL_seal_list);
    sql_number(sql, limit);
    return each_seal(sql, arena, each, context);
}

enum status seals_with_late(struct connection *connection, uint64_t number, struct arena *arena, seal_taker *each,
                            void *context) {
    struct sql *sql = sql_begin(connection, SQL_seal_with_late);
    sql_number(sql, number);
    return each_seal(sql, arena, each, context);
}

enum status seals_made_after(struct connection *connection, struct seal_place place, struct arena *arena,
                             seal_taker *each, void *context) {
    struct text from = place.sealed_at.size > 0 ? place.sealed_at : TEXT("1970-01-01 00:00:00");
    struct sql *sql = sql_begin(connection, SQL_seal_made_after);
    sql_text(sql, from);
    sql_text(sql, from);
    sql_number(sql, place.number);
    sql_number(sql, SEALS_AT_ONCE);
    return each_seal(sql, arena, each, context);
}

enum status seals_made_within(struct connection *connection, const struct seal_interval *interval, struct arena *arena,
                              seal_taker *each, void *context) {
    struct sql *sql = sql_begin(connection, SQL_seal_made_within);
    sql_text(sql, interval->since);
    sql_number(sql, (uint64_t)interval->age);
    sql_text(sql, interval->now);
    sql_number(sql, (uint64_t)interval->age);
    sql_number(sql, interval->number);
    sql_number(sql, SEALS_AT_ONCE);
    return each_seal(sql, arena, each, context);
}

enum status seals_clock(struct connection *connection, struct arena *arena, struct seal_clock *out) {
    struct sql *sql = sql_begin(connection, SQL_seal_clock);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->now = sql_get_text(sql, arena);
        out->has_last = !sql_is_null(sql);
        out->since_last = (duration)sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

enum status seals_wait(struct connection *connection, duration *out) {
    struct sql *sql = sql_begin(connection, SQL_seal_wait);
    enum status status = sql_first(sql);
    *out = status == STATUS_OK ? (duration)sql_get_number(sql) : 0;
    sql_end(sql);
    return status;
}

static enum status append_once(struct connection *connection, void *context) {
    const struct seal_row *row = context;
    struct sql *sql = sql_begin(connection, SQL_seal_append);
    sql_number(sql, row->number);
    sql_number(sql, row->form);
    sql_text(sql, row->sealed_at);
    sql_number(sql, row->first_id);
    sql_number(sql, row->last_id);
    sql_number(sql, row->count);
    sql_text(sql, row->late);
    sql_text(sql, row->events);
    sql_text(sql, row->digest);
    sql_text_or_null(sql, row->key_id);
    sql_text_or_null(sql, row->signature);
    sql_bytes(sql, row->marks.at, row->marks.size);
    return sql_run_and_end(sql);
}

enum status seals_append(struct connection *connection, const struct seal_row *row) {
    struct seal_row copy = *row;
    return sql_transact(connection, append_once, &copy);
}

enum status seals_log_is_gone(struct connection *connection, bool *out) {
    return rows_one_bool(sql_begin(connection, SQL_seal_log_is_gone), out);
}

static void get_event(struct sql *sql, struct arena *scratch, struct logged_event *out) {
    out->id = sql_get_number(sql);
    out->subject_id = sql_get_number(sql);
    out->has_version = !sql_is_null(sql);
    out->version = sql_get_number(sql);
    out->at = sql_get_text(sql, scratch);
    out->subject = sql_get_text(sql, scratch);
    for (size_t i = 0; i < EVENT_TEXTS; i++) {
        out->texts[i] = sql_get_text(sql, scratch);
    }
    out->has_order = !sql_is_null(sql);
    out->order_id = sql_get_number(sql);
    out->has_order_version = !sql_is_null(sql);
    out->order_version = sql_get_number(sql);
}

enum status seals_events(struct connection *connection, struct event_span *span, struct arena *scratch,
                         event_taker *each, void *context) {
    struct sql *sql = sql_begin(connection, SQL_seal_events);
    sql_number(sql, (uint64_t)span->young);
    sql_number(sql, span->first_id);
    sql_number(sql, span->last_id);
    sql_number(sql, span->limit);
    span->held_back = false;
    enum status status = sql_first(sql);
    for (; status == STATUS_OK && !span->held_back; status = sql_next(sql)) {
        struct logged_event event;
        arena_reset(scratch);
        get_event(sql, scratch, &event);
        span->held_back = sql_get_number(sql) != 0 && span->young > 0;
        if (!span->held_back) {
            each(context, &event);
        }
    }
    return sql_end_list(sql, status);
}

enum status seals_events_among(struct connection *connection, struct text ids, struct arena *scratch, event_taker *each,
                               void *context) {
    struct sql *sql = sql_begin(connection, SQL_seal_events_among);
    sql_text(sql, ids);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct logged_event event;
        arena_reset(scratch);
        get_event(sql, scratch, &event);
        each(context, &event);
    }
    return sql_end_list(sql, status);
}

enum status seals_count_events(struct connection *connection, uint64_t first_id, uint64_t last_id, uint64_t *count) {
    struct sql *sql = sql_begin(connection, SQL_seal_count_events);
    sql_number(sql, first_id);
    sql_number(sql, last_id);
    return rows_one_number(sql, count);
}

enum status seals_unsealed_since(struct connection *connection, uint64_t last_id, struct arena *arena,
                                 struct text *since) {
    struct sql *sql = sql_begin(connection, SQL_seal_unsealed_since);
    sql_number(sql, last_id);
    return rows_one_text(sql, arena, since);
}

enum status seals_event_ids(struct connection *connection, uint64_t first_id, uint64_t last_id,
                            void (*each)(void *context, uint64_t id), void *context) {
    struct sql *sql = sql_begin(connection, SQL_seal_event_ids);
    sql_number(sql, first_id);
    sql_number(sql, last_id);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        each(context, sql_get_number(sql));
    }
    return sql_end_list(sql, status);
}
