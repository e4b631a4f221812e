#include "ctl/common/catalogue.h"
#include "ctl/common/event_records.h"
#include "ctl/common/rotation.h"
#include "ctl/common/secrets.h"
#include "ctl/common/stored_secrets.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/core/shell_word.h"
#include "ctl/core/validation.h"
#include "ctl/network/money_limits.h"
#include "ctl/network/network_access.h"
#include "store/payment/approvals.h"

enum { NAME_MAX_CHARACTERS = 40 };

static struct text network_argument(const struct context *context) {
    return context->arguments.words[0];
}

/* The secret, shown once: at creation and at rotation. */
static struct record *record_secret(const struct context *context, const struct secret *secret) {
    struct record *record = record_create(context->arena);
    record_text(record, "name", network_argument(context));
    record_text(record, "fixed_hash", (struct text){(const char *)secret->bytes, secret->size});
    return record;
}

static enum outcome store_new_network(const struct context *context, const struct secret *secret,
                                      const struct network_access *access) {
    struct text sealed = secrets_seal(context, SECRET_OF_NETWORK, network_argument(context), secret);
    if (sealed.at == NULL) {
        return OUTCOME_REFUSED;
    }
    enum status status =
        networks_insert(context->connection, network_argument(context), sealed, access, context->actor);
    if (status == STATUS_CLASH) {
        return refuse(context, "name: network %.*s already exists", TEXT_ARGS(network_argument(context)));
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "store the network");
}

static enum outcome network_add(struct context *context) {
    struct secret secret;
    const char *complaint = validation_name(context->arena, network_argument(context), NAME_MAX_CHARACTERS);
    if (complaint != NULL) {
        return refuse(context, "name: %s", complaint);
    }
    struct network_access access = {.allow = TEXT("")};
    enum outcome outcome = network_access_take(context, &access);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    outcome = stored_secrets_need_key(context, context->vault);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    outcome = secrets_take(context, "hash-file", &secret);
    if (outcome == OUTCOME_DONE) {
        outcome = store_new_network(context, &secret, &access);
    }
    if (outcome == OUTCOME_DONE) {
        output_record(record_secret(context, &secret), context->json);
        if (!access.signing.ids_are_distinct) {
            remark("transaction ids: any; " NETWORK_DISTINCT_BUYS);
        }
        remark("no limit of money: recaudoctl network limit %s CURRENCY --day AMOUNT --outstanding AMOUNT sets one",
               shell_word(context->arena, network_argument(context)));
    }
    secret_wipe(&secret);
    return outcome;
}

static void describe_network(struct record *record, const struct network_description *network) {
    record_text(record, "name", network->name);
    record_flag(record, "enabled", network->enabled);
    record_instant(record, "old_hash_until", network->old_hash_until);
    record_instant(record, "old_hash_used_at", network->old_hash_used_at);
    network_access_describe(record, network);
    record_instant(record, "created_at", network->created_at);
    record_instant(record, "changed_at", network->changed_at);
    record_text(record, "changed_by", network->changed_by);
}

struct listing {
    struct record_list *networks;
    struct money_limit_book *limits;
};

static void add_network_to_list(void *context, const struct network_description *network) {
    struct listing *listing = context;
    struct record *record = record_list_add(listing->networks);
    describe_network(record, network);
    money_limits_add_from(listing->limits, network->name, record);
}

static enum outcome network_list(struct context *context) {
    struct listing listing = {.networks = record_list_create(context->arena)};
    enum status status = money_limits_read(context, context->connection, &listing.limits);
    if (status == STATUS_OK) {
        status = networks_list(context->connection, context->arena, add_network_to_list, &listing);
    }
    if (status != STATUS_OK) {
        return fail(context, status, "list the networks");
    }
    output_list(listing.networks, context->json);
    return OUTCOME_DONE;
}

static enum outcome network_show(struct context *context) {
    struct network_description network;
    struct record *record = record_create(context->arena);
    enum outcome outcome = catalogue_network(context, network_argument(context), &network);
    if (outcome == OUTCOME_DONE) {
        describe_network(record, &network);
        outcome = money_limits_add(context, context->connection, network.id, record);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = event_records_add(context, "network", network.id, record);
    }
    if (outcome == OUTCOME_DONE) {
        output_record(record, context->json);
    }
    return outcome;
}

/* Setting the present state again writes nothing, so that the event log holds only changes. */
static enum outcome set_network_enabled(struct context *context, bool enabled) {
    enum outcome outcome = reason_apply(context, REASON_MAX);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = networks_set_enabled(context->connection, network_argument(context), enabled, context->actor);
    return status == STATUS_OK || status == STATUS_CHANGED ? network_show(context)
                                                           : fail(context, status, "change the network");
}

static bool is_so_already(const struct network_access *was, const struct network_access *access) {
    return text_equal(was->allow, access->allow) && was->rate.per_second == access->rate.per_second &&
           was->rate.burst == access->rate.burst && was->signing.ids_are_distinct == access->signing.ids_are_distinct &&
           was->signing.signature == access->signing.signature;
}

