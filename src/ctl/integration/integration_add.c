#include "ctl/integration/integration_add.h"

#include "ctl/common/catalogue.h"
#include "ctl/common/prefix_overlap.h"
#include "ctl/core/failure.h"
#include "ctl/integration/integration_terms.h"
#include "domain/reference.h"
#include "store/external/integrations.h"

static enum outcome take_code(const struct context *context, struct integration_settings *out) {
    struct text kind = arguments_get(&context->arguments, "kind");
    bool is_agreement = text_equal(kind, TEXT("1"));
    if (!is_agreement && !text_equal(kind, TEXT("2"))) {
        return misuse(context, "--kind is 1 (agreement code) or 2 (prefix)");
    }
    out->kind = is_agreement ? INTEGRATION_AGREEMENT : INTEGRATION_PREFIX;
    out->code = arguments_get(&context->arguments, "code");
    size_t most = is_agreement ? INTEGRATION_AGREEMENT_DIGITS : INTEGRATION_PREFIX_DIGITS;
    if (!reference_is_valid(out->code)) {
        return refuse(context, "code: must be digits");
    }
    if (out->code.size > most) {
        return refuse(context, "code: no reference can begin with it: %s has at most %zu digits",
                      is_agreement ? "an agreement code" : "a prefix, which a number follows,", most);
    }
    return OUTCOME_DONE;
}

static enum outcome take_network(const struct context *context, struct integration_settings *out) {
    struct network_description network;
    bool given = arguments_has(&context->arguments, "network"), needed = out->kind == INTEGRATION_AGREEMENT;
    out->network_id = 0;
    if (given != needed) {
        return refuse(context, "network: %s",
                      needed ? "an agreement code (kind 1) belongs to one network: name it with --network"
                             : "a prefix (kind 2) is for all networks: leave --network out");
    }
    if (!needed) {
        return OUTCOME_DONE;
    }
    enum outcome outcome = catalogue_network(context, arguments_get(&context->arguments, "network"), &network);
    out->network_id = outcome == OUTCOME_DONE ? network.id : 0;
    return outcome;
}

static enum outcome take_endpoint(const struct context *context, struct integration_settings *out) {
    return integration_take_endpoint(context, &out->endpoint);
}

/* The default is the currency of the merchant's country. */
static enum outcome take_currency(const struct context *context, struct integration_settings *out) {
    struct merchant_target target;
    if (arguments_has(&context->arguments, "currency")) {
        return integration_take_currency(context, arguments_get(&context->arguments, "currency"), &out->currency);
    }
    enum status status = merchants_find_target(context->connection, arguments_get(&context->arguments, "merchant"),
                                               context->arena, &target);
    return status == STATUS_OK ? integration_take_currency(context, target.currency, &out->currency)
                               : fail(context, status, "read the merchant's currency");
}

static enum outcome take_settings(const struct context *context, struct integration_settings *out) {
    static enum outcome (*const TAKE[])(const struct context *,
                                        struct integration_settings *) = {take_network, take_endpoint, take_currency};
    struct merchant_description merchant;
    enum outcome outcome = take_code(context, out);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    outcome = catalogue_merchant(context, arguments_get(&context->arguments, "merchant"), &merchant);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    out->merchant_id = merchant.id;
    outcome = prefix_overlap_judge_integration(context, out, merchant.name);
    for (size_t i = 0; outcome == OUTCOME_DONE && i < COUNT_OF(TAKE); i++) {
        outcome = TAKE[i](context, out);
    }
    return outcome;
}

/* Explains a clash that arose after the options were checked: another code that equals or overlaps this one. */
static enum outcome refuse_taken(const struct context *context, const struct integration_settings *settings) {
    struct merchant_description merchant;
    enum outcome outcome = catalogue_merchant(context, arguments_get(&context->arguments, "merchant"), &merchant);
    if (outcome == OUTCOME_DONE) {
        outcome = prefix_overlap_judge_integration(context, settings, merchant.name);
    }
    return outcome != OUTCOME_DONE
               ? outcome
               : refuse(context, "code: %.*s is taken by another %s (recaudoctl integration list shows whose)",
                        TEXT_ARGS(settings->code), settings->kind == INTEGRATION_AGREEMENT ? "agreement" : "prefix");
}

enum outcome integration_add(const struct context *context, uint64_t *id) {
    struct integration_settings settings = {0};
    enum outcome outcome = take_settings(context, &settings);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = integrations_insert(context->connection, &settings, context->actor, id);
    if (status == STATUS_CLASH) {
        return refuse_taken(context, &settings);
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "store the integration");
}
