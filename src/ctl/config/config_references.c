#include "ctl/config/config_references.h"

#include "ctl/common/prefix_overlap.h"
#include "store/order/references.h"

/* What gives references to a merchant. */
struct claim {
    struct claim *next;
    struct text what, digits, merchant;
};

struct claims {
    struct arena *arena;
    struct claim *first;
};

static void add_claim(struct claims *claims, struct text what, struct text digits, struct text merchant) {
    struct claim *claim = arena_alloc(claims->arena, sizeof *claim);
    *claim = (struct claim){claims->first, what, digits, merchant};
    claims->first = claim;
}

static void add_integration_claim(void *context, const struct integration_row *integration) {
    struct claims *claims = context;
    struct text what =
        arena_print(claims->arena, "integration %llu (code %.*s) of %.*s", (unsigned long long)integration->id,
                    TEXT_ARGS(integration->code), TEXT_ARGS(integration->merchant));
    add_claim(claims, what, integration->code, integration->merchant);
}

static void add_prefix_claim(void *context, const struct reference_prefix *prefix) {
    struct claims *claims = context;
    struct text what =
        arena_print(claims->arena, "prefix %.*s of %.*s", TEXT_ARGS(prefix->prefix), TEXT_ARGS(prefix->merchant));
    add_claim(claims, what, prefix->prefix, prefix->merchant);
}

static enum status read_claims(struct connection *connection, struct claims *out) {
    const struct integration_filter in_force = {.removed_too = false};
    enum status status = integrations_list(connection, &in_force, out->arena, add_integration_claim, out);
    return status == STATUS_OK ? references_list_prefixes(connection, out->arena, add_prefix_claim, out) : status;
}

static size_t warn_of_overlaps(struct findings *findings, const struct claims *claims) {
    size_t found = 0;
    for (const struct claim *one = claims->first; one != NULL; one = one->next) {
        for (const struct claim *other = one->next; other != NULL; other = other->next) {
            if (!text_equal(one->merchant, other->merchant) && prefix_overlap(one->digits, other->digits)) {
                const char *detail = arena_print(claims->arena,
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
    struct claims claims = {.arena = findings->context->arena};
    if (read_claims(connection, &claims) != STATUS_OK) {
        add_config_finding(findings, "references", BLIND, "they cannot be read; standard error says why");
    } else if (warn_of_overlaps(findings, &claims) == 0) {
        add_config_finding(findings, "references", RIGHT, "no merchant answers for those of another");
    }
}
