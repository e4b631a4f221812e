#include "store/operation/event_row.h"

const char sql_text_of_event_list[] =
    "SELECT " EVENT_COLUMNS " FROM events e WHERE e.subject = ? AND e.subject_id = ? ORDER BY e.id";

void event_get(struct sql *sql, struct arena *arena, struct event *out) {
    out->at = sql_get_instant(sql);
    out->what = sql_get_text(sql, arena);
    out->from = sql_get_text(sql, arena);
    out->to = sql_get_text(sql, arena);
    out->actor = sql_get_text(sql, arena);
    out->reason = sql_get_text(sql, arena);
    out->changes = sql_get_text(sql, arena);
}

enum status events_list(struct connection *connection, struct text subject, uint64_t subject_id, struct arena *arena,
                        void (*each)(void *context, const struct event *event), void *context) {
    struct sql *sql = sql_begin(connection, SQL_event_list);
    sql_text(sql, subject);
    sql_number(sql, subject_id);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct event event;
        event_get(sql, arena, &event);
        each(context, &event);
    }
    return sql_end_list(sql, status);
}
