#include "store/party/history.h"

#include "store/db/routine.h"

const char sql_text_of_history_end[] = "SELECT history_end(?, ?)";

enum status history_end(struct connection *connection, struct text kind, uint64_t id, uint64_t *out) {
    struct sql *sql = sql_begin(connection, SQL_history_end);
    sql_text(sql, kind);
    sql_number(sql, id);
    return routine_count(sql, out);
}
