#include "store/schema/programs.h"

#include "store/schema/embedded.h"
#include "store/schema/schema_lines.h"

#include <string.h>

const char sql_text_of_program_list[] =
    "SELECT CONCAT('TRIGGER ', TRIGGER_NAME) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT(ROUTINE_TYPE, ' ', LOWER(ROUTINE_NAME)) FROM information_schema.ROUTINES"
    "  WHERE ROUTINE_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT('VIEW ', TABLE_NAME) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE()";

/* The foundation gives this to some parameters, and the database to all others. */
#define USUAL_LETTERS " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"

/* The type of a parameter, or of the result, as the foundation writes it; without USUAL_LETTERS. */
#define TYPE_OF_PARAMETER                                                                                              \
    "IF(p.DTD_IDENTIFIER = 'tinyint(1)', 'BOOLEAN',"                                                                   \
    "   REGEXP_REPLACE(UPPER(p.DTD_IDENTIFIER), 'INT\\\\([0-9]+\\\\)', 'INT')),"                                       \
    "REPLACE(COALESCE(CONCAT(' CHARACTER SET ', p.CHARACTER_SET_NAME, ' COLLATE ', p.COLLATION_NAME), ''),"            \
    "        '" USUAL_LETTERS "', '')"

/* Each program with the end of its statement as the foundation writes it: a trigger from its timing on, a routine from
 * its parameters on, which are without USUAL_LETTERS, a view whole. The foundation creates no scheduled events. */
const char sql_text_of_program_endings[] =
    "SELECT CONCAT('TRIGGER ', TRIGGER_NAME),"
    "  CONCAT(ACTION_TIMING, ' ', EVENT_MANIPULATION, ' ON ', EVENT_OBJECT_TABLE, ' FOR EACH ROW ', ACTION_STATEMENT)"
    "  FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT(r.ROUTINE_TYPE, ' ', r.ROUTINE_NAME),"
    "  CONCAT('(', COALESCE(GROUP_CONCAT(IF(p.ORDINAL_POSITION = 0, NULL,"
    "      CONCAT(IF(r.ROUTINE_TYPE = 'PROCEDURE', CONCAT(p.PARAMETER_MODE, ' '), ''), p.PARAMETER_NAME, ' ',"
    "             " TYPE_OF_PARAMETER ")) ORDER BY p.ORDINAL_POSITION SEPARATOR ', '), ''), ')',"
    "    MAX(IF(p.ORDINAL_POSITION = 0, CONCAT(' RETURNS ', " TYPE_OF_PARAMETER "), '')),"
    "    IF(r.IS_DETERMINISTIC = 'YES', ' DETERMINISTIC ', ' NOT DETERMINISTIC '), r.SQL_DATA_ACCESS,"
    "    ' SQL SECURITY ', r.SECURITY_TYPE, ' COMMENT ''', REPLACE(r.ROUTINE_COMMENT, '''', ''''''), ''' ',"
    "    r.ROUTINE_DEFINITION)"
    "  FROM information_schema.ROUTINES r LEFT JOIN information_schema.PARAMETERS p"
    "    ON p.SPECIFIC_SCHEMA = r.ROUTINE_SCHEMA AND p.SPECIFIC_NAME = r.SPECIFIC_NAME"
    "   AND p.ROUTINE_TYPE = r.ROUTINE_TYPE"
    "  WHERE r.ROUTINE_SCHEMA = DATABASE() GROUP BY r.ROUTINE_TYPE, r.ROUTINE_NAME"
    " UNION ALL SELECT CONCAT('VIEW ', TABLE_NAME),"
    "  CONCAT('SQL SECURITY ', SECURITY_TYPE, ' VIEW ', TABLE_NAME, ' AS ', VIEW_DEFINITION)"
    "  FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT('EVENT ', EVENT_NAME), EVENT_DEFINITION FROM information_schema.EVENTS"
    "  WHERE EVENT_SCHEMA = DATABASE()";

