#include "store/schema/tables.h"

#include "base/memory.h"
#include "store/db/rows.h"
#include "store/schema/embedded.h"
#include "store/schema/schema_lines.h"

#include <string.h>

#define OF_BASE_TABLES(alias)                                                                                          \
    "  JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = " alias ".TABLE_SCHEMA"                                    \
    "   AND t.TABLE_NAME = " alias ".TABLE_NAME AND t.TABLE_TYPE = 'BASE TABLE' WHERE " alias                          \
    ".TABLE_SCHEMA = DATABASE()"

const char sql_text_of_table_exists[] =
    "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?";

/* Each part with its table, written as in sql/. The server shows a display width for integers even if none was
 * given. */
const char sql_text_of_table_parts[] =
    "SELECT CONCAT(TABLE_NAME, ' ENGINE ', ENGINE) FROM information_schema.TABLES"
    "  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'"
    " UNION ALL SELECT CONCAT(TABLE_NAME, ' PARTITIONED BY ',"
    "  IF(CREATE_OPTIONS LIKE '%partitioned%', 'something', 'nothing')) FROM information_schema.TABLES"
    "  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'"
    " UNION ALL SELECT CONCAT(c.TABLE_NAME, ' COLUMN ', c.COLUMN_NAME, ' ',"
    "  IF(c.COLUMN_TYPE = 'tinyint(1)', 'BOOLEAN', REGEXP_REPLACE(c.COLUMN_TYPE, 'int\\\\([0-9]+\\\\)', 'int')),"
    "  IF(c.COLLATION_NAME = t.TABLE_COLLATION, '',"
    "     COALESCE(CONCAT(' CHARACTER SET ', c.CHARACTER_SET_NAME, ' COLLATE ', c.COLLATION_NAME), '')),"
    "  COALESCE(CONCAT(' AS ', c.GENERATION_EXPRESSION, ' ', SUBSTRING_INDEX(c.EXTRA, ' ', 1)),"
    "           CONCAT(IF(c.IS_NULLABLE = 'YES', ' NULL', ' NOT NULL'), COALESCE(CONCAT(' DEFAULT ',"
    "             CASE WHEN c.COLUMN_DEFAULT = 'NULL' THEN NULL WHEN c.DATA_TYPE = 'decimal' THEN c.COLUMN_DEFAULT + 0"
    "                  WHEN c.COLUMN_TYPE = 'tinyint(1)' THEN ELT(c.COLUMN_DEFAULT + 1, 'FALSE', 'TRUE')"
    "                  ELSE c.COLUMN_DEFAULT END), ''))))"
    "  FROM information_schema.COLUMNS c" OF_BASE_TABLES("c") //
    " UNION ALL SELECT CONCAT(s.TABLE_NAME, CASE WHEN s.INDEX_NAME = 'PRIMARY' THEN ' PRIMARY KEY'"
    "  ELSE CONCAT(IF(s.NON_UNIQUE, ' KEY ', ' UNIQUE KEY '), s.INDEX_NAME) END, ' ',"
    "  GROUP_CONCAT(s.COLUMN_NAME, COALESCE(s.SUB_PART, '') ORDER BY s.SEQ_IN_INDEX),"
    "  IF(s.IGNORED = 'YES', ' IGNORED', ''))"
    "  FROM information_schema.STATISTICS s WHERE s.TABLE_SCHEMA = DATABASE()"
    "  GROUP BY s.TABLE_NAME, s.INDEX_NAME, s.NON_UNIQUE, s.IGNORED"
    " UNION ALL SELECT CONCAT(TABLE_NAME, ' CONSTRAINT ', CONSTRAINT_NAME, ' CHECK ', CHECK_CLAUSE)"
    "  FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE()"
    " UNION ALL SELECT CONCAT(u.TABLE_NAME, ' CONSTRAINT ', u.CONSTRAINT_NAME, ' FOREIGN KEY ',"
    "  GROUP_CONCAT(u.COLUMN_NAME ORDER BY u.ORDINAL_POSITION), ' REFERENCES ', u.REFERENCED_TABLE_NAME, ' ',"
    "  GROUP_CONCAT(u.REFERENCED_COLUMN_NAME ORDER BY u.ORDINAL_POSITION),"
    "  IF(r.DELETE_RULE IN ('RESTRICT', 'NO ACTION'), '', CONCAT(' ON DELETE ', r.DELETE_RULE)),"
    "  IF(r.UPDATE_RULE IN ('RESTRICT', 'NO ACTION'), '', CONCAT(' ON UPDATE ', r.UPDATE_RULE)))"
    "  FROM information_schema.KEY_COLUMN_USAGE u JOIN information_schema.REFERENTIAL_CONSTRAINTS r"
    "    ON r.CONSTRAINT_SCHEMA = u.CONSTRAINT_SCHEMA AND r.TABLE_NAME = u.TABLE_NAME"
    "   AND r.CONSTRAINT_NAME = u.CONSTRAINT_NAME"
    "  WHERE u.TABLE_SCHEMA = DATABASE() GROUP BY u.TABLE_NAME, u.CONSTRAINT_NAME";

