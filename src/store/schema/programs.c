#include "store/schema/programs.h"

#include "store/schema/embedded.h"
#include "store/schema/schema_lines.h"

#include <string.h>

const char sql_text_of_program_list[] =
    "SELECT CONCAT('TRIGGER ', TRIGGER_NAME) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT(ROUTINE_TYPE, ' ', ROUTINE_NAME) FROM information_schema.ROUTINES"
    "  WHERE ROUTINE_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT('VIEW ', TABLE_NAME) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE()";

/* Each with its end as the foundation writes it: a trigger from its moment on, a routine from whose rights it has. */
const char sql_text_of_program_endings[] =
    "SELECT CONCAT('TRIGGER ', TRIGGER_NAME),"
    "  CONCAT(ACTION_TIMING, ' ', EVENT_MANIPULATION, ' ON ', EVENT_OBJECT_TABLE, ' FOR EACH ROW ', ACTION_STATEMENT)"
    "  FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT(ROUTINE_TYPE, ' ', ROUTINE_NAME),"
    "  CONCAT('SQL SECURITY ', SECURITY_TYPE, ' COMMENT ''', REPLACE(ROUTINE_COMMENT, '''', ''''''), ''' ',"
    "         ROUTINE_DEFINITION)"
    "  FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()";

static const struct text MAKES = TEXT("\nCREATE OR REPLACE ");

/* A program as the foundation makes it. */
struct made {
    struct text name;      /* "TRIGGER orders_guard"; empty: there is no more */
    struct text statement; /* from behind the name to the next program */
};

static struct made next_made(struct text *rest, struct arena *arena) {
    if (!cut_past(rest, MAKES)) {
        return (struct made){.name = {"", 0}};
    }
    struct text kind = text_next_word(rest);
    if (text_equal(kind, TEXT("SQL"))) { /* SECURITY INVOKER VIEW */
        (void)text_next_word(rest);
        (void)text_next_word(rest);
        kind = text_next_word(rest);
    }
    struct text name = text_next_word(rest);
    const char *end = memmem(rest->at, rest->size, MAKES.at, MAKES.size);
    return (struct made){.name = arena_print(arena, "%.*s %.*s", TEXT_ARGS(kind), TEXT_ARGS(name)),
                         .statement = {rest->at, end == NULL ? rest->size : (size_t)(end - rest->at)}};
}

enum status programs_missing(struct connection *connection, struct arena *arena, struct text *missing) {
    struct text there, rest = embedded_programs;
    struct made made;
    enum status status = lines_read(sql_begin(connection, SQL_program_list), arena, &there);
    *missing = (struct text){"", 0};
    while (status == STATUS_OK && (made = next_made(&rest, arena)).name.size > 0) {
        if (!lines_have(there, made.name, arena)) {
            list_add(missing, made.name, arena);
        }
    }
    return status;
}

static bool ends_with(struct text statement, struct text ending) {
    const char *found = memmem(statement.at, statement.size, ending.at, ending.size);
    return found != NULL && found + ending.size < statement.at + statement.size && found[ending.size] == ';';
}

static bool is_as_made(struct text name, struct text ending, struct arena *arena) {
    struct text rest = embedded_programs;
    struct made made = next_made(&rest, arena);
    while (made.name.size > 0 && !text_equal(made.name, name)) {
        made = next_made(&rest, arena);
    }
    return made.name.size > 0 && ends_with(sql_bare(made.statement, arena), sql_bare(ending, arena));
}

enum status programs_changed(struct connection *connection, struct arena *arena, struct text *changed) {
    struct sql *sql = sql_begin(connection, SQL_program_endings);
    enum status status = sql_first(sql);
    *changed = (struct text){"", 0};
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct text name = sql_get_text(sql, arena), ending = sql_get_text(sql, arena);
        if (!is_as_made(name, ending, arena)) {
            list_add(changed, name, arena);
        }
    }
    return sql_end_list(sql, status);
}
