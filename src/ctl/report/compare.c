#include "ctl/report/compare.h"

#include "base/zone/zone.h"
#include "ctl/common/catalogue.h"
#include "ctl/core/failure.h"
#include "ctl/report/compare_output.h"
#include "ctl/transaction/transaction_find.h"
#include "settlement/comparing.h"

#include <errno.h>

struct work {
    const struct context *context;
    struct text zone;
    struct network_description network;
    struct network_file file;
    struct compared compared;
    struct comparing comparing;
};

static enum outcome read_file(struct work *work) {
    const struct context *context = work->context;
    const char *path = arguments_get(&context->arguments, "file").at;
    bool is_input = strcmp(path, "-") == 0;
    instant unused;
    if (!zone_to_local(work->zone.at, 0, &unused)) {
        return refuse(context, "there is no time zone %.*s: it must be a name like America/Bogota or UTC",
                      TEXT_ARGS(work->zone));
    }
    FILE *from = is_input ? stdin : fopen(path, "re");
    bool read = from != NULL && network_file_read(from, work->zone.at, context->arena, &work->file);
    int error = errno;
    if (from != NULL && !is_input) {
        fclose(from);
    }
    return read ? OUTCOME_DONE : refuse(context, "--file: %s: %s", path, strerror(error));
}

/* No day is known. If the file has dates, names the first line that is wrong, which is the cause. */
static enum outcome misuse_without_day(const struct work *work) {
    for (size_t i = 0; work->file.has_days && i < work->file.count; i++) {
        const struct network_line *line = &work->file.lines[i];
        if (line->complaint != NULL) {
            return misuse(work->context, "--file: no line with a date could be read: line %llu: %s",
                          (unsigned long long)line->number, line->complaint);
        }
    }
    return misuse(work->context, "--date is missing, and no line of the file has a date that says which day it is for");
}

static enum outcome take_days(struct work *work) {
    const struct context *context = work->context;
    struct text first = arguments_get(&context->arguments, "date"), last = first;
    if (first.at == NULL) {
        network_file_days(&work->file, &first, &last);
    }
    if (first.at == NULL) {
        return misuse_without_day(work);
    }
    enum outcome outcome = day_cut(context, first, work->zone, &work->compared.first);
    return outcome == OUTCOME_DONE ? day_cut(context, last, work->zone, &work->compared.last) : outcome;
}

static void take_compared_operation(void *context, const struct operation *operation) {
    comparing_take(context, operation);
}

/* Looks up payments that are missing from the compared days. They may have become final on another day, or not at
 * all. */
static enum status look_up_others(struct work *work) {
    enum status status = STATUS_OK;
    const struct network_line *line;
    while (status == STATUS_OK && (line = comparison_next(work->comparing.comparison)) != NULL) {
        struct transaction_now found;
        arena_reset(work->comparing.arena);
        status = transaction_find(work->context, work->network.name, line->transaction, work->comparing.arena, &found);
        if (status == STATUS_OK) {
            comparing_answer(&work->comparing, line, &found);
        } else if (status == STATUS_NONE) {
            comparison_answer_unknown(work->comparing.comparison, line);
            status = STATUS_OK;
        }
    }
    return status;
}

static enum status compare_with_database(struct work *work) {
    struct compared *compared = &work->compared;
    struct settlement_span span = {
        .from = compared->first.begins, .to = compared->last.ends, .network_id = work->network.id};
    instant now;
    enum status status = settlements_now(work->context->connection, &now);
    if (status == STATUS_OK) {
        compared->is_open = now < span.to;
        span.to = compared->is_open ? now : span.to;
        status = settlements_each(work->context->connection, &span, work->comparing.arena, take_compared_operation,
                                  &work->comparing);
    }
    return status == STATUS_OK ? look_up_others(work) : status;
}

static enum outcome show_comparison(struct work *work, enum report_format format) {
    struct compared *compared = &work->compared;
    compared->network = work->network.name;
    compared->lines = work->file.count;
    compared->found = comparison_end(work->comparing.comparison);
    compare_output(work->context->arena, compared, format);
    if (compared->found->count > 0) {
        remark("%zu difference%s between the network's list and ours", compared->found->count,
               compared->found->count == 1 ? "" : "s");
    }
    return compared->found->count == 0 ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static enum outcome run_comparison(struct work *work, enum report_format format) {
    bool has_one_day = arguments_has(&work->context->arguments, "date");
    work->comparing.arena = arena_create();
    work->comparing.zone = work->zone.at;
    work->comparing.comparison =
        comparison_create(work->context->arena, &work->file, has_one_day ? work->compared.first.date : TEXT(""));
    enum status status = compare_with_database(work);
    enum outcome outcome = status == STATUS_OK ? show_comparison(work, format)
                                               : fail(work->context, status, "read the payments of the network");
    comparison_free(work->comparing.comparison);
    arena_destroy(work->comparing.arena);
    return outcome;
}

/* Refuses a file of which no line can be read, because it says nothing about the network's payments. */
static enum outcome judge_first_line(const struct work *work) {
    const char *complaint = network_file_complaint(&work->file);
    return complaint == NULL ? OUTCOME_DONE : refuse(work->context, "--file: %s", complaint);
}

enum outcome compare_report(struct context *context) {
    enum report_format format;
    struct work work = {.context = context, .zone = arguments_get(&context->arguments, "zone")};
    work.zone = work.zone.at == NULL ? text_of(context->config.settlement.zone) : work.zone;
    enum outcome outcome = report_format_take(context, &format);
    if (outcome == OUTCOME_DONE) {
        outcome = catalogue_network(context, arguments_get(&context->arguments, "network"), &work.network);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = read_file(&work);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = judge_first_line(&work);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = take_days(&work);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = run_comparison(&work, format);
    }
    network_file_free(&work.file);
    return outcome;
}