static enum outcome network_set(struct context *context) {
    struct network_description network;
    if (!network_access_given(context)) {
        return misuse(context, "nothing to set was given");
    }
    enum outcome outcome = catalogue_network(context, network_argument(context), &network);
    if (outcome == OUTCOME_DONE) {
        outcome = reason_apply(context, REASON_MAX);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct network_access access = network.access;
    outcome = network_access_take(context, &access);
    if (outcome != OUTCOME_DONE || is_so_already(&network.access, &access)) {
        return outcome == OUTCOME_DONE ? network_show(context) : outcome;
    }
    enum status status = networks_set_access(context->connection, &network, &access, context->actor);
    if (status == STATUS_CHANGED) {
        return refuse(context, "the network was changed by somebody else at the same time: look at it, and try again");
    }
    return status == STATUS_OK ? network_show(context) : fail(context, status, "change the network");
}

static enum outcome network_enable(struct context *context) {
    return set_network_enabled(context, true);
}

static enum outcome network_disable(struct context *context) {
    return set_network_enabled(context, false);
}

static enum status rotate_network_secret(const struct context *context, const struct rotated_secret *secret,
                                         struct text sealed, duration overlap) {
    return networks_rotate(context->connection, secret->owner_was, sealed, overlap, context->actor);
}

static enum status end_old_network_secret(const struct context *context, const struct rotated_secret *secret) {
    return networks_end_old_secret(context->connection, secret->owner_was, context->actor);
}

static enum status read_network_until(const struct context *context, instant *until) {
    struct network_description network;
    enum status status = networks_describe(context->connection, network_argument(context), context->arena, &network);
    *until = status == STATUS_OK ? network.old_hash_until : 0;
    return status;
}

static const struct rotation_store STORE = {rotate_network_secret, end_old_network_secret, read_network_until,
                                            network_show};

static enum outcome network_rotate(struct context *context) {
    struct network_description network;
    struct rotation rotation;
    enum outcome outcome = rotation_read(context, &rotation);
    if (outcome == OUTCOME_DONE) {
        outcome = catalogue_network(context, network_argument(context), &network);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    const struct rotated_secret secret = {.owner_kind = "network",
                                          .owner = network_argument(context),
                                          .owner_was = &network,
                                          .owner_id = network.id,
                                          .table = SEALED_NETWORKS,
                                          .approval = APPROVAL_NETWORK_SECRET,
                                          .column = SECRET_OF_NETWORK,
                                          .name = "FIXED_HASH",
                                          .option = "",
                                          .key = "fixed_hash",
                                          .until_key = "old_hash_until",
                                          .old_until = network.old_hash_until,
                                          .old_used_at = network.old_hash_used_at,
                                          .store = &STORE};
    return rotation_run(context, &rotation, &secret);
}

#define SIGNING_DETAILS                                                                                                \
    "The checksums join values without separators: " NETWORK_DISTINCT_BUYS ".\n"                                       \
    "Others are then refused with 0011. --signature required refuses requests without a right Recaudo-Signature\n"     \
    "(0025); accepted, for the time of the change, takes those without any of its three headers too."

static const struct option_spec ADD_OPTIONS[] = {
    {.name = "hash-file", .value = "FILE|-", .help = "take FIXED_HASH from there instead of making one up"},
    WEAK_SECRET_OPTION,
    NETWORK_ACCESS_OPTIONS,
    {.name = NULL},
};

static const struct option_spec SET_OPTIONS[] = {
    NETWORK_ACCESS_OPTIONS,
    REASON_OPTION,
    {.name = NULL},
};

static const struct option_spec ROTATE_OPTIONS[] = {
    {.name = "hash-file", .value = "FILE|-", .help = "take it from there instead of making one up"},
    WEAK_SECRET_OPTION,
    ROTATION_OPTIONS,
    {.name = NULL},
};

const struct command network_commands[] = {
    {"add", "NAME", "add a network; its FIXED_HASH is shown only once",
     "NAME is the field `name` of the network's requests, at most 40 characters; it never changes.\n"
     "The FIXED_HASH goes to the network: its programs make their checksums with it.\n" SIGNING_DETAILS,
     ADD_OPTIONS, 1, NEEDS_DATABASE | NEEDS_KEY, network_add},
    {"list", "", "all networks",
     "money_limits: how many limits of money each has; network show lists them, with the amounts used.", no_options, 0,
     NEEDS_DATABASE, network_list},
    {"show", "NAME", "one network, with its history", NULL, no_options, 1, NEEDS_DATABASE, network_show},
    {"set", "NAME", "set allowed addresses, request rate and signing; other settings stay",
     "--allow replaces the whole list; from elsewhere its requests are refused (0019). More requests than the rate\n"
     "are refused with 0145, on each host by itself. Takes effect within 5 seconds.\n" SIGNING_DETAILS
     "\nIds without such a character that were registered before can be confirmed for another 24 hours.",
     SET_OPTIONS, 1, NEEDS_DATABASE, network_set},
    {"limit", "NAME CURRENCY", "limit what it may confirm in a day, and what it may owe (confirmed, not remitted)",
     "More is refused with 0113; a stolen secret costs no more than that. What is not named stays. A new limit counts\n"
     "what was confirmed already: of this day (UTC), and for the outstanding sum also what is inside its window; what\n"
     "the network owes from before is added with `network remit --back`. Holds when the command returns.",
     money_limit_options, 2, NEEDS_DATABASE, money_limits_change},
    {"remit", "NAME CURRENCY AMOUNT", "record a payment from the network, which reduces what it owes", NULL,
     money_remit_options, 3, NEEDS_DATABASE, money_limits_remittance},
    {"enable", "NAME", "accept the requests of a disabled network again",
     "Takes effect within 5 seconds: the workers remember networks that long.", reason_alone, 1, NEEDS_DATABASE,
     network_enable},
    {"disable", "NAME", "refuse the network's requests (0019)",
     "Takes effect within 5 seconds: the workers remember networks that long.", reason_alone, 1, NEEDS_DATABASE,
     network_disable},
    {"rotate", "NAME", "give a network a new FIXED_HASH, shown only once", ROTATION_DETAILS, ROTATE_OPTIONS, 1,
     NEEDS_DATABASE | NEEDS_KEY, network_rotate},
    {.verb = NULL},
};
