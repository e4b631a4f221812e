#include "ctl/common/prefix_overlap.h"

#include "ctl/core/failure.h"
#include "store/external/integrations.h"
#include "store/order/references.h"

bool prefix_overlap(struct text one, struct text other) {
    return text_begins(one, other) || text_begins(other, one);
}

/* What is to be set up, and the first that it overlaps. */
struct search {
    struct text digits, merchant;
    struct text found, whose; /* of another merchant; empty: none */
    uint64_t id;              /* of an integration */
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

enum outcome prefix_overlap_judge_prefix(const struct context *context, struct text prefix, struct text merchant) {
    const struct integration_filter all = {.removed_too = false};
    struct search search = {.digits = prefix, .merchant = merchant};
    enum status status = integrations_list(context->connection, &all, context->arena, compare_integration, &search);
    if (status != STATUS_OK) {
        return fail(context, status, "list the integrations");
    }
    return search.found.size == 0
               ? OUTCOME_DONE
               : refuse(context,
                        "prefix: integration %llu (code %.*s) lets %.*s answer for such references: remove it first",
                        (unsigned long long)search.id, TEXT_ARGS(search.found), TEXT_ARGS(search.whose));
}

enum outcome prefix_overlap_judge_code(const struct context *context, struct text code, struct text merchant) {
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
