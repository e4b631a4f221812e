#include "base/csv/csv_line.h"

#include "base/memory.h"

#include <inttypes.h>

enum { ROOM_FIRST = 512 };

static void put_field(struct csv_line *line, const char *bytes, size_t size) {
    if (size == 0) {
        return;
    }
    if (line->room - line->size < size) {
        line->room = 2 * line->room + size + ROOM_FIRST;
        line->at = memory_grown(line->at, line->room, 1);
    }
    memcpy(line->at + line->size, bytes, size);
    line->size += size;
}

static void begin_field(struct csv_line *line) {
    if (line->fields++ > 0) {
        put_field(line, ",", 1);
    } else {
        line->size = 0;
    }
}

static bool runs_as_formula(struct text value) {
    return value.size > 0 && memchr("=+-@\t\r", value.at[0], 6) != NULL;
}

/* Quotes also other readers' separators, and blanks at the ends, which some readers strip. */
static bool needs_quotes(struct text value) {
    for (size_t i = 0; i < value.size; i++) {
        if (memchr(",;\"\t\r\n", value.at[i], 6) != NULL) {
            return true;
        }
    }
    return value.size > 0 && (value.at[0] == ' ' || value.at[value.size - 1] == ' ');
}

/* Bytes up to the first double quote, semicolon or tab, and this one. */
static size_t run_size(struct text rest) {
    for (size_t i = 0; i < rest.size; i++) {
        if (rest.at[i] == '"' || rest.at[i] == ';' || rest.at[i] == '\t') {
            return i + 1;
        }
    }
    return rest.size;
}

/* Whether a reader that separates by semicolons or tabs, and by nothing else, would begin a formula here. */
static bool begins_formula(struct text rest) {
    while (rest.size > 0 && (rest.at[0] == ' ' || rest.at[0] == '"')) {
        rest.at++;
        rest.size--;
    }
    return runs_as_formula(rest);
}

static void put_value(struct csv_line *line, struct text value, bool guards_separators) {
    bool quoted = needs_quotes(value);
    begin_field(line);
    put_field(line, "\"", quoted ? 1 : 0);
    put_field(line, "'", runs_as_formula(value) ? 1 : 0);
    while (value.size > 0) {
        size_t size = run_size(value);
        char last = value.at[size - 1];
        put_field(line, value.at, size);
        value.at += size;
        value.size -= size;
        put_field(line, "\"", last == '"' ? 1 : 0);
        put_field(line, "'", guards_separators && (last == ';' || last == '\t') && begins_formula(value) ? 1 : 0);
    }
    put_field(line, "\"", quoted ? 1 : 0);
}

void csv_line_text(struct csv_line *line, struct text value) {
    put_value(line, value, true);
}

void csv_line_digested(struct csv_line *line, struct text value) {
    put_value(line, value, false);
}

void csv_line_plain(struct csv_line *line, const char *number_or_instant) {
    begin_field(line);
    put_field(line, number_or_instant, strlen(number_or_instant));
}

void csv_line_number(struct csv_line *line, uint64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    csv_line_plain(line, digits);
}

void csv_line_nothing(struct csv_line *line, size_t count) {
    for (size_t i = 0; i < count; i++) {
        begin_field(line);
    }
}

struct text csv_line_end(struct csv_line *line) {
    put_field(line, "\n", 1);
    line->fields = 0;
    return (struct text){line->at, line->size};
}

void csv_line_free(struct csv_line *line) {
    free(line->at);
    *line = (struct csv_line){NULL, 0, 0, 0};
}
