#include "base/csv/csv_read.h"

#include "base/utf8.h"

#include <csv.h>
#include <errno.h>

enum { COLUMNS_MAX = 100 };

struct reader {
    struct arena *arena;
    const struct csv_rows *rows;
    void *context;
    struct csv_parser parser;
    struct text fields[COLUMNS_MAX];
    size_t field_count;  /* of the line being read */
    size_t column_count; /* 0: the first line has not been read */
    bool ended;          /* the first line was refused */
    uint64_t line;       /* being read; the first is 1 */
};

static void take_field(void *bytes, size_t size, void *context) {
    struct reader *reader = context;
    if (reader->field_count < COLUMNS_MAX) {
        reader->fields[reader->field_count] = arena_copy(reader->arena, (struct text){bytes, size});
    }
    reader->field_count++;
}

static void refuse_names(struct reader *reader, const char *complaint) {
    reader->ended = true;
    reader->rows->row(reader->context, reader->line, NULL, complaint);
}

static void take_column_names(struct reader *reader) {
    const char *complaint = reader->field_count > COLUMNS_MAX
                                ? arena_print(reader->arena, "has more columns than %d", COLUMNS_MAX).at
                                : reader->rows->names(reader->context, reader->fields, reader->field_count);
    reader->column_count = reader->field_count;
    if (complaint != NULL) {
        refuse_names(reader, complaint);
    }
}

static void end_row(int ended_by, void *context) {
    struct reader *reader = context;
    (void)ended_by;
    if (reader->column_count == 0) {
        take_column_names(reader);
    } else if (reader->field_count == reader->column_count) {
        reader->rows->row(reader->context, reader->line, reader->fields, NULL);
    } else {
        reader->rows->row(reader->context, reader->line, NULL,
                          arena_print(reader->arena, "has %zu fields where the first line has %zu", reader->field_count,
                                      reader->column_count)
                              .at);
    }
    reader->field_count = 0;
}

static void open_parser(struct reader *reader, unsigned char separator) {
    if (csv_init(&reader->parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
        abort();
    }
    csv_set_delim(&reader->parser, separator);
}

/* Refuses a malformed line as a whole. Parsing starts again with the next one. */
static void give_up_line(struct reader *reader, const char *complaint) {
    unsigned char separator = csv_get_delim(&reader->parser);
    csv_free(&reader->parser);
    open_parser(reader, separator);
    reader->field_count = 0;
    if (reader->column_count == 0) {
        refuse_names(reader, complaint);
    } else {
        reader->rows->row(reader->context, reader->line, NULL, complaint);
    }
}

/* libcsv would end the row at a carriage return. */
static void take_line(struct reader *reader, struct text line) {
    if (memchr(line.at, '\r', line.size) != NULL) {
        give_up_line(reader, "has a carriage return (CR) before its end");
    } else if (csv_parse(&reader->parser, line.at, line.size, take_field, end_row, reader) != line.size ||
               csv_fini(&reader->parser, take_field, end_row, reader) != 0) {
        give_up_line(reader, "has a quote (\") in the wrong place, or one that is not closed");
    }
}

static struct text trim_line_end(struct text line) {
    while (line.size > 0 && (line.at[line.size - 1] == '\n' || line.at[line.size - 1] == '\r')) {
        line.size--;
    }
    return line;
}

/* Removes the byte order mark that some programs write before UTF-8. */
static struct text without_mark(struct text line) {
    const struct text mark = TEXT(UTF8_MARK);
    return text_begins(line, mark) ? (struct text){line.at + mark.size, line.size - mark.size} : line;
}

static void take_first_line(struct reader *reader, struct text line) {
    struct text names = without_mark(line);
    bool semicolons = memchr(names.at, ';', names.size) != NULL && memchr(names.at, ',', names.size) == NULL;
    csv_set_delim(&reader->parser, semicolons ? ';' : CSV_COMMA);
    if (utf8_is_valid(names)) {
        take_line(reader, names);
    } else {
        refuse_names(reader, "is not UTF-8 text");
    }
}

bool csv_read(FILE *from, struct arena *arena, const struct csv_rows *rows, void *context) {
    struct reader reader = {.arena = arena, .rows = rows, .context = context};
    char *bytes = NULL;
    size_t room = 0;
    open_parser(&reader, CSV_COMMA);
    for (ssize_t size; !reader.ended && (size = getline(&bytes, &room, from)) >= 0;) {
        struct text line = trim_line_end((struct text){bytes, (size_t)size});
        reader.line++;
        if (text_trim(line).size == 0) {
            continue;
        }
        if (reader.column_count == 0) {
            take_first_line(&reader, line);
        } else if (rows->all_lines_end && line.size == (size_t)size) {
            give_up_line(&reader, "has no line end, so the file may be cut there; if it is whole, end its last line");
        } else {
            take_line(&reader, line);
        }
    }
    int error = ferror(from) ? errno : 0;
    free(bytes);
    csv_free(&reader.parser);
    if (reader.column_count == 0 && !reader.ended) {
        reader.line = 1;
        refuse_names(&reader, rows->names(context, NULL, 0));
    }
    errno = error;
    return error == 0;
}
