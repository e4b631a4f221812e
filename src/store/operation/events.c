#include "store/operation/event_row.h"

const char sql_text_of_event_list[] =
    "SELECT e.id, " EVENT_COLUMNS " FROM event_log e WHERE e.subject = ? AND e.subject_id = ?"
    " UNION ALL SELECT e.id, " EVENT_COLUMNS_OF_ORDER " FROM transactions t" EVENTS_OF_PAYMENT
    " WHERE ? = 'order' AND t.order_id = ? ORDER BY id";

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
    for (int half = 0; half < 2; half++) {
        sql_text(sql, subject);
        sql_number(sql, subject_id);
    }
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct event event;
        (void)sql_get_number(sql); /* for ORDER BY */
        event_get(sql, arena, &event);
        each(context, &event);
    }
    return sql_end_list(sql, status);
}
