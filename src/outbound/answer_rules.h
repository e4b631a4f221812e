/* The rules that relate fields of a merchant's answer, after each field has been validated by itself. */
#ifndef RECAUDO_OUTBOUND_ANSWER_RULES_H
#define RECAUDO_OUTBOUND_ANSWER_RULES_H

#include "auth/secret_pair.h"
#include "domain/external/integration.h"
#include "domain/external/offer.h"
#include "wire/merchant/external_answer.h"

/* An answer for which external_answer_read returned ANSWER_GRANTS. */
struct judged_answer {
    const struct integration *integration;
    const struct secret_pair *hash; /* the merchant's FIXED_HASH */
    const struct external_answer *answer;
    struct text reference; /* the reference looked up */
    instant now;           /* by the database's clock */
};

/* Builds the order that the answer offers. */
void answer_rules_offer(const struct judged_answer *judged, struct offer *out);

/* Returns the first broken rule, or a fault without a field. Does not judge answer_rules_expired. */
struct fault answer_rules_judge(const struct judged_answer *judged, const struct offer *offer);

/* Returns which FIXED_HASH the checksum was made with. */
enum secret_used answer_rules_signed_with(const struct judged_answer *judged);

/* Returns whether timestamp_end is past. */
bool answer_rules_expired(const struct judged_answer *judged, const struct offer *offer);

/* Adds the state of every rule; `judged` NULL: there is no answer to check. */
void answer_rules_examine(const struct judged_answer *judged, struct rule_checks *out);

#endif
