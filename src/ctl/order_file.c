#include "ctl/order_file.h"

#include "base/utf8.h"
#include "ctl/rules.h"

#include <csv.h>
#include <errno.h>

enum { COLUMNS_MAX = 2 * ORDER_FIELDS };

struct reader {
    struct arena *arena;
    struct order_file *file;
    size_t room; /* of file->lines */
    struct csv_parser parser;
    enum order_field columns[COLUMNS_MAX];
    size_t column_count; /* 0: the first line has not been read */
    size_t column;       /* the next field's */
    bool row_begun, names_refused;
    uint64_t line; /* being read; the first is 1 */
    struct order_line row;
};

static void begin_row(struct reader *reader) {
    reader->row = (struct order_line){.number = reader->line};
    reader->column = 0;
    reader->row_begun = true;
}

static void keep_row(struct reader *reader) {
    struct order_file *file = reader->file;
    if (file->count == reader->room) {
        reader->room = reader->room == 0 ? 1024 : 2 * reader->room;
        file->lines = reallocarray(file->lines, reader->room, sizeof *file->lines);
        if (file->lines == NULL) {
            abort();
        }
    }
    file->lines[file->count++] = reader->row;
    reader->row_begun = false;
}

static enum order_field find_column(struct text name) {
    enum order_field field = 0;
    while (field < ORDER_FIELDS && !text_equal_any_case(name, text_of(order_field_names[field]))) {
        field++;
    }
    return field;
}

static bool has_column(const struct reader *reader, enum order_field field) {
    for (size_t i = 0; i < reader->column; i++) {
        if (reader->columns[i] == field) {
            return true;
        }
    }
    return false;
}

/* A field of the first line: a column's name. */
static void take_name(struct reader *reader, struct text name) {
    enum order_field field = find_column(name);
    if (reader->row.complaint != NULL) {
        return;
    }
    if (field == ORDER_FIELDS) {
        reader->row.complaint = arena_print(reader->arena,
                                            "column %zu has no name that is known; known are order, amount, currency, "
                                            "reference, due, description, method, di, type-di, name and email",
                                            reader->column + 1)
                                    .at;
    } else if (has_column(reader, field)) {
        reader->row.complaint = arena_print(reader->arena, "column %s stands twice", order_field_names[field]).at;
    } else {
        reader->columns[reader->column++] = field;
    }
}

static void take_field(void *bytes, size_t size, void *context) {
    struct reader *reader = context;
    struct text text = {bytes, size};
    if (!reader->row_begun) {
        begin_row(reader);
    }
    if (reader->column_count == 0) {
        take_name(reader, text);
        return;
    }
    if (reader->column < reader->column_count) {
        reader->row.fields[reader->columns[reader->column]] = arena_copy(reader->arena, text);
    }
    reader->column++;
}

static void refuse_names(struct reader *reader, const char *complaint) {
    begin_row(reader);
    reader->row.complaint = complaint;
    reader->names_refused = true;
    keep_row(reader);
}

static void end_first_row(struct reader *reader) {
    for (enum order_field field = 0; field < ORDER_FIELDS && reader->row.complaint == NULL; field++) {
        if (order_field_is_required(field) && !has_column(reader, field)) {
            reader->row.complaint = arena_print(reader->arena, "column %s is missing", order_field_names[field]).at;
        }
    }
    reader->column_count = reader->column;
    if (reader->row.complaint != NULL) {
        refuse_names(reader, reader->row.complaint);
    }
    reader->row_begun = false;
}

static void end_row(int ended_by, void *context) {
    struct reader *reader = context;
    (void)ended_by;
    if (reader->column_count == 0) {
        end_first_row(reader);
        return;
    }
    if (reader->column != reader->column_count) {
        reader->row.complaint = arena_print(reader->arena, "has %zu fields where the first line has %zu",
                                            reader->column, reader->column_count)
                                    .at;
    }
    keep_row(reader);
}

static void open_parser(struct reader *reader, unsigned char separator) {
    if (csv_init(&reader->parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
        abort();
    }
    csv_set_delim(&reader->parser, separator);
}

/* A line whose quotes are wrong cannot be told apart: it is refused as a whole, and the next one begins anew. */
static void give_up_line(struct reader *reader) {
    static const char COMPLAINT[] = "has a quote (\") in the wrong place, or one that is not closed";
    unsigned char separator = csv_get_delim(&reader->parser);
    csv_free(&reader->parser);
    open_parser(reader, separator);
    if (reader->column_count == 0) {
        refuse_names(reader, COMPLAINT);
        return;
    }
    begin_row(reader);
    reader->row.complaint = COMPLAINT;
    keep_row(reader);
}

static bool is_blank(struct text line) {
    return text_trim(line).size == 0;
}

/* Every line is an order of its own: no field may hold a line end, so a quote never goes on to the next line. */
static void take_line(struct reader *reader, struct text line) {
    if (csv_parse(&reader->parser, line.at, line.size, take_field, end_row, reader) != line.size ||
        csv_fini(&reader->parser, take_field, end_row, reader) != 0) {
        give_up_line(reader);
    }
}

static struct text without_line_end(struct text line) {
    while (line.size > 0 && (line.at[line.size - 1] == '\n' || line.at[line.size - 1] == '\r')) {
        line.size--;
    }
    return line;
}

/* Without the mark that some programs put in front of UTF-8. */
static struct text without_mark(struct text line) {
    bool has_mark = text_begins(line, TEXT("\xEF\xBB\xBF"));
    return has_mark ? (struct text){line.at + 3, line.size - 3} : line;
}

static void take_first_line(struct reader *reader, struct text line) {
    struct text names = without_mark(line);
    bool semicolons = memchr(names.at, ';', names.size) != NULL && memchr(names.at, ',', names.size) == NULL;
    open_parser(reader, semicolons ? ';' : CSV_COMMA);
    if (utf8_is_valid(names)) {
        take_line(reader, names);
    } else {
        refuse_names(reader, "is not UTF-8 text");
    }
}

bool order_file_read(FILE *from, struct arena *arena, struct order_file *out) {
    struct reader reader = {.arena = arena, .file = out};
    char *bytes = NULL;
    size_t room = 0;
    *out = (struct order_file){NULL, 0};
    for (ssize_t size; !reader.names_refused && (size = getline(&bytes, &room, from)) >= 0;) {
        struct text line = without_line_end((struct text){bytes, (size_t)size});
        reader.line++;
        if (is_blank(line)) {
            continue;
        }
        if (reader.column_count == 0) {
            take_first_line(&reader, line);
        } else {
            take_line(&reader, line);
        }
    }
    int error = ferror(from) ? errno : 0;
    free(bytes);
    if (reader.column_count == 0 && !reader.names_refused) {
        reader.line = 1;
        refuse_names(&reader, "the first line must name the columns: order,amount,currency,due,...");
    } else {
        csv_free(&reader.parser);
    }
    errno = error;
    return error == 0;
}

void order_file_free(struct order_file *file) {
    free(file->lines);
    *file = (struct order_file){NULL, 0};
}
