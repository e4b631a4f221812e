#include "settlement/comparison_csv.h"

#include "base/csv/csv_line.h"

static void number_or_nothing(struct csv_line *line, uint64_t value) {
    if (value == 0) {
        csv_line_nothing(line, 1);
    } else {
        csv_line_number(line, value);
    }
}

static void add_difference_fields(struct csv_line *line, const struct difference *one) {
    csv_line_plain(line, difference_kind_name(one->kind));
    number_or_nothing(line, one->line);
    csv_line_text(line, one->transaction);
    number_or_nothing(line, one->idservice);
    csv_line_plain(line, one->field);
    csv_line_text(line, one->here);
    csv_line_text(line, one->there);
    csv_line_text(line, one->currency);
}

void comparison_write_csv(const struct differences *found, void (*write)(void *context, struct text line),
                          void *context) {
    static const char *const COLUMNS[] = {"difference", "line", "transaction", "idservice",
                                          "field",      "here", "there",       "currency"};
    struct csv_line line = {NULL, 0, 0, 0};
    for (size_t i = 0; i < COUNT_OF(COLUMNS); i++) {
        csv_line_plain(&line, COLUMNS[i]);
    }
    write(context, csv_line_end(&line));
    for (const struct difference *one = found->first; one != NULL; one = one->next) {
        add_difference_fields(&line, one);
        write(context, csv_line_end(&line));
    }
    csv_line_free(&line);
}
