#include "ctl/common/catalogue.h"
#include "ctl/common/event_records.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/integration/integration_add.h"
#include "ctl/integration/integration_find.h"
#include "ctl/integration/integration_terms.h"
#include "ctl/integration/integration_test.h"

#include <inttypes.h>

static void describe_integration(struct record *record, const struct integration_row *integration) {
    record_number(record, "id", integration->id);
    record_text(record, "merchant", integration->merchant);
    record_number(record, "kind", integration->kind);
    record_text(record, "code", integration->code);
    record_text_or_nothing(record, "network", integration->network);
    record_text(record, "endpoint", integration->endpoint);
    record_text(record, "currency", integration->currency);
    record_instant(record, "created_at", integration->created_at);
    record_instant(record, "removed_at", integration->removed_at);
    record_text(record, "changed_by", integration->changed_by);
}

static void add_integration_to_list(void *context, const struct integration_row *integration) {
    describe_integration(record_list_add(context), integration);
}

static enum outcome list_integrations(struct context *context) {
    struct integration_filter filter = {.removed_too = arguments_has(&context->arguments, "removed")};
    enum outcome outcome = catalogue_merchant_option(context, &filter.merchant_id);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct record_list *integrations = record_list_create(context->arena);
    enum status status =
        integrations_list(context->connection, &filter, context->arena, add_integration_to_list, integrations);
    if (status != STATUS_OK) {
        return fail(context, status, "list the integrations");
    }
    output_list(integrations, context->json);
    return OUTCOME_DONE;
}

static enum outcome show_id(const struct context *context, uint64_t id) {
    struct integration_row integration;
    struct record *record = record_create(context->arena);
    enum status status = integrations_describe(context->connection, id, context->arena, &integration);
    if (status != STATUS_OK) {
        return fail(context, status, "read the integration");
    }
    describe_integration(record, &integration);
    enum outcome outcome = event_records_add(context, "integration", id, record);
    if (outcome == OUTCOME_DONE) {
        output_record(record, context->json);
    }
    return outcome;
}

static void tell_when_known(uint64_t id) {
    remark("the workers know it within 5 seconds; try it with: recaudoctl integration test %" PRIu64 " --reference R",
           id);
}

static enum outcome add_integration(struct context *context) {
    uint64_t id;
    enum outcome outcome = integration_add(context, &id);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    tell_when_known(id);
    return show_id(context, id);
}

struct changed_terms {
    struct text endpoint, currency; /* empty: not given */
};

static enum outcome take_changed_terms(const struct context *context, struct changed_terms *out) {
    const struct arguments *arguments = &context->arguments;
    enum outcome outcome = OUTCOME_DONE;
    if (arguments_has(arguments, "endpoint")) {
        outcome = integration_take_endpoint(context, &out->endpoint);
    }
    if (outcome == OUTCOME_DONE && arguments_has(arguments, "currency")) {
        outcome = integration_take_currency(context, arguments_get(arguments, "currency"), &out->currency);
    }
    return outcome;
}

static bool changes_nothing(struct text given, struct text stored) {
    return given.size == 0 || text_equal(given, stored);
}

/* Writes only the options that were given, because somebody else may be changing the others. */
static enum outcome change_integration(const struct context *context, const struct integration_row *integration,
                                       const struct changed_terms *terms) {
    if (changes_nothing(terms->endpoint, integration->endpoint) &&
        changes_nothing(terms->currency, integration->currency)) {
        remark("the integration has these settings already; nothing was changed");
        return show_id(context, integration->id);
    }
    enum status status =
        integrations_change(context->connection, integration->id, terms->endpoint, terms->currency, context->actor);
    if (status == STATUS_CHANGED) {
        return integration_refuse_removed(context, integration->id);
    }
    if (status != STATUS_OK) {
        return fail(context, status, "change the integration");
    }
    tell_when_known(integration->id);
    return show_id(context, integration->id);
}

static enum outcome set_integration(struct context *context) {
    struct integration_row integration;
    struct changed_terms terms = {.endpoint = TEXT(""), .currency = TEXT("")};
    if (!arguments_has(&context->arguments, "endpoint") && !arguments_has(&context->arguments, "currency")) {
        return misuse(context, "nothing to set was given");
    }
    enum outcome outcome = integration_find_in_force(context, &integration);
    outcome = outcome == OUTCOME_DONE ? take_changed_terms(context, &terms) : outcome;
    return outcome == OUTCOME_DONE ? change_integration(context, &integration, &terms) : outcome;
}

