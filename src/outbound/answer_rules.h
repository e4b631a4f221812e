/* What the fields of a merchant's answer mean together, once each of them is right by itself. */
#ifndef RECAUDO_OUTBOUND_ANSWER_RULES_H
#define RECAUDO_OUTBOUND_ANSWER_RULES_H

#include "auth/secret_pair.h"
#include "domain/external/integration.h"
#include "domain/external/offer.h"
#include "wire/merchant/external_answer.h"

/* An answer that external_answer_read has granted. */
struct judged_answer {
    const struct integration *integration;
    const struct secret_pair *hash; /* the merchant's FIXED_HASH */
    const struct external_answer *answer;
    struct text reference; /* that was asked about */
    instant now;           /* by the database's clock */
};

/* The order that is offered. */
void answer_rules_offer(const struct judged_answer *judged, struct offer *out);

/* The first rule that is broken, but for answer_rules_expired; its field is NULL when all hold. */
struct fault answer_rules_judge(const struct judged_answer *judged, const struct offer *offer);

/* Which FIXED_HASH the checksum was made with. */
enum secret_used answer_rules_signed_with(const struct judged_answer *judged);

/* timestamp_end is past. */
bool answer_rules_expired(const struct judged_answer *judged, const struct offer *offer);

/* Adds every rule; `judged` NULL: there is nothing to look at. */
void answer_rules_examine(const struct judged_answer *judged, struct rule_checks *out);

#endif
