#include "store/schema/schema_lines.h"

#include "base/memory.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum status lines_read(struct sql *sql, struct arena *arena, struct text *lines) {
    char *all = NULL;
    size_t size = 0;
    FILE *stream = memory_needed(open_memstream(&all, &size));
    fputc('\n', stream);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct text line = sql_get_text(sql, arena);
        fprintf(stream, "%.*s\n", TEXT_ARGS(line));
    }
    fclose(stream);
    *lines = arena_copy(arena, (struct text){all, size});
    free(all);
    return sql_end_list(sql, status);
}

bool lines_have(struct text lines, struct text line, struct arena *arena) {
    struct text whole = arena_print(arena, "\n%.*s\n", TEXT_ARGS(line));
    return memmem(lines.at, lines.size, whole.at, whole.size) != NULL;
}

void list_add(struct text *list, struct text one, struct arena *arena) {
    *list = arena_print(arena, "%.*s%s%.*s", TEXT_ARGS(*list), list->size > 0 ? ", " : "", TEXT_ARGS(one));
}

const char *sql_token_end(const char *at, const char *end) {
    if (end - at > 1 && at[0] == '-' && at[1] == '-') {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        return line == NULL ? end : line;
    }
    const char *quote = *at == '\'' ? memchr(at + 1, '\'', (size_t)(end - at - 1)) : NULL;
    return quote == NULL ? at + 1 : quote + 1;
}

struct text sql_bare(struct text sql, struct arena *arena) {
    char *out = arena_alloc(arena, sql.size + 1);
    size_t size = 0;
    const char *end = sql.at + sql.size;
    for (const char *at = sql.at, *next; at < end; at = next) {
        next = sql_token_end(at, end);
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

bool cut_past(struct text *rest, struct text mark) {
    const char *found = memmem(rest->at, rest->size, mark.at, mark.size);
    if (found == NULL) {
        return false;
    }
    *rest = (struct text){found + mark.size, rest->size - (size_t)(found - rest->at) - mark.size};
    return true;
}

struct text cut_to(struct text *rest, struct text mark) {
    struct text whole = *rest;
    if (!cut_past(rest, mark)) {
        *rest = (struct text){"", 0};
        return whole;
    }
    return (struct text){whole.at, whole.size - rest->size - mark.size};
}

static bool is_dropped(char byte) {
    return byte == ' ' || byte == '(' || byte == ')' || byte == '`';
}

struct text sql_squashed(struct text sql, struct arena *arena) {
    char *out = arena_alloc(arena, sql.size + 1);
    size_t size = 0;
    const char *end = sql.at + sql.size;
    for (const char *at = sql.at, *next; at < end; at = next) {
        next = sql_token_end(at, end);
        if (*at == '\'') {
            memcpy(out + size, at, (size_t)(next - at));
            size += (size_t)(next - at);
        } else if (!is_dropped(*at)) {
            out[size++] = (char)tolower((unsigned char)*at);
        }
    }
    return (struct text){out, size};
}

static bool is_of_word(char byte) {
    return isalnum((unsigned char)byte) || byte == '_';
}

/* Removes and returns the next word, quoted text or other sign, skipping parentheses. Empty at the end. */
static struct text cut_word(struct text *rest) {
    const char *at = rest->at, *end = rest->at + rest->size;
    while (at < end && (*at == ' ' || *at == '(' || *at == ')')) {
        at++;
    }
    const char *word = at, *quote = at < end && *at == '`' ? memchr(at + 1, '`', (size_t)(end - at - 1)) : NULL;
    if (quote != NULL) {
        *rest = (struct text){quote + 1, (size_t)(end - quote - 1)};
        return (struct text){at + 1, (size_t)(quote - at - 1)};
    }
    at = at < end ? sql_token_end(at, end) : end;
    while (is_of_word(*word) && at < end && is_of_word(*at)) {
        at++;
    }
    *rest = (struct text){at, (size_t)(end - at)};
    return (struct text){word, (size_t)(at - word)};
}

static bool is_word(struct text word, struct text other) {
    bool is_text = word.size > 0 && *word.at == '\'';
    return is_text ? text_equal(word, other)
                   : word.size == other.size && strncasecmp(word.at, other.at, word.size) == 0;
}

/* Skips what the server adds: a column's alias, or the table before a column. */
static bool cut_added(struct text word, struct text *rest) {
    bool is_name = is_word(word, TEXT("as")), is_table = rest->size > 0 && *rest->at == '.';
    if (is_name || is_table) {
        (void)cut_word(rest);
    }
    return is_name || is_table;
}

bool sql_is_shown_as(struct text made, struct text shown) {
    struct text word, other;
    do {
        word = cut_word(&made);
        other = cut_word(&shown);
        while (!is_word(word, other) && cut_added(other, &shown)) {
            other = cut_word(&shown);
        }
        if (!is_word(word, other) && !(is_word(word, TEXT("not")) && is_word(other, TEXT("!")))) {
            return false;
        }
    } while (word.size > 0);
    return true;
}
