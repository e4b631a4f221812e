#include "ctl/settlement/settlement.h"

#include "base/zone/zone_day.h"
#include "ctl/common/catalogue.h"
#include "ctl/core/failure.h"
#include "ctl/settlement/day.h"
#include "ctl/settlement/report_format.h"
#include "settlement/closing.h"

struct report {
    struct settlement settlement;
    struct settlement_span span;
    struct text stored;                     /* the digest stored when the settlement was closed; empty: none */
    const struct settlement_format *format; /* NULL: print the CSV sheet itself */
    struct sheet sheet;
    struct tally *tally;
    bool begun; /* an operation has been printed */
    char digest[DIGEST_HEX_SIZE];
};

static enum outcome take_party_options(const struct context *context, struct report *report) {
    const struct arguments *arguments = &context->arguments;
    struct settlement *settlement = &report->settlement;
    settlement->network = arguments_get(arguments, "network");
    settlement->merchant = arguments_get(arguments, "merchant");
    if (settlement->network.at != NULL && settlement->merchant.at != NULL) {
        return misuse(context, "--network and --merchant exclude each other");
    }
    enum outcome outcome = catalogue_network_option(context, &report->span.network_id);
    return outcome == OUTCOME_DONE ? catalogue_merchant_option(context, &report->span.merchant_id) : outcome;
}

