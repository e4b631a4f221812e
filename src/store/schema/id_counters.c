#include "store/schema/id_counters.h"

#include "store/db/sql.h"

#include <inttypes.h>

/* More than the schema will ever have. */
enum { TABLES_MAX = 200 };

const char sql_text_of_id_counter_list[] = "SELECT name, next_id, greatest FROM id_counters ORDER BY name LIMIT ?";

enum status id_counters_list(struct connection *connection, struct arena *arena, struct id_counter **out,
                             size_t *count) {
    struct id_counter *counters = arena_alloc(arena, TABLES_MAX * sizeof *counters);
    struct sql *sql = sql_begin(connection, SQL_id_counter_list);
    sql_number(sql, TABLES_MAX);
    enum status status = sql_first(sql);
    for (*count = 0; status == STATUS_OK; status = sql_next(sql)) {
        struct id_counter *counter = &counters[(*count)++];
        counter->table = sql_get_text(sql, arena);
        counter->next = sql_get_number(sql);
        counter->greatest = sql_get_number(sql);
    }
    sql_end(sql);
    *out = counters;
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status id_counters_skip(struct connection *connection, uint64_t margin, struct arena *arena) {
    return sql_script(connection, "ids_skip", arena_print(arena, "CALL ids_skip(%" PRIu64 ")", margin));
}
