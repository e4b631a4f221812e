#include "console/change/change.h"
#include "console/change/changes.h"
#include "domain/currency.h"
#include "store/console/changes.h"
#include "store/console/parties.h"
#include "store/party/currencies.h"
#include "store/party/money_limits.h"
#include "store/payment/approvals.h"

#include <inttypes.h>

/* The limits of one network in one currency: present ones, and the ones from the address. */
struct wanted_limits {
    struct text currency;
    struct money_bound day, outstanding; /* present limits */
    struct console_limits wanted;
    uint64_t seen; /* console_seen of the network */
    bool is_valid; /* the currency exists, and the limits are amounts */
};

static void find_limit_currency(void *context, const struct currency_row *currency) {
    struct wanted_limits *limits = context;
    limits->is_valid = limits->is_valid || text_equal(currency->code, limits->currency);
}

/* What is limited can be changed, also in a currency that is not known any more: its limits can be taken away. */
static void take_limit(void *context, const struct money_limit *limit) {
    struct wanted_limits *limits = context;
    if (text_equal(limit->currency, limits->currency)) {
        limits->is_valid = true;
        limits->day = limit->day;
        limits->outstanding = limit->outstanding;
    }
}

/* Reads a wanted limit; an empty field means no limit. */
static struct text take_wanted(struct change *change, const char *name, struct wanted_limits *limits) {
    struct view *view = change->view;
    struct money amount;
    struct text given = request_query(view->request, name, view->arena);
    limits->is_valid = limits->is_valid && (given.size == 0 || currency_parse_amount(limits->currency, given, &amount));
    return given;
}

static struct text show_wanted(const struct view *view, struct text wanted, struct text currency) {
    struct money amount;
    return wanted.size > 0 && currency_parse_amount(currency, wanted, &amount) ? view_amount(view, amount, currency)
                                                                               : say(view, SAY_NO_LIMIT);
}

static void put_limit_change(const struct change *change, enum say label, const struct money_bound *is,
                             struct text wanted, struct text currency) {
    struct view *view = change->view;
    struct text before = is->is_set ? view_amount(view, is->most, currency) : say(view, SAY_NO_LIMIT);
    put_fact(
        view, label,
        arena_print(view->arena, "%.*s → %.*s", TEXT_ARGS(before), TEXT_ARGS(show_wanted(view, wanted, currency))));
}

static void show_limit_changes(struct change *change, const struct wanted_limits *limits) {
    struct view *view = change->view;
    put_fact(view, SAY_CURRENCY, limits->currency);
    put_limit_change(change, SAY_DAY_LIMIT, &limits->day, limits->wanted.day, limits->currency);
    put_limit_change(change, SAY_OUTSTANDING_LIMIT, &limits->outstanding, limits->wanted.outstanding, limits->currency);
}

/* The wanted limits are in the address, so the confirming form does not repeat them. */
static enum status read_limits(struct change *change) {
    struct view *view = change->view;
    struct network_description network;
    struct wanted_limits *limits = arena_alloc(view->arena, sizeof *limits);
    *limits = (struct wanted_limits){.currency = request_query(view->request, "currency", view->arena)};
    uint64_t newest;
    enum status status = console_seen(view->connection, CONSOLE_NETWORK, change->id, &limits->seen);
    if (status == STATUS_OK) {
        status = approvals_newest(view->connection, APPROVAL_LIMITS, change->id, &newest);
    }
    if (status == STATUS_OK) {
        status = console_networks_find(&change->reader, change->id, &network);
    }
    if (status == STATUS_OK) {
        status = currencies_list(view->connection, view->arena, find_limit_currency, limits);
    }
    if (status == STATUS_OK) {
        status = money_limits_list(view->connection, change->id, view->arena, take_limit, limits);
    }
    if (status != STATUS_OK) {
        return status;
    }
    limits->wanted.day = take_wanted(change, "day", limits);
    limits->wanted.outstanding = take_wanted(change, "outstanding", limits);
    change->subject = limits;
    change->back = arena_print(view->arena, "/networks/%" PRIu64, network.id);
    change->refusal = limits->is_valid ? TEXT("") : say(view, SAY_LIMITS_UNFIT);
    change->seen =
        arena_print(view->arena, "%" PRIu64 " %" PRIu64 " %.*s %.*s,%.*s", limits->seen, newest,
                    TEXT_ARGS(limits->currency), TEXT_ARGS(limits->wanted.day), TEXT_ARGS(limits->wanted.outstanding));
    put_fact(view, SAY_NETWORK, network.name);
    if (limits->is_valid) {
        show_limit_changes(change, limits);
    }
    return STATUS_OK;
}

static enum status write_limits(struct change *change) {
    const struct wanted_limits *limits = change->subject;
    const struct console_limit_change set = {.user_id = change->view->user->id,
                                             .network_id = change->id,
                                             .currency = limits->currency,
                                             .seen = limits->seen,
                                             .wanted = limits->wanted,
                                             .reason = change->reason};
    bool waits = false;
    enum status status = console_limits_set(change->view->connection, &set, &waits);
    change->back = waits ? TEXT("/approvals") : change->back;
    return status;
}

enum status change_limits(struct view *view) {
    static const struct change_kind KIND = {.title = SAY_LIMITS_TITLE,
                                            .consequence = SAY_LIMITS_CONSEQUENCE,
                                            .button = SAY_LIMITS_BUTTON,
                                            .reason_max = LIMIT_REASON_MAX,
                                            .read = read_limits,
                                            .write = write_limits};
    return change_make(view, &KIND);
}
