#include "store/operation/reload_notes.h"

#include "store/db/routine.h"

const char sql_text_of_reload_note[] = "SELECT reload_note(?)";

const char sql_text_of_reload_refused[] =
    "SELECT COALESCE(GROUP_CONCAT(host ORDER BY host SEPARATOR ', '), '') FROM last_done"
    " WHERE what = 'reload' AND at > UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE";

enum status reload_notes_add(struct connection *connection, const char *host) {
    struct sql *sql = sql_begin(connection, SQL_reload_note);
    sql_text(sql, text_of(host));
    uint64_t written;
    return routine_count(sql, &written);
}

enum status reload_notes_read(struct connection *connection, struct arena *arena, struct text *out) {
    struct sql *sql = sql_begin(connection, SQL_reload_refused);
    enum status status = sql_first(sql);
    *out = status == STATUS_OK ? sql_get_text(sql, arena) : TEXT("");
    sql_end(sql);
    return status;
}
