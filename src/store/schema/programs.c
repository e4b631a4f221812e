#include "store/schema/programs.h"

#include "store/db/sql.h"
#include "store/schema/embedded.h"

#include <string.h>

const char sql_text_of_program_list[] =
    "SELECT CONCAT('TRIGGER ', TRIGGER_NAME) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT(ROUTINE_TYPE, ' ', ROUTINE_NAME) FROM information_schema.ROUTINES"
    "  WHERE ROUTINE_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT('VIEW ', TABLE_NAME) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE()";

static const struct text MAKES = TEXT("\nCREATE OR REPLACE ");

/* The next program that the foundation makes, as "TRIGGER orders_guard"; empty: there is no more. */
static struct text next_made(struct text *rest, struct arena *arena) {
    const char *found = memmem(rest->at, rest->size, MAKES.at, MAKES.size);
    if (found == NULL) {
        return (struct text){"", 0};
    }
    *rest = (struct text){found + MAKES.size, rest->size - (size_t)(found - rest->at) - MAKES.size};
    struct text kind = text_next_word(rest);
    if (text_equal(kind, TEXT("SQL"))) { /* SECURITY INVOKER VIEW */
        (void)text_next_word(rest);
        (void)text_next_word(rest);
        kind = text_next_word(rest);
    }
    struct text name = text_next_word(rest);
    return arena_print(arena, "%.*s %.*s", TEXT_ARGS(kind), TEXT_ARGS(name));
}

/* Each in a line of its own. */
static enum status list_programs(struct connection *connection, struct arena *arena, struct text *out) {
    struct sql *sql = sql_begin(connection, SQL_program_list);
    enum status status = sql_first(sql);
    *out = TEXT("\n");
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct text program = sql_get_text(sql, arena);
        *out = arena_print(arena, "%.*s%.*s\n", TEXT_ARGS(*out), TEXT_ARGS(program));
    }
    sql_end(sql);
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status programs_missing(struct connection *connection, struct arena *arena, struct text *missing) {
    struct text there, made, rest = embedded_programs;
    enum status status = list_programs(connection, arena, &there);
    *missing = (struct text){"", 0};
    while (status == STATUS_OK && (made = next_made(&rest, arena)).size > 0) {
        struct text line = arena_print(arena, "\n%.*s\n", TEXT_ARGS(made));
        if (memmem(there.at, there.size, line.at, line.size) == NULL) {
            *missing =
                arena_print(arena, "%.*s%s%.*s", TEXT_ARGS(*missing), missing->size > 0 ? ", " : "", TEXT_ARGS(made));
        }
    }
    return status;
}
