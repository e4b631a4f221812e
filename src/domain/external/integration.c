#include "domain/external/integration.h"

#include "domain/reference.h"

bool integration_fits(const struct integration *integration, struct text reference, uint64_t network_id) {
    bool is_prefix = integration->kind == INTEGRATION_PREFIX;
    bool fits_who = is_prefix || integration->network_id == network_id;
    bool fits_size =
        reference.size <= INTEGRATION_REFERENCE_MOST &&
        (!is_prefix || (reference.size >= INTEGRATION_REFERENCE_LEAST && reference.size > integration->code.size));
    return fits_who && fits_size && reference_is_valid(reference) && text_begins(reference, integration->code);
}

static int compare_codes(struct text a, struct text b) {
    int order = memcmp(a.at, b.at, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_codes_of(const void *left, const void *right) {
    const struct integration *a = left, *b = right;
    int order = compare_codes(a->code, b->code);
    return order != 0 ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

void integration_sort(struct integration *integrations, size_t count) {
    if (count > 0) {
        qsort(integrations, count, sizeof *integrations, compare_codes_of);
    }
}

/* Returns the index of the first integration with this code, or where it would be. */
static size_t find_first(const struct integration *integrations, size_t count, struct text code) {
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (compare_codes(integrations[middle].code, code) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

struct wanted {
    struct text reference;
    uint64_t network_id;      /* the network that asks; 0: any */
    uint64_t not_of_merchant; /* the merchant to leave out; 0: none */
};

static bool is_wanted(const struct integration *one, const struct wanted *wanted) {
    bool of_wanted = wanted->not_of_merchant == 0 || one->merchant_id != wanted->not_of_merchant;
    return of_wanted &&
           integration_fits(one, wanted->reference, wanted->network_id == 0 ? one->network_id : wanted->network_id);
}

/* Tries each beginning of the reference, the longest first: they are few, however many integrations there are. */
static const struct integration *find_longest(const struct integration *integrations, size_t count,
                                              const struct wanted *wanted) {
    struct text code = wanted->reference;
    for (code.size = code.size < INTEGRATION_REFERENCE_MOST ? code.size : INTEGRATION_REFERENCE_MOST; code.size > 0;
         code.size--) {
        for (size_t i = find_first(integrations, count, code); i < count && text_equal(integrations[i].code, code);
             i++) {
            if (is_wanted(&integrations[i], wanted)) {
                return &integrations[i];
            }
        }
    }
    return NULL;
}

const struct integration *integration_choose(const struct integration *integrations, size_t count,
                                             struct text reference, uint64_t network_id) {
    const struct wanted wanted = {.reference = reference, .network_id = network_id};
    return find_longest(integrations, count, &wanted);
}

bool integration_covers(const struct integration *integrations, size_t count, struct text reference,
                        uint64_t merchant_id) {
    const struct wanted wanted = {.reference = reference, .not_of_merchant = merchant_id};
    return find_longest(integrations, count, &wanted) != NULL;
}