/* The programs whose DEFINER is not that of most programs. */
const char sql_text_of_program_owners[] =
    "WITH programs AS ("
    "  SELECT CONCAT('TRIGGER ', TRIGGER_NAME) AS name, DEFINER AS owner FROM information_schema.TRIGGERS"
    "   WHERE TRIGGER_SCHEMA = DATABASE()"
    "  UNION ALL SELECT CONCAT(ROUTINE_TYPE, ' ', ROUTINE_NAME), DEFINER FROM information_schema.ROUTINES"
    "   WHERE ROUTINE_SCHEMA = DATABASE()"
    "  UNION ALL SELECT CONCAT('VIEW ', TABLE_NAME), DEFINER FROM information_schema.VIEWS"
    "   WHERE TABLE_SCHEMA = DATABASE())"
    " SELECT name, owner FROM programs"
    "  WHERE owner <> (SELECT owner FROM programs GROUP BY owner ORDER BY COUNT(*) DESC LIMIT 1)";

/* Keeps the triggers of one table and event together, in the order in which they run. */
const char sql_text_of_program_turns[] =
    "SELECT CONCAT(EVENT_OBJECT_TABLE, ' ', ACTION_TIMING, ' ', EVENT_MANIPULATION) AS event,"
    "  CONCAT('TRIGGER ', TRIGGER_NAME) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()"
    " ORDER BY event, ACTION_ORDER LIMIT ?";

static const struct text MAKES = TEXT("\nCREATE OR REPLACE ");

/* A program as the foundation creates it. */
struct made {
    struct text name;      /* "TRIGGER orders_guard"; empty: no more programs */
    struct text statement; /* from after the name to the next program; of a view, from SQL SECURITY on */
};

static struct made next_made(struct text *rest, struct arena *arena) {
    if (!cut_past(rest, MAKES)) {
        return (struct made){.name = {"", 0}};
    }
    const char *begin = rest->at;
    struct text kind = text_next_word(rest);
    bool is_view = text_equal(kind, TEXT("SQL"));
    if (is_view) { /* SECURITY INVOKER VIEW */
        (void)text_next_word(rest);
        (void)text_next_word(rest);
        kind = text_next_word(rest);
    }
    struct text name = text_next_word(rest);
    const char *next = memmem(rest->at, rest->size, MAKES.at, MAKES.size),
               *end = next == NULL ? rest->at + rest->size : next;
    begin = is_view ? begin : rest->at;
    return (struct made){.name = arena_print(arena, "%.*s %.*s", TEXT_ARGS(kind), TEXT_ARGS(name)),
                         .statement = {begin, (size_t)(end - begin)}};
}

/* Lists the foundation's programs that the database has, or those that it does not have. */
static enum status list_made(struct connection *connection, struct arena *arena, bool are_there, struct text *list) {
    struct text there, rest = embedded_programs;
    struct made made;
    enum status status = lines_read(sql_begin(connection, SQL_program_list), arena, &there);
    *list = (struct text){"", 0};
    while (status == STATUS_OK && (made = next_made(&rest, arena)).name.size > 0) {
        if (lines_have(there, made.name, arena) == are_there) {
            list_add(list, made.name, arena);
        }
    }
    return status;
}

enum status programs_missing(struct connection *connection, struct arena *arena, struct text *missing) {
    return list_made(connection, arena, false, missing);
}

enum status programs_there(struct connection *connection, struct arena *arena, struct text *there) {
    return list_made(connection, arena, true, there);
}

static bool ends_with(struct text statement, struct text ending) {
    const char *found = memmem(statement.at, statement.size, ending.at, ending.size);
    return found != NULL && found + ending.size < statement.at + statement.size && found[ending.size] == ';';
}

static struct text without_usual_letters(struct text sql, struct arena *arena) {
    struct text out = cut_to(&sql, TEXT(USUAL_LETTERS));
    while (sql.size > 0) {
        struct text more = cut_to(&sql, TEXT(USUAL_LETTERS));
        out = arena_print(arena, "%.*s%.*s", TEXT_ARGS(out), TEXT_ARGS(more));
    }
    return out;
}

