#include "domain/integration.h"

#include "domain/reference.h"

enum { DIGITS_LEAST = 9, DIGITS_MOST = 16 };

bool integration_fits(const struct integration *integration, struct text reference, uint64_t network_id) {
    bool is_prefix = integration->kind == INTEGRATION_PREFIX;
    bool fits_who = is_prefix || integration->network_id == network_id;
    bool fits_size = reference.size <= DIGITS_MOST &&
                     (!is_prefix || (reference.size >= DIGITS_LEAST && reference.size > integration->code.size));
    return fits_who && fits_size && reference_is_valid(reference) && text_begins(reference, integration->code);
}

const struct integration *integration_choose(const struct integration *integrations, size_t count,
                                             struct text reference, uint64_t network_id) {
    const struct integration *chosen = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct integration *one = &integrations[i];
        bool better = chosen == NULL || one->code.size > chosen->code.size ||
                      (one->code.size == chosen->code.size && one->kind < chosen->kind);
        if (better && integration_fits(one, reference, network_id)) {
            chosen = one;
        }
    }
    return chosen;
}

bool integration_covers(const struct integration *integrations, size_t count, struct text reference,
                        uint64_t merchant_id) {
    for (size_t i = 0; i < count; i++) {
        const struct integration *one = &integrations[i];
        if (one->merchant_id != merchant_id && integration_fits(one, reference, one->network_id)) {
            return true;
        }
    }
    return false;
}