static enum outcome show_integration(struct context *context) {
    struct integration_row integration;
    enum outcome outcome = integration_find(context, context->arguments.words[0], &integration);
    return outcome == OUTCOME_DONE ? show_id(context, integration.id) : outcome;
}

static enum outcome remove_integration(struct context *context) {
    struct integration_row integration;
    enum outcome outcome = integration_find_in_force(context, &integration);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = integrations_remove(context->connection, integration.id, context->actor);
    if (status == STATUS_CHANGED) {
        return integration_refuse_removed(context, integration.id);
    }
    return status == STATUS_OK ? show_id(context, integration.id) : fail(context, status, "remove the integration");
}

static const struct option_spec ADD_OPTIONS[] = {
    {.name = "merchant", .value = "NAME", .help = "the merchant that is asked", .required = true},
    {.name = "kind", .value = "1|2", .help = "1: agreement code of one network; 2: prefix", .required = true},
    {.name = "code", .value = "DIGITS", .help = "what the references begin with", .required = true},
    {.name = "network", .value = "NAME", .help = "kind 1: the only network that may use it"},
    {.name = "endpoint", .value = "URL", .help = "where the merchant is asked", .required = true},
    {.name = "currency", .value = "ISO", .help = "of the orders; else that of the merchant's country"},
    {.name = NULL},
};

static const struct option_spec SET_OPTIONS[] = {
    {.name = "endpoint", .value = "URL", .help = "where the merchant is asked from now on"},
    {.name = "currency", .value = "ISO", .help = "of the orders that are offered from now on"},
    {.name = NULL},
};

static const struct option_spec LIST_OPTIONS[] = {
    {.name = "merchant", .value = "NAME", .help = "only this merchant's"},
    {.name = "removed", .help = "also those that were removed"},
    {.name = NULL},
};

static const struct option_spec TEST_OPTIONS[] = {
    {.name = "reference", .value = "DIGITS", .help = "the reference to ask about", .required = true},
    {.name = "network", .value = "NAME", .help = "the network to ask for; else the integration's, or the first one"},
    {.name = "all", .help = "show the rules that hold, and those that could not be looked at, too"},
    {.name = NULL},
};

const struct command integration_commands[] = {
    {"add", "", "let a merchant answer for references that begin with a code",
     "Kind 2: references of 9 to 16 digits, the code and a number; of several codes the longest counts.\n"
     "Kind 1: references of at most 16 digits that begin with the code, asked by one network.\n"
     "Refused where the code overlaps a prefix or an integration of another merchant, or an order of another merchant\n"
     "still keeps such a reference.\n"
     "Takes effect within 5 seconds: the workers remember integrations that long.",
     ADD_OPTIONS, 0, NEEDS_DATABASE | TAKES_LONG, add_integration},
    {"list", "", "the integrations in force", NULL, LIST_OPTIONS, 0, NEEDS_DATABASE, list_integrations},
    {"show", "ID", "one integration, with its history", NULL, no_options, 1, NEEDS_DATABASE, show_integration},
    {"set", "ID", "change the endpoint or the currency; the other stays",
     "Takes effect within 5 seconds. An open order that the merchant offered before keeps its currency: offered in\n"
     "another one, it gets 0109. For another code, remove the integration and add one.",
     SET_OPTIONS, 1, NEEDS_DATABASE, set_integration},
    {"remove", "ID", "stop querying the merchant; the code becomes free",
     "Takes effect within 5 seconds. Orders that the merchant offered stay as they are stored, until they are due.",
     no_options, 1, NEEDS_DATABASE, remove_integration},
    {"test", "ID", "query the merchant once; show request, answer and the rules that it breaks",
     "The query is a real one, with its checksum; nothing is stored here. Each broken rule is also a line on standard\n"
     "error. With --all, a rule that could not be looked at, because another one is broken or what it is about was\n"
     "not sent, is `not seen`. Exit status 1 when a lookup would not reply with the order that is offered: it would\n"
     "not ask, or ask another integration, the answer refuses or is not valid, or the order was paid, deleted or\n"
     "refunded here, or has expired here.",
     TEST_OPTIONS, 1, NEEDS_DATABASE | NEEDS_KEY, integration_test},
    {.verb = NULL},
};