/* Returns how the foundation creates a program; an empty name if it does not. */
static struct made find_made(struct text name, struct arena *arena) {
    struct text rest = embedded_programs;
    struct made made = next_made(&rest, arena);
    while (made.name.size > 0 && !text_equal(made.name, name)) {
        made = next_made(&rest, arena);
    }
    return made;
}

/* A view that the foundation does not create changes nothing, so it is ignored. */
static bool is_as_made(struct text name, struct text ending, struct arena *arena) {
    struct made made = find_made(name, arena);
    if (text_begins(name, TEXT("VIEW "))) {
        struct text statement = sql_bare(made.statement, arena);
        return made.name.size == 0 || sql_is_shown_as(cut_to(&statement, TEXT(";")), ending);
    }
    return made.name.size > 0 && ends_with(without_usual_letters(sql_bare(made.statement, arena), arena),
                                           without_usual_letters(sql_bare(ending, arena), arena));
}

static enum status find_replaced(struct connection *connection, struct arena *arena, struct text *changed) {
    struct sql *sql = sql_begin(connection, SQL_program_endings);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct text name = sql_get_text(sql, arena), ending = sql_get_text(sql, arena);
        if (!is_as_made(name, ending, arena)) {
            list_add(changed, name, arena);
        }
    }
    return sql_end_list(sql, status);
}

/* Adds the programs that run with the rights of another account: they fail once it lacks a right or is dropped. */
static enum status find_anothers(struct connection *connection, struct arena *arena, struct text *changed) {
    struct sql *sql = sql_begin(connection, SQL_program_owners);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct text name = sql_get_text(sql, arena), owner = sql_get_text(sql, arena);
        if (find_made(name, arena).name.size > 0) {
            list_add(changed, arena_print(arena, "%.*s (with the rights of %.*s)", TEXT_ARGS(name), TEXT_ARGS(owner)),
                     arena);
        }
    }
    return sql_end_list(sql, status);
}

enum { TURNS_MAX = 1000 };

/* A trigger: its table and event, and its place in the foundation. */
struct turn {
    struct text event, name;
    const char *made_at; /* NULL: it is not in the foundation */
};

static enum status read_turns(struct connection *connection, struct arena *arena, struct turn **out, size_t *count) {
    struct turn *turns = arena_alloc(arena, TURNS_MAX * sizeof *turns);
    struct sql *sql = sql_begin(connection, SQL_program_turns);
    sql_number(sql, TURNS_MAX);
    enum status status = sql_first(sql);
    for (*count = 0; status == STATUS_OK && *count < TURNS_MAX; status = sql_next(sql)) {
        struct text event = sql_get_text(sql, arena), name = sql_get_text(sql, arena);
        struct made made = find_made(name, arena);
        turns[(*count)++] = (struct turn){event, name, made.name.size > 0 ? made.statement.at : NULL};
    }
    *out = turns;
    return sql_end_list(sql, status);
}

/* Returns a trigger that should run before `turn` and runs after it, or NULL. */
static const struct turn *find_later(const struct turn *turn, const struct turn *end) {
    for (const struct turn *later = turn + 1; later < end && text_equal(later->event, turn->event); later++) {
        if (later->made_at != NULL && later->made_at < turn->made_at) {
            return later;
        }
    }
    return NULL;
}

/* A trigger that is created again runs last, so those that must run after it have to be created again too. */
static enum status find_out_of_turn(struct connection *connection, struct arena *arena, struct text *changed) {
    struct turn *turns;
    size_t count;
    enum status status = read_turns(connection, arena, &turns, &count);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct turn *later = turns[i].made_at == NULL ? NULL : find_later(&turns[i], turns + count);
        if (later != NULL) {
            list_add(changed,
                     arena_print(arena, "%.*s (it runs before %.*s)", TEXT_ARGS(turns[i].name), TEXT_ARGS(later->name)),
                     arena);
        }
    }
    return status;
}

enum status programs_changed(struct connection *connection, struct arena *arena, struct text *changed) {
    *changed = (struct text){"", 0};
    enum status status = find_replaced(connection, arena, changed);
    status = status == STATUS_OK ? find_anothers(connection, arena, changed) : status;
    return status == STATUS_OK ? find_out_of_turn(connection, arena, changed) : status;
}
