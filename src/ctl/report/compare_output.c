#include "ctl/report/compare_output.h"

#include "ctl/core/output.h"
#include "ctl/core/record.h"
#include "settlement/comparison_csv.h"

static void print_csv_line(void *context, struct text line) {
    (void)context;
    fwrite(line.at, 1, line.size, stdout);
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
    record_flag(record, "days_over", !compared->is_open);
    record_number(record, "lines", compared->lines);
    record_number(record, "agreeing", compared->found->agreeing);
    for (enum difference_kind kind = MISSING_HERE; kind <= REFUSED_LINE; kind++) {
        struct record_list *list = record_list(record, difference_kind_name(kind));
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
        comparison_write_csv(compared->found, print_csv_line, NULL);
    } else {
        print_record(arena, compared, format == REPORT_JSON);
    }
}
