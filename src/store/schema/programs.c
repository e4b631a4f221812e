#include "store/schema/programs.h"

#include "store/db/sql.h"
#include "store/schema/embedded.h"

#include <string.h>

const char sql_text_of_program_list[] =
    "SELECT CONCAT('TRIGGER ', TRIGGER_NAME) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT(ROUTINE_TYPE, ' ', ROUTINE_NAME) FROM information_schema.ROUTINES"
    "  WHERE ROUTINE_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT('VIEW ', TABLE_NAME) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE()";

/* Those who may call a routine, whatever host they are of. */
const char sql_text_of_program_callers[] =
    "SELECT CONCAT(UPPER(Routine_type), ' ', Routine_name, ' for ', User) FROM mysql.procs_priv"
    " WHERE Db = DATABASE() AND FIND_IN_SET('Execute', Proc_priv)";

static const struct text MAKES = TEXT("\nCREATE OR REPLACE ");

/* Cuts the text up to the mark, and the mark, off the front of *rest. False: it is not there. */
static bool cut_past(struct text *rest, struct text mark) {
    const char *found = memmem(rest->at, rest->size, mark.at, mark.size);
    if (found == NULL) {
        return false;
    }
    *rest = (struct text){found + mark.size, rest->size - (size_t)(found - rest->at) - mark.size};
    return true;
}

/* The next program that the foundation makes, as "TRIGGER orders_guard"; empty: there is no more. */
static struct text next_made(struct text *rest, struct arena *arena) {
    if (!cut_past(rest, MAKES)) {
        return (struct text){"", 0};
    }
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
static enum status list_lines(struct sql *sql, struct arena *arena, struct text *out) {
    enum status status = sql_first(sql);
    *out = TEXT("\n");
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct text program = sql_get_text(sql, arena);
        *out = arena_print(arena, "%.*s%.*s\n", TEXT_ARGS(*out), TEXT_ARGS(program));
    }
    sql_end(sql);
    return status == STATUS_NONE ? STATUS_OK : status;
}

static bool has_line(struct text lines, struct text line, struct arena *arena) {
    struct text whole = arena_print(arena, "\n%.*s\n", TEXT_ARGS(line));
    return memmem(lines.at, lines.size, whole.at, whole.size) != NULL;
}

static void add_to_list(struct text *list, struct text one, struct arena *arena) {
    *list = arena_print(arena, "%.*s%s%.*s", TEXT_ARGS(*list), list->size > 0 ? ", " : "", TEXT_ARGS(one));
}

enum status programs_missing(struct connection *connection, struct arena *arena, struct text *missing) {
    struct text there, made, rest = embedded_programs;
    enum status status = list_lines(sql_begin(connection, SQL_program_list), arena, &there);
    *missing = (struct text){"", 0};
    while (status == STATUS_OK && (made = next_made(&rest, arena)).size > 0) {
        if (!has_line(there, made, arena)) {
            add_to_list(missing, made, arena);
        }
    }
    return status;
}

/* The next right that grants.sql gives, as "FUNCTION payment_confirm for recaudo_worker"; empty: there is no more. */
static struct text next_caller(struct text *rest, struct arena *arena) {
    static const struct text GIVES = TEXT("\nGRANT EXECUTE ON ");
    if (!cut_past(rest, GIVES)) {
        return (struct text){"", 0};
    }
    struct text kind = text_next_word(rest), name = text_next_word(rest);
    (void)text_next_word(rest); /* TO */
    struct text account = text_next_word(rest);
    const char *end = account.size < 2 ? NULL : memchr(account.at + 1, '\'', account.size - 1);
    int size = end == NULL ? 0 : (int)(end - account.at - 1);
    return arena_print(arena, "%.*s %.*s for %.*s", TEXT_ARGS(kind), TEXT_ARGS(name), size, account.at + 1);
}

enum status programs_not_allowed(struct connection *connection, struct arena *arena, struct text *missing) {
    struct text there, given, rest = embedded_grants;
    enum status status = list_lines(sql_begin(connection, SQL_program_callers), arena, &there);
    *missing = (struct text){"", 0};
    while (status == STATUS_OK && (given = next_caller(&rest, arena)).size > 0) {
        if (!has_line(there, given, arena)) {
            add_to_list(missing, given, arena);
        }
    }
    return status;
}