enum outcome settlement_find(const struct context *context, struct text number, struct settlement_row *out) {
    uint64_t wanted = 0;
    enum status status = STATUS_NONE;
    if (text_to_number(number, &wanted) && wanted <= UINT32_MAX) {
        status = settlements_find(context->connection, wanted, context->arena, out);
    }
    if (status == STATUS_NONE) {
        return refuse(context, "there is no settlement %.*s (see recaudoctl settlement list)", TEXT_ARGS(number));
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the settlement");
}

/* Keeps the network, merchant and --summary. */
static void describe_settlement_or_day(struct report *report, const struct settlement_row *row) {
    struct settlement *settlement = &report->settlement;
    struct settlement described = closing_describe(row);
    described.network = settlement->network;
    described.merchant = settlement->merchant;
    described.summary = settlement->summary;
    *settlement = described;
    report->span.number = row->number;
    report->stored = row->digest;
}

static enum outcome take_number(const struct context *context, struct report *report) {
    struct settlement_row row = {.number = 0};
    enum outcome outcome = settlement_find(context, arguments_get(&context->arguments, "number"), &row);
    if (outcome == OUTCOME_DONE) {
        describe_settlement_or_day(report, &row);
    }
    return outcome;
}

/* Chooses --zone, else the zone in which the dispatcher closes, else that of the merchant's country, else UTC. */
static enum outcome take_zone(const struct context *context, uint64_t merchant_id, struct text *zone) {
    *zone = arguments_get(&context->arguments, "zone");
    if (zone->at != NULL) {
        return OUTCOME_DONE;
    }
    *zone = text_of(context->config.settlement.zone);
    if (merchant_id != 0 && context->config.settlement.close_at == ZONE_TIME_OFF) {
        enum status status = settlements_zone(context->connection, merchant_id, context->arena, zone);
        if (status != STATUS_OK) {
            return fail(context, status, "read the time zone of the merchant's country");
        }
    }
    return OUTCOME_DONE;
}

/* Days before settlements were introduced belong to the first one, which holds all operations that were final at the
 * migration. Such a day is closed. */
static enum outcome take_old_day(const struct context *context, const struct day *day, struct report *report) {
    struct settlement_row first;
    enum status status = settlements_find(context->connection, 1, context->arena, &first);
    if (status != STATUS_OK) {
        return fail(context, status, "read the first settlement");
    }
    if (text_equal(first.closed_by, TEXT(SETTLEMENT_MIGRATED)) && day->ends <= first.closed_at) {
        report->span.among = first.number;
        report->settlement.is_open = false;
    }
    return OUTCOME_DONE;
}

static enum outcome remark_settlements_with(const struct context *context, const struct day *day) {
    struct text numbers;
    enum status status = settlements_with_day(context->connection, day->begins, day->ends, context->arena, &numbers);
    if (status != STATUS_OK) {
        return fail(context, status, "read the settlements");
    }
    remark(
        "no settlement was closed for %.*s (%.*s): these are the operations between its instants; closed settlements "
        "that have operations of this day: %.*s (recaudoctl settlement list)",
        TEXT_ARGS(day->date), TEXT_ARGS(day->zone), TEXT_ARGS(numbers.size > 0 ? numbers : TEXT("none")));
    return OUTCOME_DONE;
}

/* For a day without a settlement, selects the operations between its instants. */
static enum outcome take_instants(const struct context *context, const struct day *day, struct report *report) {
    instant now;
    enum status status = settlements_now(context->connection, &now);
    if (status != STATUS_OK) {
        return fail(context, status, "ask the database for the time");
    }
    if (now < day->begins) {
        return refuse(context, "%.*s has not begun yet in %.*s", TEXT_ARGS(day->date), TEXT_ARGS(day->zone));
    }
    enum outcome outcome = remark_settlements_with(context, day);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    report->settlement.date = day->date;
    report->settlement.zone = day->zone;
    report->settlement.begins_at = day->begins;
    report->settlement.ends_at = day->ends;
    report->settlement.is_open = true;
    report->span.from = day->begins;
    report->span.to = now < day->ends ? now : day->ends;
    return take_old_day(context, day, report);
}

static enum outcome take_day_option(const struct context *context, struct report *report) {
    struct text zone;
    struct day day;
    struct settlement_row row;
    enum outcome outcome = take_zone(context, report->span.merchant_id, &zone);
    if (outcome == OUTCOME_DONE) {
        outcome = day_cut(context, arguments_get(&context->arguments, "date"), zone, &day);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    const struct named_day named = {day.date, zone, context->config.settlement.zone};
    enum status status = closing_find_day(context->connection, &named, context->arena, &row);
    if (status == STATUS_OK) {
        describe_settlement_or_day(report, &row);
        return OUTCOME_DONE;
    }
    return status == STATUS_NONE ? take_instants(context, &day, report) : fail(context, status, "read the settlements");
}

static enum outcome take_which(const struct context *context, struct report *report) {
    bool has_number = arguments_has(&context->arguments, "number");
    if (has_number == arguments_has(&context->arguments, "date")) {
        return misuse(context, "either --number of a settlement or --date of a day");
    }
    if (has_number && arguments_has(&context->arguments, "zone")) {
        return misuse(context, "--zone requires --date");
    }
    return has_number ? take_number(context, report) : take_day_option(context, report);
}

static void take_settled_operation(void *context, const struct operation *operation) {
    struct report *report = context;
    tally_add(report->tally, operation);
    sheet_operation(&report->sheet, operation);
    if (report->format != NULL && !report->settlement.summary) {
        report->format->operation(operation, !report->begun);
        report->begun = true;
    }
}

static void finish_sums(struct report *report) {
    size_t count;
    const struct tally_row *rows = tally_rows(report->tally, &count);
    sheet_end(&report->sheet, &report->settlement, rows, count, report->digest);
    if (report->format != NULL) {
        report->format->end(&report->settlement, rows, count, report->settlement.is_open ? NULL : report->digest);
    }
}

/* Part of the document has been printed, so no JSON error document may follow. */
static struct context without_json(const struct context *context) {
    struct context changed = *context;
    changed.json = false;
    return changed;
}

/* Only an unfiltered settlement can be compared with the stored digest; a filtered one has a digest of its own. */
static enum outcome compare_digests(const struct context *context, const struct report *report) {
    bool is_whole = report->span.network_id == 0 && report->span.merchant_id == 0;
    if (!is_whole || report->stored.size == 0 || text_equal(report->stored, text_of(report->digest))) {
        return OUTCOME_DONE;
    }
    return refuse(context, "settlement %llu has another digest than when it was closed: %.*s; its rows were changed",
                  (unsigned long long)report->settlement.number, TEXT_ARGS(report->stored));
}

static enum outcome print_settlement(const struct context *context, struct report *report) {
    struct context afterwards = without_json(context);
    struct arena *scratch = arena_create();
    sheet_begin(&report->sheet, &report->settlement);
    if (report->format != NULL) {
        report->format->begin(&report->settlement);
    }
    enum status status = settlements_each(context->connection, &report->span, scratch, take_settled_operation, report);
    if (status == STATUS_OK) {
        finish_sums(report);
    }
    arena_destroy(scratch);
    if (status != STATUS_OK) {
        return fail(&afterwards, status, "read all payments; the output is incomplete");
    }
    return compare_digests(&afterwards, report);
}

static void print_settlement_line(void *context, struct text line) {
    (void)context;
    fwrite(line.at, 1, line.size, stdout);
}

enum outcome settlement_report(struct context *context) {
    static const struct settlement_format *const FORMS[] = {
        [REPORT_TABLE] = &settlement_table, [REPORT_CSV] = NULL, [REPORT_JSON] = &settlement_json};
    struct report report = {.settlement = {.summary = arguments_has(&context->arguments, "summary")}};
    enum report_format format;
    enum outcome outcome = report_format_take(context, &format);
    if (outcome == OUTCOME_DONE) {
        outcome = take_party_options(context, &report);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = take_which(context, &report);
    }
    if (outcome == OUTCOME_DONE) {
        report.format = FORMS[format];
        report.sheet.write = format == REPORT_CSV ? print_settlement_line : NULL;
        report.tally = tally_create(context->arena);
        outcome = print_settlement(context, &report);
        tally_free(report.tally);
    }
    return outcome;
}
