#include "store/db/batch.h"

#include "store/db/json.h"

enum status batch_read(struct sql *sql, uint64_t limit, struct arena *arena, struct text *ids, uint64_t *count) {
    struct json json = json_begin(arena, '[');
    *count = 0;
    enum status status = sql_first(sql);
    for (; status == STATUS_OK && *count < limit; status = sql_next(sql)) {
        json_number(&json, sql_get_number(sql));
        (*count)++;
    }
    if (status != STATUS_NONE) {
        return status;
    }
    *ids = json_end(&json, ']');
    return *count == 0 ? STATUS_NONE : STATUS_OK;
}

enum status batch_lock(struct connection *connection, enum statement statement, uint64_t limit, struct arena *arena,
                       struct text *ids, uint64_t *count) {
    struct sql *sql = sql_begin(connection, statement);
    sql_number(sql, limit);
    enum status status = batch_read(sql, limit, arena, ids, count);
    sql_end(sql);
    return status;
}

enum status batch_run(struct connection *connection, enum statement statement, struct text ids, uint64_t *matched) {
    struct sql *sql = sql_begin(connection, statement);
    sql_text(sql, ids);
    enum status status = sql_run(sql, matched);
    sql_end(sql);
    return status;
}
