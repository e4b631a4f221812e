#include "ctl/core/failure.h"
#include "ctl/core/list_options.h"
#include "ctl/core/output.h"
#include "ctl/settlement/day.h"
#include "ctl/settlement/settlement.h"
#include "domain/instant.h"
#include "settlement/closing.h"

static void describe_settlement(struct record *record, const struct settlement_row *row) {
    static const char *const COUNTS[] = {
        [OPERATION_FINALISED] = "finalised", [OPERATION_CANCELLED] = "cancelled", [OPERATION_REFUNDED] = "refunded"};
    record_number(record, "settlement", row->number);
    record_text(record, "state", row->is_closed ? TEXT("closed") : TEXT("open"));
    record_text_or_nothing(record, "date", row->day);
    record_text_or_nothing(record, "zone", row->zone);
    record_instant(record, "opened_at", row->opened_at);
    record_instant(record, "closed_at", row->closed_at);
    record_text_or_nothing(record, "closed_by", row->closed_by);
    for (enum operation_kind kind = 0; kind < OPERATION_KINDS; kind++) {
        if (row->is_summed) {
            record_number(record, COUNTS[kind], row->counts[kind]);
        } else {
            record_text_or_nothing(record, COUNTS[kind], TEXT(""));
        }
    }
    record_text_or_nothing(record, "digest", row->digest);
}

static void add_settlement_to_list(void *context, const struct settlement_row *row) {
    describe_settlement(record_list_add(context), row);
}

static enum outcome settlement_list(struct context *context) {
    uint64_t limit;
    enum outcome outcome = list_options_limit(context, &limit);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct record_list *settlements = record_list_create(context->arena);
    enum status status =
        settlements_list(context->connection, limit, context->arena, add_settlement_to_list, settlements);
    if (status != STATUS_OK) {
        return fail(context, status, "list the settlements");
    }
    list_options_print(context, settlements, limit);
    return OUTCOME_DONE;
}

static enum outcome print_closed(const struct context *context, const struct settlement_row *row) {
    struct record *record = record_create(context->arena);
    describe_settlement(record, row);
    output_record(record, context->json);
    return OUTCOME_DONE;
}

static enum outcome settlement_show(struct context *context) {
    struct settlement_row row;
    enum outcome outcome = settlement_find(context, context->arguments.words[0], &row);
    return outcome == OUTCOME_DONE ? print_closed(context, &row) : outcome;
}

/* Refuses a day that is not over: operations that become final later on it would be in no settlement of that day. */
static enum outcome check_that_it_is_over(const struct context *context, const struct day *day) {
    char ends[INSTANT_TEXT_SIZE];
    instant now;
    enum status status = settlements_now(context->connection, &now);
    if (status != STATUS_OK) {
        return fail(context, status, "ask the database for the time");
    }
    return now >= day->ends ? OUTCOME_DONE
                            : refuse(context,
                                     "%.*s in %.*s is over at %s: until then nothing can be closed for that day; "
                                     "without --date the settlement is of no day",
                                     TEXT_ARGS(day->date), TEXT_ARGS(day->zone), instant_print(day->ends, ends));
}

/* Refuses another name for the cut of the configured zone: the day would get a settlement under each name. */
static enum outcome check_name_of_zone(const struct context *context, const struct day *day) {
    const struct named_day named = {day->date, day->zone, context->config.settlement.zone};
    return !closing_cuts_alike(&named)
               ? OUTCOME_DONE
               : refuse(context, "%.*s in %.*s is the same day as in %s, the zone that is configured: leave out --zone",
                        TEXT_ARGS(day->date), TEXT_ARGS(day->zone), named.configured);
}

