#include "store/schema/programs.h"

#include "store/db/sql.h"
#include "store/schema/embedded.h"

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

/* Those who may call a routine, whatever host they are of. */
const char sql_text_of_program_callers[] =
    "SELECT CONCAT(UPPER(Routine_type), ' ', Routine_name, ' for ', User) FROM mysql.procs_priv"
    " WHERE Db = DATABASE() AND FIND_IN_SET('Execute', Proc_priv)";

/* The routines that this account may call: it sees no others. */
const char sql_text_of_program_own[] =
    "SELECT CONCAT(ROUTINE_TYPE, ' ', ROUTINE_NAME, ' for ', ?) FROM information_schema.ROUTINES"
    " WHERE ROUTINE_SCHEMA = DATABASE()";

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
    struct text there, rest = embedded_programs;
    struct made made;
    enum status status = list_lines(sql_begin(connection, SQL_program_list), arena, &there);
    *missing = (struct text){"", 0};
    while (status == STATUS_OK && (made = next_made(&rest, arena)).name.size > 0) {
        if (!has_line(there, made.name, arena)) {
            add_to_list(missing, made.name, arena);
        }
    }
    return status;
}

/* Past a comment, a quoted text or one other byte. */
static const char *token_end(const char *at, const char *end) {
    if (end - at > 1 && at[0] == '-' && at[1] == '-') {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        return line == NULL ? end : line;
    }
    const char *quote = *at == '\'' ? memchr(at + 1, '\'', (size_t)(end - at - 1)) : NULL;
    return quote == NULL ? at + 1 : quote + 1;
}

/* Without comments, which the mariadb client drops when it restores a dump, and with single spaces. */
static struct text bare(struct text sql, struct arena *arena) {
    char *out = arena_alloc(arena, sql.size + 1);
    size_t size = 0;
    const char *end = sql.at + sql.size;
    for (const char *at = sql.at, *next; at < end; at = next) {
        next = token_end(at, end);
        bool is_space = *at == ' ' || *at == '\n' || (*at == '-' && next > at + 1);
        if (!is_space) {
            memcpy(out + size, at, (size_t)(next - at));
            size += (size_t)(next - at);
        } else if (size > 0 && out[size - 1] != ' ') {
            out[size++] = ' ';
        }
    }
    while (size > 0 && out[size - 1] == ' ') {
        size--;
    }
    return (struct text){out, size};
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
    return made.name.size > 0 && ends_with(bare(made.statement, arena), bare(ending, arena));
}

enum status programs_changed(struct connection *connection, struct arena *arena, struct text *changed) {
    struct sql *sql = sql_begin(connection, SQL_program_endings);
    enum status status = sql_first(sql);
    *changed = (struct text){"", 0};
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct text name = sql_get_text(sql, arena), ending = sql_get_text(sql, arena);
        if (!is_as_made(name, ending, arena)) {
            add_to_list(changed, name, arena);
        }
    }
    return sql_end_list(sql, status);
}

/* The next right that grants.sql gives, as "FUNCTION payment_confirm for recaudo_worker"; empty: there is no more. */
static struct text next_caller(struct text *rest, struct arena *arena) {
    static const struct text GIVES = TEXT("\nGRANT EXECUTE ON ");
    if (!cut_past(rest, GIVES)) {
        return (struct text){"", 0};
    }
    struct text kind = text_next_word(rest), name = text_next_word(rest), account = {"", 0};
    const char *end = cut_past(rest, TEXT("'")) ? memchr(rest->at, '\'', rest->size) : NULL;
    if (end != NULL) {
        account = (struct text){rest->at, (size_t)(end - rest->at)};
        *rest = (struct text){end, rest->size - account.size};
    }
    return arena_print(arena, "%.*s %.*s for %.*s", TEXT_ARGS(kind), TEXT_ARGS(name), TEXT_ARGS(account));
}

/* Whether such a right is this account's; "": anybody's. */
static bool is_right_of(struct text right, const char *account) {
    size_t size = strlen(account);
    return right.size >= size && memcmp(right.at + right.size - size, account, size) == 0;
}

/* What grants.sql gives and is not a line of `callers`; of one account only, or of all (""). */
static enum status find_not_given(struct sql *callers, const char *account, struct arena *arena, struct text *missing) {
    struct text there, given, rest = embedded_grants;
    enum status status = list_lines(callers, arena, &there);
    *missing = (struct text){"", 0};
    while (status == STATUS_OK && (given = next_caller(&rest, arena)).size > 0) {
        if (is_right_of(given, account) && !has_line(there, given, arena)) {
            add_to_list(missing, given, arena);
        }
    }
    return status;
}

enum status programs_not_allowed(struct connection *connection, struct arena *arena, struct text *missing) {
    return find_not_given(sql_begin(connection, SQL_program_callers), "", arena, missing);
}

enum status programs_not_allowed_here(struct connection *connection, const char *account, struct arena *arena,
                                      struct text *missing) {
    struct sql *callers = sql_begin(connection, SQL_program_own);
    sql_text(callers, text_of(account));
    return find_not_given(callers, account, arena, missing);
}
