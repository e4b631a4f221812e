#include "ctl/report/compare_output.h"

#include "base/csv/csv_line.h"
#include "ctl/core/output.h"
#include "ctl/core/record.h"

static const char *const KINDS[] = {[MISSING_HERE] = "missing_here",
                                    [MISSING_THERE] = "missing_there",
                                    [DIFFERS] = "differs",
                                    [REFUSED_LINE] = "refused"};

static void print_csv_line(struct csv_line *line) {
    struct text text = csv_line_end(line);
    fwrite(text.at, 1, text.size, stdout);
}

static void number_or_nothing(struct csv_line *line, uint64_t value) {
    if (value == 0) {
        csv_line_nothing(line, 1);
    } else {
        csv_line_number(line, value);
    }
}

static void print_csv(const struct differences *found) {
    static const char *const COLUMNS[] = {"difference", "line", "transaction", "idservice",
                                          "field",      "here", "there",       "currency"};
    struct csv_line line = {NULL, 0, 0, 0};
    for (size_t i = 0; i < COUNT_OF(COLUMNS); i++) {
        csv_line_plain(&line, COLUMNS[i]);
    }
    print_csv_line(&line);
    for (const struct difference *one = found->first; one != NULL; one = one->next) {
        csv_line_plain(&line, KINDS[one->kind]);
        number_or_nothing(&line, one->line);
        csv_line_text(&line, one->transaction);
        number_or_nothing(&line, one->idservice);
        csv_line_plain(&line, one->field);
        csv_line_text(&line, one->here);
        csv_line_text(&line, one->there);
        csv_line_text(&line, one->currency);
        print_csv_line(&line);
    }
    csv_line_free(&line);
}

static void add_missing(struct record *record, const struct difference *one) {
    record_sum(record, "amount", one->kind == MISSING_HERE ? one->there : one->here);
    record_text_or_nothing(record, "currency", one->currency);
}

static void add_difference(struct record_list *list, const struct difference *one) {
    struct record *record = record_list_add(list);
    if (one->kind != MISSING_THERE) {
        record_number(record, "line", one->line);
    }
    if (one->kind == REFUSED_LINE) {
        record_text(record, "reason", one->there);
        return;
    }
    record_text(record, "transaction", one->transaction);
    if (one->kind != MISSING_HERE) {
        record_number(record, "idservice", one->idservice);
    }
    if (one->kind != DIFFERS) {
        add_missing(record, one);
        return;
    }
    record_text(record, "field", text_of(one->field));
    record_text(record, "here", one->here);
    record_text(record, "there", one->there);
}

static void print_record(struct arena *arena, const struct compared *compared, bool json) {
    struct record *record = record_create(arena);
    record_text(record, "network", compared->network);
    record_text(record, "from", compared->first.date);
    record_text(record, "to", compared->last.date);
    record_text(record, "zone", compared->first.zone);
    record_flag(record, "open", compared->is_open);
    record_number(record, "lines", compared->lines);
    record_number(record, "agreeing", compared->found->agreeing);
    for (enum difference_kind kind = MISSING_HERE; kind <= REFUSED_LINE; kind++) {
        struct record_list *list = record_list(record, KINDS[kind]);
        for (const struct difference *one = compared->found->first; one != NULL; one = one->next) {
            if (one->kind == kind) {
                add_difference(list, one);
            }
        }
    }
    output_record(record, json);
}

void compare_output(struct arena *arena, const struct compared *compared, enum report_format format) {
    if (format == REPORT_CSV) {
        print_csv(compared->found);
    } else {
        print_record(arena, compared, format == REPORT_JSON);
    }
}
