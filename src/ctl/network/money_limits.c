#include "ctl/network/money_limits.h"

#include "ctl/common/catalogue.h"
#include "ctl/common/reason.h"
#include "ctl/common/waiting.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/core/problem.h"
#include "ctl/core/shell_word.h"
#include "ctl/core/validation.h"
#include "domain/currency.h"
#include "store/party/history.h"
#include "store/party/money_limits.h"

/* Shorter than usual, because its event also contains the amount. */
enum { REMIT_REASON_MAX = 200 };

const struct option_spec money_limit_options[] = {
    {.name = "day", .value = "AMOUNT", .help = "the most it may confirm in a day (UTC); the word none: no limit"},
    {.name = "outstanding",
     .value = "AMOUNT",
     .help = "the most it may have confirmed and not remitted; the word none: no limit"},
    {.name = "reason", .value = "TEXT", .help = "why, for the event log; at most 100 characters"},
    {.name = NULL},
};

const struct option_spec money_remit_options[] = {
    {.name = "back", .help = "take back what was recorded by mistake, or add what it owes from before"},
    {.name = "reason", .value = "TEXT", .help = "which payment it was, or why"},
    {.name = NULL},
};

static void add_bound(struct record *record, const char *const keys[3], const struct money_bound *bound,
                      struct text currency) {
    if (!bound->is_set) {
        for (int i = 0; i < 3; i++) {
            record_text_or_nothing(record, keys[i], TEXT(""));
        }
        return;
    }
    record_amount(record, keys[0], bound->most, currency);
    record_amount(record, keys[1], bound->used, currency);
    record_number(record, keys[2], money_percent(bound->used, bound->most));
}

static void add_money_limit(void *context, const struct money_limit *limit) {
    static const char *const OF_DAY[] = {"day_limit", "day_used", "day_percent"};
    static const char *const OF_ALL[] = {"outstanding_limit", "outstanding_used", "outstanding_percent"};
    struct record *record = record_list_add(context);
    record_text(record, "network", limit->network);
    record_text(record, "currency", limit->currency);
    add_bound(record, OF_DAY, &limit->day, limit->currency);
    add_bound(record, OF_ALL, &limit->outstanding, limit->currency);
}

enum outcome money_limits_add(const struct context *context, struct connection *connection, uint64_t network_id,
                              struct record *record) {
    struct record_list *list = record_list(record, "money_limits");
    enum status status = money_limits_list(connection, network_id, context->arena, add_money_limit, list);
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the limits");
}

struct entry {
    struct money_limit limit;
    struct entry *next;
};

struct money_limit_book {
    struct arena *arena;
    struct entry *first, **end;
};

static void enter(void *context, const struct money_limit *limit) {
    struct money_limit_book *book = context;
    struct entry *entry = arena_alloc(book->arena, sizeof *entry);
    *entry = (struct entry){.limit = *limit};
    *book->end = entry;
    book->end = &entry->next;
}

enum status money_limits_read(const struct context *context, struct connection *connection,
                              struct money_limit_book **out) {
    struct money_limit_book *book = arena_alloc(context->arena, sizeof *book);
    *book = (struct money_limit_book){.arena = context->arena, .end = &book->first};
    *out = book;
    return money_limits_list(connection, 0, context->arena, enter, book);
}

void money_limits_add_from(const struct money_limit_book *book, struct text network, struct record *record) {
    struct record_list *list = record_list(record, "money_limits");
    for (const struct entry *entry = book->first; entry != NULL; entry = entry->next) {
        if (text_equal(entry->limit.network, network)) {
            add_money_limit(list, &entry->limit);
        }
    }
}

bool money_limits_has(const struct money_limit_book *book, struct text network) {
    const struct entry *entry = book->first;
    while (entry != NULL && !text_equal(entry->limit.network, network)) {
        entry = entry->next;
    }
    return entry != NULL;
}

struct judging {
    struct arena *arena;
    struct record_list *problems;
};

