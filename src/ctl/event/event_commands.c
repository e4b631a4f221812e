#include "ctl/common/event_records.h"
#include "ctl/core/failure.h"
#include "ctl/core/list_options.h"

/* As in the table event_log. */
static const char *const SUBJECTS[] = {"order",       "transaction", "account", "network",  "merchant",  "notification",
                                       "integration", "setting",     "user",    "approval", "settlement"};

static bool is_subject(struct text word) {
    return text_place_in(word, SUBJECTS, COUNT_OF(SUBJECTS)) < COUNT_OF(SUBJECTS);
}

static enum outcome take_event_filter(const struct context *context, struct event_filter *out) {
    const struct arguments *arguments = &context->arguments;
    *out = (struct event_filter){.subject = arguments_get(arguments, "subject"),
                                 .actor = arguments_get(arguments, "actor"),
                                 .db_account = arguments_get(arguments, "account")};
    if (out->subject.at != NULL && !is_subject(out->subject)) {
        return misuse(context, "--subject is one of order, transaction, account, network, merchant, notification, "
                               "integration, setting, user, approval, settlement");
    }
    enum outcome outcome = list_options_period(context, &out->since, &out->until);
    return outcome == OUTCOME_DONE ? list_options_limit(context, &out->limit) : outcome;
}

static void add_listed_event(void *context, const struct listed_event *row) {
    struct record *record = record_list_add(context);
    record_number(record, "id", row->id);
    record_instant(record, "at", row->event.at);
    record_text(record, "subject", row->subject);
    record_number(record, "number", row->subject_id);
    record_text_or_nothing(record, "name", row->name);
    record_number_or_nothing(record, "pv_po_id", row->order_id);
    event_records_describe(record, &row->event);
    record_text(record, "db_account", row->db_account);
}

static enum outcome event_list(struct context *context) {
    struct event_filter filter;
    enum outcome outcome = take_event_filter(context, &filter);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct record_list *events = record_list_create(context->arena);
    enum status status = events_newest(context->connection, &filter, add_listed_event, events);
    if (status != STATUS_OK) {
        return fail(context, status, "read the event log");
    }
    list_options_print(context, events, filter.limit);
    return OUTCOME_DONE;
}

static const struct option_spec LIST_OPTIONS[] = {
    {.name = "subject", .value = "KIND", .help = "only of merchant, order (payments are transaction), ..."},
    {.name = "actor", .value = "WHO", .help = "only what they did whose name begins so: operator:ana, db:, network:"},
    {.name = "account",
     .value = "NAME",
     .help = "only what accounts of the database wrote whose name begins so: root@"},
    SINCE_OPTION,
    UNTIL_OPTION,
    LIMIT_OPTION,
    {.name = NULL},
};

const struct command event_commands[] = {
    {"list", "", "the newest events, of everything: who changed what, and when",
     "Whoever changes a row by hand may write any name as the actor, and set the time; db_account is who logged in.\n"
     "A payment's event also tells of its order (pv_po_id). The commands that show one order, network or merchant\n"
     "print its own events, all of them. Nobody changes the log: audit verify checks it. A filter that lets little\n"
     "through reads the whole log, unless --since bounds it.",
     LIST_OPTIONS, 0, NEEDS_DATABASE, event_list},
    {.verb = NULL},
};
