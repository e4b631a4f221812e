#include "ctl/common/prefix_overlap.h"

#include "ctl/core/failure.h"
#include "store/order/references.h"

bool prefix_overlap(struct text one, struct text other) {
    return text_begins(one, other) || text_begins(other, one);
}

/* The digits to be set up, and the first prefix or code that overlaps them. */
struct search {
    struct text digits, merchant;
    struct text found, whose; /* the other merchant's digits and name; empty: none */
    uint64_t id;              /* of the integration found */
};

static bool clashes(const struct search *search, struct text digits, struct text merchant) {
    return search->found.size == 0 && !text_equal(merchant, search->merchant) && prefix_overlap(digits, search->digits);
}

static void compare_integration(void *context, const struct integration_row *integration) {
    struct search *search = context;
    if (clashes(search, integration->code, integration->merchant)) {
        search->found = integration->code;
        search->whose = integration->merchant;
        search->id = integration->id;
    }
}

static void compare_prefix(void *context, const struct reference_prefix *prefix) {
    struct search *search = context;
    if (clashes(search, prefix->prefix, prefix->merchant)) {
        search->found = prefix->prefix;
        search->whose = prefix->merchant;
    }
}

/* `what`: the option that gives `digits`. */
static enum outcome judge_other_integrations(const struct context *context, const char *what, struct text digits,
                                             struct text merchant) {
    const struct integration_filter all = {.removed_too = false};
    struct search search = {.digits = digits, .merchant = merchant};
    enum status status = integrations_list(context->connection, &all, context->arena, compare_integration, &search);
    if (status != STATUS_OK) {
        return fail(context, status, "list the integrations");
    }
    return search.found.size == 0
               ? OUTCOME_DONE
               : refuse(context,
                        "%s: integration %llu (code %.*s) lets %.*s answer for such references: remove it first", what,
                        (unsigned long long)search.id, TEXT_ARGS(search.found), TEXT_ARGS(search.whose));
}

enum outcome prefix_overlap_judge_prefix(const struct context *context, struct text prefix, struct text merchant) {
    return judge_other_integrations(context, "prefix", prefix, merchant);
}

static enum outcome judge_other_prefixes(const struct context *context, struct text code, struct text merchant) {
    struct search search = {.digits = code, .merchant = merchant};
    enum status status = references_list_prefixes(context->connection, context->arena, compare_prefix, &search);
    if (status != STATUS_OK) {
        return fail(context, status, "list the prefixes");
    }
    return search.found.size == 0 ? OUTCOME_DONE
                                  : refuse(context,
                                           "code: references with the prefix %.*s belong to %.*s: take it away first "
                                           "(recaudoctl reference take)",
                                           TEXT_ARGS(search.found), TEXT_ARGS(search.whose));
}

static enum outcome judge_other_orders(const struct context *context, const struct integration_settings *settings) {
    struct text reference;
    struct reference_description owner;
    enum status status = integrations_find_overlap(context->connection, settings, context->arena, &reference);
    if (status == STATUS_OK && reference.size == 0) {
        return OUTCOME_DONE;
    }
    if (status == STATUS_OK) {
        status = references_describe(context->connection, reference, context->arena, &owner);
    }
    if (status != STATUS_OK) {
        return fail(context, status, "look for references of other merchants");
    }
    return refuse(context,
                  "code: reference %.*s, which begins with it, is still that of an order of %.*s "
                  "(recaudoctl reference show %.*s)",
                  TEXT_ARGS(reference), TEXT_ARGS(owner.merchant), TEXT_ARGS(reference));
}

enum outcome prefix_overlap_judge_integration(const struct context *context,
                                              const struct integration_settings *settings, struct text merchant) {
    enum outcome outcome = judge_other_prefixes(context, settings->code, merchant);
    if (outcome == OUTCOME_DONE) {
        outcome = judge_other_integrations(context, "code", settings->code, merchant);
    }
    return outcome == OUTCOME_DONE ? judge_other_orders(context, settings) : outcome;
}
