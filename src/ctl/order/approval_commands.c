#include "ctl/common/reason.h"
#include "ctl/core/failure.h"
#include "ctl/core/list_options.h"
#include "ctl/core/output.h"
#include "store/payment/approvals.h"

/* All records get the same keys, because a list is printed as a table. */
static void describe_claimed_order(struct record *record, const struct approval *approval) {
    if (text_equal(approval->kind, TEXT(APPROVAL_CLAIM))) {
        record_text(record, "po_id", approval->po_id);
        record_number(record, "pv_po_id", approval->subject_id);
        record_amount(record, "amount", approval->amount, approval->currency);
        return;
    }
    static const char *const OF_CLAIMS[] = {"po_id", "pv_po_id", "amount"};
    for (size_t i = 0; i < COUNT_OF(OF_CLAIMS); i++) {
        record_text_or_nothing(record, OF_CLAIMS[i], TEXT(""));
    }
}

static void describe_approval(struct record *record, const struct approval *approval) {
    record_number(record, "id", approval->id);
    record_text(record, "kind", approval->kind);
    record_text(record, "state", approval->state);
    record_text_or_nothing(record, "network", approval->network);
    record_text_or_nothing(record, "merchant", approval->merchant);
    describe_claimed_order(record, approval);
    record_text_or_nothing(record, "currency", approval->currency);
    record_text_or_nothing(record, "changes", approval->changes);
    record_text(record, "asked_by", approval->asked_by);
    record_instant(record, "asked_at", approval->asked_at);
    record_instant(record, "expires_at", approval->expires_at);
    record_text(record, "reason", approval->reason);
    record_text_or_nothing(record, "answered_by", approval->answered_by);
    record_instant(record, "answered_at", approval->answered_at);
    record_text_or_nothing(record, "answer", approval->answer);
}

static const char *what_it_replaces(const struct approval *approval) {
    static const struct {
        const char *kind, *replaces;
    } KINDS[] = {{APPROVAL_CLAIM, "the order"},
                 {APPROVAL_NOTIFY_URL, "notify_url of the merchant"},
                 {APPROVAL_LIMITS, "the limit of the network"},
                 {APPROVAL_NETWORK_SECRET, "FIXED_HASH of the network"},
                 {APPROVAL_MERCHANT_SECRET, "FIXED_HASH of the merchant"},
                 {APPROVAL_NOTIFICATION_SECRET, "NOTIFICATION_HASH of the merchant"}};
    for (size_t i = 0; i < COUNT_OF(KINDS); i++) {
        if (text_equal(approval->kind, text_of(KINDS[i].kind))) {
            return KINDS[i].replaces;
        }
    }
    return "what it would change";
}

static void add_approval_to_list(void *context, const struct approval *approval) {
    describe_approval(record_list_add(context), approval);
}

static enum outcome approval_list(struct context *context) {
    bool all = arguments_has(&context->arguments, "all");
    struct approval_filter filter = {.choice = all ? APPROVALS_ALL : APPROVALS_WAITING};
    enum outcome outcome = list_options_limit(context, &filter.limit);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct record_list *list = record_list_create(context->arena);
    enum status status = approvals_list(context->connection, &filter, context->arena, add_approval_to_list, list);
    if (status != STATUS_OK) {
        return fail(context, status, "list the approvals");
    }
    list_options_print(context, list, filter.limit);
    return OUTCOME_DONE;
}

static enum outcome find_approval(const struct context *context, struct approval *out) {
    struct text word = context->arguments.words[0];
    uint64_t id;
    enum status status = STATUS_NONE;
    if (text_to_number(word, &id) && id <= INT64_MAX) {
        status = approvals_find(context->connection, id, context->arena, out);
    }
    if (status == STATUS_NONE) {
        return refuse(context, "there is no approval %.*s (see recaudoctl approval list --all)", TEXT_ARGS(word));
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the approval");
}

static enum outcome approval_show(struct context *context) {
    struct approval approval = {.id = 0};
    enum outcome outcome = find_approval(context, &approval);
    if (outcome == OUTCOME_DONE) {
        struct record *record = record_create(context->arena);
        describe_approval(record, &approval);
        output_record(record, context->json);
    }
    return outcome;
}

static enum outcome refuse_answer(const struct context *context, const struct approval *approval,
                                  enum approval_outcome outcome) {
    unsigned long long id = approval->id;
    switch (outcome) {
    case APPROVAL_EXPIRED:
        return refuse(context, "approval %llu has expired; the change must be asked for again", id);
    case APPROVAL_OWN:
        return refuse(context, "approval %llu was asked for by %.*s, and needs another user", id,
                      TEXT_ARGS(approval->asked_by));
    case APPROVAL_STALE:
        return refuse(context, "%s has changed since approval %llu was asked for; nothing was changed",
                      what_it_replaces(approval), id);
    case APPROVAL_ANSWERED_ALREADY:
    case APPROVAL_DONE:
        break;
    }
    return refuse(context, "approval %llu does not wait: recaudoctl approval show %llu", id, id);
}

static enum outcome answer_approval(struct context *context, bool approve) {
    struct approval approval = {.id = 0};
    struct approval_answer answer = {.approve = approve, .actor = context->actor};
    enum outcome outcome = reason_take(context, REASON_MAX, &answer.reason);
    if (outcome == OUTCOME_DONE) {
        outcome = find_approval(context, &approval);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum approval_outcome done;
    answer.id = approval.id;
    enum status status = approvals_answer(context->connection, &answer, &done);
    if (status != STATUS_OK) {
        return fail(context, status, "store the answer");
    }
    return done == APPROVAL_DONE ? approval_show(context) : refuse_answer(context, &approval, done);
}

static enum outcome approval_approve(struct context *context) {
    return answer_approval(context, true);
}

static enum outcome approval_refuse(struct context *context) {
    return answer_approval(context, false);
}

static const struct option_spec APPROVALS_OPTIONS[] = {
    {.name = "all", .help = "also those that were approved or refused"},
    LIMIT_OPTION,
    {.name = NULL},
};

static const struct option_spec ANSWER_OPTIONS[] = {
    {.name = "reason", .value = "TEXT", .help = "why, for the event log, at most 250 characters", .required = true},
    {.name = NULL},
};

const struct command approval_commands[] = {
    {"list", "", "what waits for a second user's approval",
     "Claims above the amount that dual_control has for their currency, and changes that dual_changes names:\n"
     "new secrets, notify_url, and limits of networks. Without a row there, none wait.",
     APPROVALS_OPTIONS, 0, NEEDS_DATABASE, approval_list},
    {"show", "NUMBER", "what was asked for, by whom and why", NULL, no_options, 1, NEEDS_DATABASE, approval_show},
    {"approve", "NUMBER", "approve a change, which is made exactly as it was asked for",
     "Whoever asked for it cannot approve it, neither here nor in the console.", ANSWER_OPTIONS, 1, NEEDS_DATABASE,
     approval_approve},
    {"refuse", "NUMBER", "refuse a change, or withdraw your own", NULL, ANSWER_OPTIONS, 1, NEEDS_DATABASE,
     approval_refuse},
    {.verb = NULL},
};
