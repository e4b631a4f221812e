#include "ctl/config/config_references.h"

#include "ctl/common/prefix_overlap.h"
#include "store/order/references.h"

/* Digits with which a merchant's references begin. */
struct holding {
    struct holding *next;
    struct text what, digits, merchant;
};

struct holdings {
    struct arena *arena;
    struct holding *first;
};

static void add_digits(struct holdings *holdings, struct text what, struct text digits, struct text merchant) {
    struct holding *holding = arena_alloc(holdings->arena, sizeof *holding);
    *holding = (struct holding){holdings->first, what, digits, merchant};
    holdings->first = holding;
}

static void add_integration_digits(void *context, const struct integration_row *integration) {
    struct holdings *holdings = context;
    struct text what =
        arena_print(holdings->arena, "integration %llu (code %.*s) of %.*s", (unsigned long long)integration->id,
                    TEXT_ARGS(integration->code), TEXT_ARGS(integration->merchant));
    add_digits(holdings, what, integration->code, integration->merchant);
}

static void add_prefix_digits(void *context, const struct reference_prefix *prefix) {
    struct holdings *holdings = context;
    struct text what =
        arena_print(holdings->arena, "prefix %.*s of %.*s", TEXT_ARGS(prefix->prefix), TEXT_ARGS(prefix->merchant));
    add_digits(holdings, what, prefix->prefix, prefix->merchant);
}

static enum status read_digits(struct connection *connection, struct holdings *out) {
    const struct integration_filter in_force = {.removed_too = false};
    enum status status = integrations_list(connection, &in_force, out->arena, add_integration_digits, out);
    return status == STATUS_OK ? references_list_prefixes(connection, out->arena, add_prefix_digits, out) : status;
}

static size_t warn_of_overlaps(struct findings *findings, const struct holdings *holdings) {
    size_t found = 0;
    for (const struct holding *one = holdings->first; one != NULL; one = one->next) {
        for (const struct holding *other = one->next; other != NULL; other = other->next) {
            if (!text_equal(one->merchant, other->merchant) && prefix_overlap(one->digits, other->digits)) {
                const char *detail = arena_print(holdings->arena,
                                                 "%.*s and %.*s overlap: such references may be either merchant's; "
                                                 "agree on one, and take the other away (recaudoctl integration "
                                                 "remove, reference take)",
                                                 TEXT_ARGS(one->what), TEXT_ARGS(other->what))
                                         .at;
                add_config_finding(findings, "references", STRANGE, detail);
                found++;
            }
        }
    }
    return found;
}

void check_references(struct findings *findings, struct connection *connection) {
    struct holdings holdings = {.arena = findings->context->arena};
    if (read_digits(connection, &holdings) != STATUS_OK) {
        add_config_finding(findings, "references", BLIND, "they cannot be read; standard error says why");
    } else if (warn_of_overlaps(findings, &holdings) == 0) {
        add_config_finding(findings, "references", RIGHT, "no prefixes or integrations of two merchants overlap");
    }
}
