#include "ctl/report/compare.h"

#include "base/zone/zone.h"
#include "ctl/common/catalogue.h"
#include "ctl/core/failure.h"
#include "ctl/report/compare_output.h"
#include "ctl/transaction/transaction_find.h"
#include "store/payment/settlements.h"

#include <errno.h>

struct work {
    const struct context *context;
    struct text zone;
    struct network_description network;
    struct network_file file;
    struct compared compared;
    struct comparison *comparison;
    struct arena *scratch;
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

static int compare_days(struct text a, struct text b) {
    return memcmp(a.at, b.at, a.size);
}

/* The first and the last day that the lines of the file say; `at` is NULL when they say none. */
static void span_of_file(const struct network_file *file, struct text *first, struct text *last) {
    for (size_t i = 0; i < file->count; i++) {
        struct text day = file->lines[i].day;
        if (day.size > 0 && file->lines[i].complaint == NULL) {
            *first = first->at == NULL || compare_days(day, *first) < 0 ? day : *first;
            *last = last->at == NULL || compare_days(day, *last) > 0 ? day : *last;
        }
    }
}

static enum outcome take_days(struct work *work) {
    const struct context *context = work->context;
    struct text first = arguments_get(&context->arguments, "date"), last = first;
    if (first.at == NULL) {
        span_of_file(&work->file, &first, &last);
    }
    if (first.at == NULL) {
        return misuse(context, "--date is missing, and no line of the file has a date that says which day it is for");
    }
    enum outcome outcome = day_cut(context, first, work->zone, &work->compared.first);
    return outcome == OUTCOME_DONE ? day_cut(context, last, work->zone, &work->compared.last) : outcome;
}

static struct text day_of(struct work *work, instant at) {
    instant local;
    return zone_to_local(work->zone.at, at, &local) ? day_print(work->scratch, local) : TEXT("");
}

static void take_paid_operation(void *context, const struct operation *operation) {
    struct work *work = context;
    struct own_payment payment = {.id = operation->id,
                                  .transaction = operation->transaction,
                                  .amount = operation->amount,
                                  .currency = operation->currency,
                                  .day = day_of(work, operation->at)};
    payment.state = operation->kind == OPERATION_CANCELLED ? TEXT("CANCELADA") : TEXT("FINALIZADA");
    if (operation->kind != OPERATION_REFUNDED) {
        comparison_take(work->comparison, &payment);
    }
}

static void compare_payment(struct work *work, const struct network_line *line, const struct transaction_now *found) {
    struct own_payment payment = {found->id, found->network_transaction, found->state, found->amount, found->currency,
                                  TEXT("")};
    if (text_equal(found->state, TEXT("CANCELADA"))) {
        payment.day = day_of(work, found->cancelled_at);
    } else if (text_equal(found->state, TEXT("FINALIZADA"))) {
        payment.day = day_of(work, found->window_ends_at);
    }
    comparison_answer(work->comparison, line, &payment);
}

/* What the days compared do not have may have become final on another day, or not at all. */
static enum status look_up_others(struct work *work) {
    enum status status = STATUS_OK;
    const struct network_line *line;
    while (status == STATUS_OK && (line = comparison_next(work->comparison)) != NULL) {
        struct transaction_now found;
        arena_reset(work->scratch);
        status = transaction_find(work->context, work->network.name, line->transaction, work->scratch, &found);
        if (status == STATUS_OK) {
            compare_payment(work, line, &found);
        } else if (status == STATUS_NONE) {
            comparison_answer_unknown(work->comparison, line);
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
        status = settlements_each(work->context->connection, &span, work->scratch, take_paid_operation, work);
    }
    return status == STATUS_OK ? look_up_others(work) : status;
}

static enum outcome show_comparison(struct work *work, enum report_format format) {
    struct compared *compared = &work->compared;
    compared->network = work->network.name;
    compared->lines = work->file.count;
    compared->found = comparison_end(work->comparison);
    compare_output(work->context->arena, compared, format);
    if (compared->found->count > 0) {
        remark("%zu difference%s between the network's list and ours", compared->found->count,
               compared->found->count == 1 ? "" : "s");
    }
    return compared->found->count == 0 ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static enum outcome run_comparison(struct work *work, enum report_format format) {
    bool has_one_day = arguments_has(&work->context->arguments, "date");
    work->scratch = arena_create();
    work->comparison =
        comparison_create(work->context->arena, &work->file, has_one_day ? work->compared.first.date : TEXT(""));
    enum status status = compare_with_database(work);
    enum outcome outcome = status == STATUS_OK ? show_comparison(work, format)
                                               : fail(work->context, status, "read the payments of the network");
    comparison_free(work->comparison);
    arena_destroy(work->scratch);
    return outcome;
}

/* A file that cannot be read at all says nothing about its payments. */
static enum outcome judge_first_line(const struct work *work) {
    const struct network_file *file = &work->file;
    bool has_columns = file->count != 1 || file->lines[0].complaint == NULL || file->lines[0].number > 1;
    return has_columns ? OUTCOME_DONE : refuse(work->context, "--file: %s", file->lines[0].complaint);
}

enum outcome compare_report(struct context *context) {
    enum report_format format;
    struct work work = {.context = context, .zone = arguments_get(&context->arguments, "zone")};
    work.zone = work.zone.at == NULL ? TEXT("UTC") : work.zone;
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
