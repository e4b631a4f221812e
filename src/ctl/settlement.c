#include "ctl/settlement.h"

#include "ctl/catalogue.h"
#include "ctl/forms.h"
#include "ctl/report.h"
#include "ctl/settlement_sheet.h"

/* A statement that was running when the day ended has ended too by then: none waits longer for a lock, or for its answer. */
#define CLOSING MINUTE

struct run {
    const struct settlement *settlement;
    const struct settlement_form *form; /* NULL: the sheet itself */
    struct sheet sheet;
    struct tally *tally;
    bool begun; /* an operation was printed */
};

static enum outcome take_parties(const struct context *context, struct settlement *settlement,
                                 struct settlement_span *span) {
    const struct arguments *arguments = &context->arguments;
    struct network_description network = {.id = 0};
    struct merchant_description merchant = {.id = 0};
    enum outcome outcome = OUTCOME_DONE;
    settlement->network = arguments_get(arguments, "network");
    settlement->merchant = arguments_get(arguments, "merchant");
    if (settlement->network.at != NULL && settlement->merchant.at != NULL) {
        return misuse(context, "--network and --merchant exclude each other");
    }
    if (settlement->network.at != NULL) {
        outcome = catalogue_network(context, settlement->network, &network);
    }
    if (settlement->merchant.at != NULL) {
        outcome = catalogue_merchant(context, settlement->merchant, &merchant);
    }
    span->network_id = network.id;
    span->merchant_id = merchant.id;
    return outcome;
}

/* --zone, else that of the merchant's country, else UTC. */
static enum outcome take_day(const struct context *context, uint64_t merchant_id, struct day *out) {
    struct text zone = arguments_get(&context->arguments, "zone");
    if (zone.at == NULL && merchant_id != 0) {
        enum status status = settlements_zone(context->connection, merchant_id, context->arena, &zone);
        if (status != STATUS_OK) {
            return fail(context, status, "read the time zone of the merchant's country");
        }
    }
    return day_cut(context, arguments_get(&context->arguments, "date"), zone.at == NULL ? TEXT("UTC") : zone, out);
}

static enum outcome judge_day(const struct context *context, struct settlement *settlement,
                              struct settlement_span *span) {
    instant now;
    enum status status = settlements_now(context->connection, &now);
    if (status != STATUS_OK) {
        return fail(context, status, "ask the database for the time");
    }
    if (now < settlement->day.begins) {
        return refuse(context, "%.*s has not begun yet in %.*s", TEXT_ARGS(settlement->day.date),
                      TEXT_ARGS(settlement->day.zone));
    }
    settlement->closes_at = settlement->day.ends + CLOSING;
    settlement->is_open = now < settlement->closes_at;
    span->from = settlement->day.begins;
    span->to = now < settlement->day.ends ? now : settlement->day.ends;
    return OUTCOME_DONE;
}

static void take_operation(void *context, const struct operation *operation) {
    struct run *run = context;
    tally_add(run->tally, operation);
    sheet_operation(&run->sheet, operation);
    if (run->form != NULL && !run->settlement->summary) {
        run->form->operation(operation, !run->begun);
        run->begun = true;
    }
}

static void finish(struct run *run) {
    char digest[DIGEST_HEX_SIZE];
    size_t count;
    const struct tally_row *rows = tally_rows(run->tally, &count);
    sheet_end(&run->sheet, run->settlement, rows, count, digest);
    if (run->form != NULL) {
        run->form->end(run->settlement, rows, count, run->settlement->is_open ? NULL : digest);
    }
}

/* Half of the document is out already: no other one comes behind it. */
static enum outcome fail_midway(const struct context *context, enum status status) {
    struct context speaking = *context;
    speaking.json = false;
    return fail(&speaking, status, "read the payments to the end; what is printed is not whole");
}

static enum outcome print(const struct context *context, struct run *run, const struct settlement_span *span) {
    struct arena *scratch = arena_create();
    sheet_begin(&run->sheet, run->settlement);
    if (run->form != NULL) {
        run->form->begin(run->settlement);
    }
    enum status status = settlements_each(context->connection, span, scratch, take_operation, run);
    if (status == STATUS_OK) {
        finish(run);
    }
    arena_destroy(scratch);
    return status == STATUS_OK ? OUTCOME_DONE : fail_midway(context, status);
}

enum outcome settlement_report(struct context *context) {
    static const struct settlement_form *const FORMS[] = {
        [FORM_TABLE] = &settlement_table, [FORM_CSV] = NULL, [FORM_JSON] = &settlement_json};
    struct settlement settlement = {.summary = arguments_has(&context->arguments, "summary")};
    struct settlement_span span = {0};
    enum form form;
    enum outcome outcome = forms_take(context, &form);
    if (outcome == OUTCOME_DONE) {
        outcome = take_parties(context, &settlement, &span);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = take_day(context, span.merchant_id, &settlement.day);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = judge_day(context, &settlement, &span);
    }
    if (outcome == OUTCOME_DONE) {
        struct run run = {.settlement = &settlement, .form = FORMS[form], .tally = tally_create(context->arena)};
        run.sheet.printed = form == FORM_CSV;
        outcome = print(context, &run, &span);
        tally_free(run.tally);
    }
    return outcome;
}