static void judge_bound(const struct judging *judging, const struct money_limit *limit, const struct money_bound *bound,
                        const char *what) {
    if (money_bound_is_nearly_used(bound)) {
        problem_add(judging->problems,
                    "the network %.*s has used %llu %% of its %s limit in %.*s: recaudoctl network show %s",
                    TEXT_ARGS(limit->network), (unsigned long long)money_percent(bound->used, bound->most), what,
                    TEXT_ARGS(limit->currency), shell_word(judging->arena, limit->network));
    }
}

static void judge_limit(void *context, const struct money_limit *limit) {
    judge_bound(context, limit, &limit->day, "day's");
    judge_bound(context, limit, &limit->outstanding, "outstanding");
}

enum status money_limits_judge(struct connection *connection, struct arena *arena, struct record_list *problems) {
    struct judging judging = {arena, problems};
    return money_limits_list(connection, 0, arena, judge_limit, &judging);
}

static enum outcome read_limit_amount(const struct context *context, const char *name, struct text written,
                                      struct text currency) {
    struct money amount;
    if (currency_parse_amount(currency, written, &amount)) {
        return OUTCOME_DONE;
    }
    if (!currency_is_known(currency)) {
        return refuse(context,
                      "%s: there is no currency %.*s any more; its limits can only be taken away: the word none", name,
                      TEXT_ARGS(currency));
    }
    return refuse(context, "%s: %.*s is not an amount in %.*s such as 5000000", name, TEXT_ARGS(written),
                  TEXT_ARGS(currency));
}

struct finding {
    struct arena *arena;
    struct text currency;
    struct money_limit_change *change;
    bool found;
};

static struct text print_bound(const struct money_bound *bound, struct arena *arena) {
    char printed[MONEY_TEXT_SIZE];
    return bound->is_set ? arena_copy(arena, text_of(money_print(bound->most, 0, printed))) : TEXT("");
}

/* Starts the change from the current limits of this currency; the options then replace them. */
static void keep_wanted_limit(void *context, const struct money_limit *limit) {
    struct finding *finding = context;
    if (text_equal(limit->currency, finding->currency)) {
        finding->change->day = print_bound(&limit->day, finding->arena);
        finding->change->outstanding = print_bound(&limit->outstanding, finding->arena);
        finding->found = true;
    }
}

/* A limit of an earlier release may be in a currency that this one does not know. It can be taken away all the same. */
static enum outcome find_limit_to_change(const struct context *context, struct money_limit_change *change) {
    struct currency_row row;
    struct finding finding = {context->arena, change->currency, change, false};
    enum status status = history_end(context->connection, TEXT("network"), change->network_id, &change->seen);
    if (status == STATUS_OK) {
        status =
            money_limits_list(context->connection, change->network_id, context->arena, keep_wanted_limit, &finding);
    }
    if (status != STATUS_OK) {
        return fail(context, status, "read the limits");
    }
    return finding.found ? OUTCOME_DONE : catalogue_currency(context, change->currency, &row);
}

static enum outcome take_limit_option(const struct context *context, const char *name, struct text currency,
                                      struct text *out) {
    struct text given = arguments_get(&context->arguments, name);
    if (given.at == NULL) {
        return OUTCOME_DONE;
    }
    *out = text_equal(given, TEXT("none")) ? TEXT("") : given;
    return out->size == 0 ? OUTCOME_DONE : read_limit_amount(context, name, given, currency);
}

static enum outcome show_limits(struct context *context, uint64_t network_id) {
    struct record *record = record_create(context->arena);
    enum outcome outcome = money_limits_add(context, context->connection, network_id, record);
    if (outcome == OUTCOME_DONE) {
        output_record(record, context->json);
    }
    return outcome;
}

static void warn_if_used_up(const struct money_bound *bound, const char *what) {
    if (bound->is_set && money_percent(bound->used, bound->most) >= 100) {
        remark("the %s limit is used up already: every confirmation is refused from now on", what);
    }
}

static void warn_of_limit(void *of_currency, const struct money_limit *limit) {
    const struct text *currency = of_currency;
    if (text_equal(limit->currency, *currency)) {
        warn_if_used_up(&limit->day, "day's");
        warn_if_used_up(&limit->outstanding, "outstanding");
    }
}

