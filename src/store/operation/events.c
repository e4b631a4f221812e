#include "store/operation/events.h"

#include "store/db/sql.h"

const char sql_text_of_event_list[] = "SELECT at, what, from_state, to_state, actor, reason, changes FROM events"
                                      " WHERE subject = ? AND subject_id = ? ORDER BY id";

enum status events_list(struct connection *connection, struct text subject, uint64_t subject_id, struct arena *arena,
                        void (*each)(void *context, const struct event *event), void *context) {
    struct sql *sql = sql_begin(connection, SQL_event_list);
    sql_text(sql, subject);
    sql_number(sql, subject_id);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct event event;
        event.at = sql_get_instant(sql);
        event.what = sql_get_text(sql, arena);
        event.from = sql_get_text(sql, arena);
        event.to = sql_get_text(sql, arena);
        event.actor = sql_get_text(sql, arena);
        event.reason = sql_get_text(sql, arena);
        event.changes = sql_get_text(sql, arena);
        each(context, &event);
    }
    return sql_end_list(sql, status);
}
