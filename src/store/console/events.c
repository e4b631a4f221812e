#include "store/console/events.h"

#include "store/console/scoped.h"
#include "store/operation/event_row.h"

#define COLUMNS "e.id, e.subject, e.subject_id, " EVENT_COLUMNS

/* A payment's event, as the order's. */
#define COLUMNS_OF_ORDER "e.id, 'order', t.order_id, " EVENT_COLUMNS_OF_ORDER

const char sql_text_of_console_event_of_order[] =
    "SELECT " COLUMNS " FROM orders o STRAIGHT_JOIN event_log e FORCE INDEX (subject)"
    " ON e.subject = 'order' AND e.subject_id = o.id WHERE o.id = ? AND " IN_SCOPE(
        "o.merchant_id") " UNION ALL SELECT " COLUMNS_OF_ORDER
                         " FROM orders o STRAIGHT_JOIN transactions t ON t.order_id = o.id" EVENTS_OF_PAYMENT
                         " WHERE o.id = ? AND " IN_SCOPE("o.merchant_id") " ORDER BY id LIMIT 300";

const char sql_text_of_console_event_of_notifications[] =
    "SELECT " COLUMNS " FROM notifications n FORCE INDEX (order_status) STRAIGHT_JOIN event_log e FORCE INDEX (subject)"
    " ON e.subject = 'notification' AND e.subject_id = n.id WHERE n.order_id = ? AND " IN_SCOPE(
        "n.merchant_id") " ORDER BY e.id LIMIT 300";

#define OWN_MERCHANT "(? = 1 OR (e.subject = 'merchant' AND e.subject_id = ?))"

const char sql_text_of_console_event_list[] =
    "SELECT " COLUMNS " FROM event_log e FORCE INDEX (PRIMARY) WHERE e.id < ? AND " FOR_ALL
    " ORDER BY e.id DESC LIMIT 900";

const char sql_text_of_console_event_list_of_subject[] =
    "SELECT " COLUMNS " FROM event_log e FORCE INDEX (subject)"
    " WHERE e.subject = ? AND e.subject_id = ? AND e.id < ? AND " OWN_MERCHANT " UNION ALL SELECT " COLUMNS_OF_ORDER
    " FROM transactions t" EVENTS_OF_PAYMENT " WHERE ? = 'order' AND t.order_id = ? AND e.id < ? AND " FOR_ALL
    " ORDER BY id DESC LIMIT 900";

enum { EVENTS_AT_ONCE = 900 };

static void get_console_event(struct sql *sql, struct arena *arena, struct console_event *out) {
    out->id = sql_get_number(sql);
    out->subject = sql_get_text(sql, arena);
    out->subject_id = sql_get_number(sql);
    event_get(sql, arena, &out->event);
}

static enum status walk_events(const struct console_reader *reader, struct sql *sql,
                               void (*each)(void *context, const struct console_event *event), void *context) {
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct console_event event;
        get_console_event(sql, reader->arena, &event);
        each(context, &event);
    }
    return sql_end_list(sql, status);
}

enum status console_events_of_order(const struct console_reader *reader, uint64_t order_id,
                                    void (*each)(void *context, const struct console_event *event), void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_event_of_order);
    sql_number(sql, order_id);
    bind_scope(sql, reader);
    sql_number(sql, order_id);
    return walk_events(reader, sql, each, context);
}

enum status console_events_of_notifications(const struct console_reader *reader, uint64_t order_id,
                                            void (*each)(void *context, const struct console_event *event),
                                            void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_event_of_notifications);
    sql_number(sql, order_id);
    return walk_events(reader, sql, each, context);
}

static struct sql *begin_event_list(const struct console_reader *reader, const struct console_event_filter *filter,
                                    const struct console_place *place) {
    bool of_subject = filter->subject.size > 0 && filter->subject_id != 0;
    struct sql *sql =
        sql_begin(reader->connection, of_subject ? SQL_console_event_list_of_subject : SQL_console_event_list);
    for (int half = 0; half < (of_subject ? 2 : 1); half++) {
        if (of_subject) {
            sql_text(sql, filter->subject);
            sql_number(sql, filter->subject_id);
        }
        sql_number(sql, id_before(place));
        bind_scope(sql, reader);
    }
    return sql;
}

static bool event_passes(const struct console_event *event, const struct console_event_filter *filter) {
    const struct console_filter times = {.since = filter->since, .until = filter->until};
    return is_within(&times, event->event.at) && is_asked_for(filter->subject, event->subject) &&
           (filter->subject_id == 0 || filter->subject_id == event->subject_id) &&
           is_asked_for(filter->actor, event->event.actor) && is_asked_for(filter->what, event->event.what);
}

/* A reader of one merchant's rows may not list the whole log. */
static bool may_list(const struct console_reader *reader, const struct console_event_filter *filter) {
    return reader->scope.everything ||
           (filter->subject_id != 0 && filter->subject_id == reader->scope.merchant_id && filter->subject.size > 0);
}

enum status console_events_list(const struct console_reader *reader, const struct console_event_filter *filter,
                                struct console_place *place,
                                bool (*each)(void *context, const struct console_event *event), void *context) {
    place->ended = !may_list(reader, filter);
    if (place->ended) {
        return STATUS_OK;
    }
    struct sql *sql = begin_event_list(reader, filter, place);
    enum status status = sql_first(sql);
    size_t read = 0;
    bool goes_on = true;
    while (status == STATUS_OK && goes_on) {
        struct console_event event;
        get_console_event(sql, reader->arena, &event);
        *place = (struct console_place){event.id, event.event.at, false};
        read++;
        goes_on = !event_passes(&event, filter) || each(context, &event);
        status = goes_on ? sql_next(sql) : status;
    }
    place->ended = status == STATUS_NONE && read < EVENTS_AT_ONCE;
    return sql_end_list(sql, status);
}
