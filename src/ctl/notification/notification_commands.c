#include "ctl/common/attempt_records.h"
#include "ctl/common/catalogue.h"
#include "ctl/common/event_records.h"
#include "ctl/common/reason.h"
#include "ctl/core/failure.h"
#include "ctl/core/list_options.h"
#include "ctl/core/output.h"
#include "ctl/notification/notification_find.h"
#include "ctl/notification/notification_records.h"
#include "ctl/notification/notification_retry.h"
#include "ctl/notification/notification_test.h"

static enum outcome take_notification_filter(const struct context *context, struct notification_filter *out) {
    enum notification_state state;
    *out = (struct notification_filter){.state = arguments_get(&context->arguments, "state")};
    if (out->state.at != NULL && !notification_state_parse(out->state, &state)) {
        return misuse(context, "--state is pending, delivered, exhausted, unaddressed or waiting");
    }
    enum outcome outcome = list_options_limit(context, &out->limit);
    return outcome == OUTCOME_DONE ? catalogue_merchant_option(context, &out->merchant_id) : outcome;
}

static void add_notification_to_list(void *context, const struct notification_row *notification) {
    notification_records_summary(record_list_add(context), notification);
}

static enum outcome notification_list(struct context *context) {
    struct notification_filter filter;
    enum outcome outcome = take_notification_filter(context, &filter);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct record_list *notifications = record_list_create(context->arena);
    enum status status =
        notifications_list(context->connection, &filter, context->arena, add_notification_to_list, notifications);
    if (status != STATUS_OK) {
        return fail(context, status, "list the notifications");
    }
    list_options_print(context, notifications, filter.limit);
    return OUTCOME_DONE;
}

struct attempt_adding {
    struct record_list *list;
    bool whole;
};

static void record_attempt(void *context, const struct attempt_row *attempt) {
    const struct attempt_adding *adding = context;
    attempt_records_add(adding->list, attempt, adding->whole);
}

static enum outcome show_one(struct context *context, const struct notification_row *notification) {
    struct record *record = record_create(context->arena);
    notification_records_whole(record, notification);
    struct attempt_adding adding = {record_list(record, "attempts"), context->json};
    enum status status =
        attempts_of_notification(context->connection, notification->id, context->arena, record_attempt, &adding);
    if (status != STATUS_OK) {
        return fail(context, status, "read the attempts");
    }
    enum outcome outcome = event_records_add(context, "notification", notification->id, record);
    if (outcome == OUTCOME_DONE) {
        output_record(record, context->json);
    }
    return outcome;
}

static enum outcome notification_show(struct context *context) {
    struct notification_row notification;
    struct text word = context->arguments.words[0];
    enum status status = notification_find(context, word, &notification);
    if (status == STATUS_NONE) {
        return refuse(context, "there is no notification %.*s (see recaudoctl notification list)", TEXT_ARGS(word));
    }
    return status == STATUS_OK ? show_one(context, &notification) : fail(context, status, "read the notification");
}

static const struct option_spec LIST_OPTIONS[] = {
    {.name = "state", .value = "pending|delivered|exhausted|unaddressed|waiting", .help = "only those in this state"},
    {.name = "merchant", .value = "NAME", .help = "only this merchant's"},
    LIMIT_OPTION,
    {.name = NULL},
};

static const struct option_spec RETRY_OPTIONS[] = {
    {.name = "merchant", .value = "NAME", .help = "all of this merchant that were not acknowledged; with --since"},
    {.name = "since",
     .value = "UNIX_OR_ISO",
     .help = "those that came up from this instant (UTC) on: 1795000000, 2026-11-21 or 2026-11-21T09:30:00Z"},
    {.name = "again", .help = "also those that were delivered: the merchant gets them a second time"},
    {.name = "dry-run", .help = "only show what would be done"},
    REASON_OPTION,
    {.name = NULL},
};

static const struct option_spec TEST_OPTIONS[] = {
    {.name = "merchant", .value = "NAME", .help = "the merchant whose notify_url is tried", .required = true},
    {.name = NULL},
};

const struct command notification_commands[] = {
    {"list", "", "the newest notifications; with --state, those with the latest due time first",
     "pending: is to be sent at due_at, or is being sent now (in_flight); delivered: acknowledged; exhausted: all\n"
     "attempts failed; unaddressed: the merchant has no notify_url; waiting: comes after an earlier notification of\n"
     "its order.",
     LIST_OPTIONS, 0, NEEDS_DATABASE, notification_list},
    {"show", "ID", "one notification, with every attempt to deliver it and its history",
     "ID is the number here or the webhook-id (ntf_...). For people the replies are cut; --json has them whole, up to\n"
     "16 KiB.",
     no_options, 1, NEEDS_DATABASE, notification_show},
    {"retry", "[ID...]", "send notifications again: by their ids, or all of a merchant since an instant",
     "An id is a number or a webhook-id. Takes those that are exhausted, were unaddressed, or wait for a later\n"
     "attempt, and makes them due at once with all attempts before them. What was delivered needs --again. With ids\n"
     "it is all or nothing; with --merchant those that cannot be sent are listed with the reason. `approved` still\n"
     "comes before `cancelled`, and is not sent alone when `cancelled` has finished after it. The event log notes who\n"
     "and why.",
     RETRY_OPTIONS, ANY_WORDS, NEEDS_DATABASE, notification_retry},
    {"test", "", "send one test message to a merchant now, and show its reply",
     "The message is marked (header Recaudo-Test, po_id recaudo.test, pv_po_id 0, status cancelled), and its checksum\n"
     "and signature are right. Nothing is stored. Exit status 1 when it is not acknowledged.",
     TEST_OPTIONS, 0, NEEDS_DATABASE | NEEDS_KEY, notification_test},
    {.verb = NULL},
};
