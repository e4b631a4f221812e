#include "store/schema/schema_lines.h"

#include "base/memory.h"

#include <string.h>

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

/* Past a comment, a quoted text or one other byte. */
static const char *token_end(const char *at, const char *end) {
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

bool cut_past(struct text *rest, struct text mark) {
    const char *found = memmem(rest->at, rest->size, mark.at, mark.size);
    if (found == NULL) {
        return false;
    }
    *rest = (struct text){found + mark.size, rest->size - (size_t)(found - rest->at) - mark.size};
    return true;
}
