#include "store/schema/server_terms.h"

#include "store/db/sql.h"

const char sql_text_of_server_terms[] = "SELECT cancel_window, @@GLOBAL.secure_timestamp FROM settings WHERE id = 1";

enum status server_terms_read(struct connection *connection, struct arena *arena, struct server_terms *out) {
    struct sql *sql = sql_begin(connection, SQL_server_terms);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->cancel_window = (duration)sql_get_number(sql);
        out->secure_timestamp = sql_get_text(sql, arena);
    }
    sql_end(sql);
    return status;
}

struct text server_terms_other_window(const struct server_terms *terms, duration configured, struct arena *arena) {
    if (terms->cancel_window == configured) {
        return TEXT("");
    }
    return arena_print(arena,
                       "[worker] cancel_window is %g s, and the database goes by %g s: run recaudoctl db migrate, "
                       "which writes the configured one into it, or put the setting back",
                       (double)configured / SECOND, (double)terms->cancel_window / SECOND);
}

bool server_terms_lets_sessions_misdate(const struct server_terms *terms) {
    return text_equal(terms->secure_timestamp, TEXT("NO"));
}