/* Reads the day to close from --date and --zone. Without --date, the settlement is closed for no day. */
static enum outcome take_closing_day(const struct context *context, struct closing *closing, struct day *day) {
    struct text zone = arguments_get(&context->arguments, "zone"), date = arguments_get(&context->arguments, "date");
    if (date.at == NULL) {
        return zone.at == NULL ? OUTCOME_DONE : misuse(context, "--zone requires --date");
    }
    zone = zone.at == NULL ? text_of(context->config.settlement.zone) : zone;
    enum outcome outcome = day_cut(context, date, zone, day);
    closing->day = date;
    closing->zone = zone;
    if (outcome == OUTCOME_DONE) {
        outcome = check_name_of_zone(context, day);
    }
    return outcome == OUTCOME_DONE ? check_that_it_is_over(context, day) : outcome;
}

static enum outcome complain_of_rows(const struct context *context, enum status status, const struct closing *closing) {
    if (status == STATUS_CHANGED) {
        return refuse(context, "settlement %llu is not the open one any more: somebody else closed it meanwhile",
                      (unsigned long long)closing->number);
    }
    if (status == STATUS_CLASH) {
        return refuse(context, "%.*s in %.*s has a settlement already; nothing was closed", TEXT_ARGS(closing->day),
                      TEXT_ARGS(closing->zone));
    }
    return fail(context, status, "close the settlement");
}

/* Whoever closes a day late takes with it what came since. */
static void remark_later_operations(const struct context *context, const struct closing *closing,
                                    const struct day *day) {
    char ends[INSTANT_TEXT_SIZE];
    uint64_t later = 0;
    if (day->ends != 0 &&
        settlements_count_since(context->connection, closing->number, day->ends, &later) == STATUS_OK && later > 0) {
        remark(
            "settlement %llu has %llu operations of after %.*s (%.*s), which was over at %s: it has all that was final "
            "when it was closed, and no later settlement has these",
            (unsigned long long)closing->number, (unsigned long long)later, TEXT_ARGS(day->date), TEXT_ARGS(day->zone),
            instant_print(day->ends, ends));
    }
}

static enum outcome close_open(struct context *context) {
    struct settlement_row row;
    struct closing closing = {.actor = context->actor};
    struct day day = {.ends = 0};
    enum outcome outcome = take_closing_day(context, &closing, &day);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = settlements_find_open(context->connection, context->arena, &row);
    if (status == STATUS_OK) {
        closing.number = row.number;
        status = closing_close(context->connection, &closing);
    }
    if (status != STATUS_OK) {
        return complain_of_rows(context, status, &closing);
    }
    remark_later_operations(context, &closing, &day);
    status = closing_sum_all(context->connection);
    if (status != STATUS_OK) {
        return fail_after(context, status, "compute the digest",
                          "the settlement is closed, and a dispatcher computes it");
    }
    status = settlements_find(context->connection, closing.number, context->arena, &row);
    return status == STATUS_OK ? print_closed(context, &row)
                               : fail_after(context, status, "read the settlement", "the settlement is closed");
}

static const struct option_spec CLOSE_OPTIONS[] = {
    {.name = "date", .value = "DAY", .help = "it becomes the settlement of this day, 2026-11-21"},
    ZONE_OPTION,
    {.name = NULL},
};

static const struct option_spec LIST_OPTIONS[] = {
    LIMIT_OPTION,
    {.name = NULL},
};

const struct command settlement_commands[] = {
    {"close", "", "close the open settlement and open the next",
     "All that is final and committed is in it, or in an earlier one; what commits later goes to the next. A closed\n"
     "settlement never changes. The dispatcher closes by itself when [settlement] close_at is set. With --date it is\n"
     "the one that report settlement --date gives for that day of --zone ([settlement] zone), which must be over; a\n"
     "day has one at most. It also takes what became final since that day; standard error says how much.",
     CLOSE_OPTIONS, 0, NEEDS_DATABASE, close_open},
    {"list", "", "the newest settlements, with counts and digests", NULL, LIST_OPTIONS, 0, NEEDS_DATABASE,
     settlement_list},
    {"show", "N", "one settlement: when and by whom it was closed, counts and digest",
     "recaudoctl report settlement --number N computes the digest anew, and says so when it is another one.",
     no_options, 1, NEEDS_DATABASE, settlement_show},
    {.verb = NULL},
};
