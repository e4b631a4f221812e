#include "ctl/order/order_file.h"

#include "base/csv/csv_read.h"
#include "base/memory.h"

struct reading {
    struct arena *arena;
    struct order_file *file;
    size_t room;                 /* capacity of file->lines */
    size_t places[ORDER_FIELDS]; /* 1 for the first column; 0: the file has no such column */
};

static struct order_line *add_order_line(struct reading *reading, uint64_t number) {
    struct order_file *file = reading->file;
    if (file->count == reading->room) {
        reading->room = reading->room == 0 ? 1024 : 2 * reading->room;
        file->lines = memory_grown(file->lines, reading->room, sizeof *file->lines);
    }
    file->lines[file->count] = (struct order_line){.number = number};
    return &file->lines[file->count++];
}

static enum order_field find_order_column(struct text name) {
    enum order_field field = 0;
    while (field < ORDER_FIELDS && !text_equal_any_case(name, text_of(order_field_names[field]))) {
        field++;
    }
    return field;
}

/* "order, amount, ... and email" */
static struct text list_order_columns(struct arena *arena) {
    struct text list = TEXT("");
    for (enum order_field field = 0; field < ORDER_FIELDS; field++) {
        const char *separator = field == 0 ? "" : field + 1 == ORDER_FIELDS ? " and " : ", ";
        list = arena_print(arena, "%.*s%s%s", TEXT_ARGS(list), separator, order_field_names[field]);
    }
    return list;
}

/* Notes which field the column holds. Returns NULL, or a complaint if the name is unknown or repeated. */
static const char *take_name(struct reading *reading, struct text name, size_t place) {
    enum order_field field = find_order_column(name);
    if (field == ORDER_FIELDS) {
        return arena_print(reading->arena, "column %zu has an unknown name; known are %.*s", place,
                           TEXT_ARGS(list_order_columns(reading->arena)))
            .at;
    }
    if (reading->places[field] != 0) {
        return arena_print(reading->arena, "column %s is given twice", order_field_names[field]).at;
    }
    reading->places[field] = place;
    return NULL;
}

static const char *take_order_columns(void *context, const struct text *names, size_t count) {
    struct reading *reading = context;
    const char *complaint = NULL;
    if (count == 0) {
        return "the first line must name the columns: order,amount,currency,due,...";
    }
    for (size_t i = 0; complaint == NULL && i < count; i++) {
        complaint = take_name(reading, names[i], i + 1);
    }
    for (enum order_field field = 0; complaint == NULL && field < ORDER_FIELDS; field++) {
        if (order_field_is_required(field) && reading->places[field] == 0) {
            complaint = arena_print(reading->arena, "column %s is missing", order_field_names[field]).at;
        }
    }
    return complaint;
}

static void take_order_row(void *context, uint64_t number, const struct text *fields, const char *complaint) {
    struct reading *reading = context;
    struct order_line *line = add_order_line(reading, number);
    line->complaint = complaint;
    for (enum order_field field = 0; complaint == NULL && field < ORDER_FIELDS; field++) {
        if (reading->places[field] != 0) {
            line->fields[field] = fields[reading->places[field] - 1];
        }
    }
}

bool order_file_read(FILE *from, struct arena *arena, struct order_file *out) {
    static const struct csv_rows ROWS = {.all_lines_end = true, .names = take_order_columns, .row = take_order_row};
    struct reading reading = {.arena = arena, .file = out};
    *out = (struct order_file){NULL, 0};
    return csv_read(from, arena, &ROWS, &reading);
}

void order_file_free(struct order_file *file) {
    free(file->lines);
    *file = (struct order_file){NULL, 0};
}
