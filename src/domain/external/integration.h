/* Integrations: which references a merchant answers itself (specification, "Reference formats in the external query").
 */
#ifndef RECAUDO_DOMAIN_EXTERNAL_INTEGRATION_H
#define RECAUDO_DOMAIN_EXTERNAL_INTEGRATION_H

#include "base/sealed_pair.h"

/* The longest code of each kind that a reference can begin with. */
enum { INTEGRATION_AGREEMENT_DIGITS = 16, INTEGRATION_PREFIX_DIGITS = 15 };

/* Of references: a prefix answers none that are shorter, and no integration one that is longer. */
enum { INTEGRATION_REFERENCE_LEAST = 9, INTEGRATION_REFERENCE_MOST = 16 };

enum integration_kind { INTEGRATION_AGREEMENT = 1, INTEGRATION_PREFIX = 2 };

/*
 * The texts of an integration. The struct and the function that copies it (api/external/known_integrations.c) are made
 * from this table, so a copy of a new text cannot be forgotten and dangle.
 *
 * code: digits that the reference begins with; merchant: its name.
 */
#define INTEGRATION_TEXTS(X) X(code) X(endpoint) X(currency) X(merchant)

struct integration {
#define X(name) struct text name;
    INTEGRATION_TEXTS(X)
#undef X
    uint64_t id;
    enum integration_kind kind;
    uint64_t network_id;    /* of an agreement code: the only network that may use it */
    unsigned currency_code; /* its currency's digit in the query */
    uint64_t merchant_id;
    struct sealed_pair sealed_hash; /* the merchant's FIXED_HASH */
    bool merchant_enabled;
    bool identifies_customers; /* user_di, user_type_di and user_name are needed (Ecuador) */
};

/* True if the integration answers for the reference. After a prefix at least one digit must follow; an agreement code
 * may be the whole reference. */
bool integration_fits(const struct integration *integration, struct text reference, uint64_t network_id);

/* Sorts into the order that the searches below require. */
void integration_sort(struct integration *integrations, size_t count);

/* Searches a sorted array. True if a merchant other than `merchant_id` (0: any merchant) answers for this reference,
 * whichever network asks. */
bool integration_covers(const struct integration *integrations, size_t count, struct text reference,
                        uint64_t merchant_id);

/* Searches a sorted array for what answers when `network_id` asks (0: any network). Returns the integration with the
 * longest code that fits; if an agreement and a prefix have equal codes, the agreement. NULL: none fits. */
const struct integration *integration_choose(const struct integration *integrations, size_t count,
                                             struct text reference, uint64_t network_id);

#endif