/* Removes and returns the first part of a table's definition, which ends at a comma outside parentheses. */
static struct text cut_part(struct text *rest) {
    int depth = 0;
    const char *at = rest->at, *end = rest->at + rest->size;
    for (; at < end && (*at != ',' || depth > 0); at = sql_token_end(at, end)) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
    }
    struct text part = text_trim((struct text){rest->at, (size_t)(at - rest->at)});
    *rest = at < end ? (struct text){at + 1, (size_t)(end - at - 1)} : (struct text){"", 0};
    return part;
}

static bool is_column(struct text part) {
    struct text rest = part, word = text_next_word(&rest);
    return !text_equal(word, TEXT("PRIMARY")) && !text_equal(word, TEXT("UNIQUE")) && !text_equal(word, TEXT("KEY")) &&
           !text_equal(word, TEXT("CONSTRAINT"));
}

static void print_parts(FILE *out, struct text table, struct text parts) {
    while (parts.size > 0) {
        struct text part = cut_part(&parts);
        if (is_column(part)) {
            part = cut_to(&part, TEXT(" COMMENT "));
            part = cut_to(&part, TEXT(" AUTO_INCREMENT"));
            fprintf(out, "%.*s COLUMN %.*s\n", TEXT_ARGS(table), TEXT_ARGS(part));
        } else {
            fprintf(out, "%.*s %.*s\n", TEXT_ARGS(table), TEXT_ARGS(part));
        }
    }
}

/* Prints the tables that a file of sql/ creates, in the form of the statement above. */
static void print_tables(FILE *out, struct text sql, struct arena *arena) {
    struct text rest = sql_bare(sql, arena);
    while (cut_past(&rest, TEXT("CREATE TABLE "))) {
        struct text name = cut_to(&rest, TEXT(" (")), parts = cut_to(&rest, TEXT(") ENGINE="));
        struct text engine = text_next_word(&rest);
        (void)cut_past(&name, TEXT("IF NOT EXISTS "));
        fprintf(out, "%.*s ENGINE %.*s\n%.*s PARTITIONED BY nothing\n", TEXT_ARGS(name), TEXT_ARGS(engine),
                TEXT_ARGS(name));
        print_parts(out, name, parts);
    }
}

static struct text tables_made(struct arena *arena) {
    char *all = NULL;
    size_t size = 0;
    FILE *stream = memory_needed(open_memstream(&all, &size));
    fputc('\n', stream);
    print_tables(stream, embedded_versions, arena);
    print_tables(stream, embedded_tables, arena);
    fclose(stream);
    struct text made = arena_copy(arena, (struct text){all, size});
    free(all);
    return made;
}

/* Returns the name of a line's part: "orders UNIQUE KEY token". */
static struct text name_part(struct text line) {
    struct text rest = line;
    (void)text_next_word(&rest);
    struct text kind = text_next_word(&rest);
    if (text_equal(kind, TEXT("UNIQUE"))) {
        kind = text_next_word(&rest);
    }
    if (!text_equal(kind, TEXT("ENGINE"))) {
        (void)text_next_word(&rest);
    }
    return text_trim((struct text){line.at, line.size - rest.size});
}

static bool has_line_of(struct text made, struct text begin, struct arena *arena) {
    return cut_past(&made, arena_print(arena, "\n%.*s ", TEXT_ARGS(begin)));
}

/* Adds the name of a missing line; of a table that is missing altogether, only the table. */
static void add_missing_part(struct text *missing, struct text line, struct text there, struct arena *arena) {
    struct text rest = line, table = text_next_word(&rest);
    if (has_line_of(there, table, arena)) {
        list_add(missing, name_part(line), arena);
    } else if (text_equal(text_next_word(&rest), TEXT("ENGINE"))) {
        list_add(missing, arena_print(arena, "TABLE %.*s", TEXT_ARGS(table)), arena);
    }
}

/* Returns true if the line's part is not in sql/, though its table is. Ignores keys that are not unique, and altered
 * parts. */
static bool is_added(struct text line, struct text made, struct arena *arena) {
    struct text rest = line, table = text_next_word(&rest);
    return !text_equal(text_next_word(&rest), TEXT("KEY")) && has_line_of(made, table, arena) &&
           !has_line_of(made, name_part(line), arena);
}

enum status tables_compare(struct connection *connection, struct arena *arena, struct text *missing,
                           struct text *added) {
    struct text there, made = tables_made(arena), line;
    enum status status = lines_read(sql_begin(connection, SQL_table_parts), arena, &there);
    *missing = *added = (struct text){"", 0};
    if (status != STATUS_OK) {
        return status;
    }
    struct text there_bare = sql_squashed(there, arena);
    for (struct text rest = made; rest.size > 0;) {
        line = cut_to(&rest, TEXT("\n"));
        if (line.size > 0 && !lines_have(there_bare, sql_squashed(line, arena), arena)) {
            add_missing_part(missing, line, there, arena);
        }
    }
    for (struct text rest = there; rest.size > 0;) {
        line = cut_to(&rest, TEXT("\n"));
        if (line.size > 0 && is_added(line, made, arena)) {
            list_add(added, name_part(line), arena);
        }
    }
    return STATUS_OK;
}

enum status table_exists(struct connection *connection, struct text name, bool *out) {
    struct sql *sql = sql_begin(connection, SQL_table_exists);
    sql_text(sql, name);
    return rows_one_bool(sql, out);
}