static enum outcome show_new_limits(struct context *context, const struct money_limit_change *change) {
    struct text currency = change->currency;
    enum outcome outcome = show_limits(context, change->network_id);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status =
        money_limits_list(context->connection, change->network_id, context->arena, warn_of_limit, &currency);
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the limits");
}

static enum outcome set_limits(struct context *context, const struct money_limit_change *change) {
    uint64_t approval = 0;
    enum status status = money_limits_set(context->connection, change, &approval);
    if (status == STATUS_CHANGED) {
        return refuse(context, "somebody else has changed the network meanwhile; nothing was set: look at it "
                               "(recaudoctl network show), and say it again");
    }
    if (status == STATUS_LIMIT) {
        return refuse(context,
                      "the network has confirmed more in %.*s today, or owes more, than a limit can count "
                      "(999999999999999.9999)",
                      TEXT_ARGS(change->currency));
    }
    if (status != STATUS_OK) {
        return fail(context, status, "set the limit");
    }
    return approval == 0 ? show_new_limits(context, change)
                         : refuse(context, "the limit is not set yet: %s", waiting_advice(context, approval));
}

enum outcome money_limits_change(struct context *context) {
    struct network_description network;
    struct money_limit_change change = {
        .currency = context->arguments.words[1], .day = TEXT(""), .outstanding = TEXT(""), .actor = context->actor};
    if (!arguments_has(&context->arguments, "day") && !arguments_has(&context->arguments, "outstanding")) {
        return misuse(context, "nothing to set was given");
    }
    enum outcome outcome = catalogue_network(context, context->arguments.words[0], &network);
    if (outcome == OUTCOME_DONE) {
        change.network_id = network.id;
        outcome = find_limit_to_change(context, &change);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    outcome = take_limit_option(context, "day", change.currency, &change.day);
    outcome = outcome == OUTCOME_DONE ? take_limit_option(context, "outstanding", change.currency, &change.outstanding)
                                      : outcome;
    outcome = outcome == OUTCOME_DONE ? reason_apply(context, LIMIT_REASON_MAX) : outcome;
    return outcome == OUTCOME_DONE ? set_limits(context, &change) : outcome;
}

static enum outcome show_remittance(struct context *context, const struct remittance *remittance,
                                    enum remit_outcome done) {
    switch (done) {
    case REMIT_DONE:
        return show_limits(context, remittance->network_id);
    case REMIT_OWES_LESS:
        return refuse(context, "amount: more than the network owes; record an advance payment once it is owed");
    case REMIT_OWES_TOO_MUCH:
        return refuse(context,
                      "amount: the network would owe more than a limit can count (999999999999999.9999); nothing was "
                      "recorded");
    case REMIT_HAS_NO_LIMIT:
        break;
    }
    return refuse(context, "the network has no outstanding limit in %.*s, so what it owes is not counted",
                  TEXT_ARGS(remittance->currency));
}

enum outcome money_limits_remittance(struct context *context) {
    const struct arguments *arguments = &context->arguments;
    struct network_description network;
    struct currency_row row;
    struct remittance remittance = {.currency = arguments->words[1],
                                    .amount = arguments->words[2],
                                    .reason = arguments_get(arguments, "reason"),
                                    .actor = context->actor};
    const char *complaint = validation_text(context->arena, remittance.reason, REMIT_REASON_MAX);
    if (complaint != NULL) {
        return refuse(context, "reason: %s", complaint);
    }
    enum outcome outcome = catalogue_network(context, arguments->words[0], &network);
    if (outcome == OUTCOME_DONE) {
        outcome = catalogue_currency(context, remittance.currency, &row);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = read_limit_amount(context, "amount", remittance.amount, remittance.currency);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct money paid;
    if (money_parse(remittance.amount, &paid) && money_is_zero(paid)) {
        return refuse(context, "amount: must be above 0");
    }
    remittance.network_id = network.id;
    if (arguments_has(arguments, "back")) {
        remittance.amount = arena_print(context->arena, "-%.*s", TEXT_ARGS(remittance.amount));
    }
    enum remit_outcome done = REMIT_HAS_NO_LIMIT;
    enum status status = money_limits_remit(context->connection, &remittance, &done);
    return status == STATUS_OK ? show_remittance(context, &remittance, done)
                               : fail(context, status, "record the payment");
}
