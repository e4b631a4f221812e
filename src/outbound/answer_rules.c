#include "outbound/answer_rules.h"

#include "domain/currency.h"

/* The limits of an open amount if the answer names none. */
static const struct money LEAST_BY_DEFAULT = {0}, MOST_BY_DEFAULT = {UINT64_C(9999999990000)};

/* Parses the amounts, which the fields' rules have validated. An amount that was not sent is 0. */
static void take_amounts(const struct external_answer *answer, struct offer *offer) {
    (void)money_parse(answer->amount, &offer->amount);
    bool are_sent = answer->least.size > 0;
    offer->has_limits = are_sent || money_is_zero(offer->amount);
    offer->least = LEAST_BY_DEFAULT;
    offer->most = MOST_BY_DEFAULT;
    if (are_sent) {
        (void)money_parse(answer->least, &offer->least);
        (void)money_parse(answer->most, &offer->most);
    }
    if (!offer->has_limits) {
        offer->least = offer->most = (struct money){0};
    }
}

void answer_rules_offer(const struct judged_answer *judged, struct offer *out) {
    const struct external_answer *answer = judged->answer;
    uint64_t end = 0;
    (void)text_to_number(answer->timestamp_end, &end); /* validated by its rule; 0 if not sent */
    *out = (struct offer){.merchant_id = judged->integration->merchant_id,
                          .reference = judged->reference,
                          .po_id = answer->order,
                          .currency = judged->integration->currency,
                          .description = answer->description,
                          .email = answer->email,
                          .document = answer->document,
                          .document_type = answer->document_type,
                          .customer_name = answer->customer_name,
                          .due_at = (instant)end * SECOND};
    take_amounts(answer, out);
}

/* True also for an amount that was not sent. */
static bool fits_currency(struct text written, struct text currency) {
    struct money amount;
    return written.size == 0 || currency_parse_amount(currency, written, &amount);
}

static bool amount_fits(const struct judged_answer *judged, const struct offer *offer) {
    return fits_currency(judged->answer->amount, offer->currency);
}

static bool has_max_with_min(const struct judged_answer *judged, const struct offer *offer) {
    (void)offer;
    return judged->answer->least.size == 0 || judged->answer->most.size > 0;
}

static bool has_min_with_max(const struct judged_answer *judged, const struct offer *offer) {
    (void)offer;
    return judged->answer->most.size == 0 || judged->answer->least.size > 0;
}

static bool min_fits(const struct judged_answer *judged, const struct offer *offer) {
    return fits_currency(judged->answer->least, offer->currency);
}

static bool max_fits(const struct judged_answer *judged, const struct offer *offer) {
    return fits_currency(judged->answer->most, offer->currency);
}

static bool limits_are_in_order(const struct judged_answer *judged, const struct offer *offer) {
    (void)judged;
    return offer->least.units <= offer->most.units;
}

/* False: no amount could pay the order. */
static bool max_lets_pay(const struct judged_answer *judged, const struct offer *offer) {
    (void)judged;
    return !money_is_zero(offer->amount) || !offer->has_limits || !money_is_zero(offer->most);
}

enum secret_used answer_rules_signed_with(const struct judged_answer *judged) {
    const struct external_answer *answer = judged->answer;
    const struct text plain[] = {answer->order, answer->amount, answer->timestamp_end};
    const struct text limited[] = {answer->order, answer->amount, answer->least, answer->most, answer->timestamp_end};
    bool has_limits = answer->least.size > 0;
    return secret_pair_verify(has_limits ? CHECKSUM_ANSWER_WITH_LIMITS : CHECKSUM_ANSWER, has_limits ? limited : plain,
                              judged->hash, clock_monotonic(), answer->checksum);
}

static bool checksum_is_right(const struct judged_answer *judged, const struct offer *offer) {
    (void)offer;
    return answer_rules_signed_with(judged) != SECRET_NONE;
}

#define DECIMALS(field, holds, about)                                                                                  \
    {field, "has no more decimals than its currency", "has more decimals than its currency", holds, about}

/*
 * The fields that must have been sent for a rule to apply. A checksum over one limit alone cannot be right, for
 * example.
 */
enum about { ABOUT_ALL, ABOUT_MIN, ABOUT_MAX, ABOUT_LIMITS, ABOUT_BOTH_LIMITS_OR_NONE };

static const struct {
    const char *field, *rule, *problem;
    bool (*holds)(const struct judged_answer *judged, const struct offer *offer);
    enum about about;
} RULES[] = {
    DECIMALS("amount", amount_fits, ABOUT_ALL),
    {"max", "is sent when min is", "is missing", has_max_with_min, ABOUT_MIN},
    {"min", "is sent when max is", "is missing", has_min_with_max, ABOUT_MAX},
    DECIMALS("min", min_fits, ABOUT_MIN),
    DECIMALS("max", max_fits, ABOUT_MAX),
    {"min", "is not greater than max", "is greater than max", limits_are_in_order, ABOUT_LIMITS},
    {"max", "is more than 0 when amount is 0", "must be more than 0, because amount is 0", max_lets_pay, ABOUT_LIMITS},
    {"checksum",
     "is SHA-512 of order + amount + timestamp_end + FIXED_HASH, with min + max behind amount when they are sent",
     "is not valid", checksum_is_right, ABOUT_BOTH_LIMITS_OR_NONE},
};

static bool applies(enum about about, const struct external_answer *answer) {
    bool has_min = answer->least.size > 0, has_max = answer->most.size > 0;
    switch (about) {
    case ABOUT_ALL:
        return true;
    case ABOUT_MIN:
        return has_min;
    case ABOUT_MAX:
        return has_max;
    case ABOUT_LIMITS:
        return has_min && has_max;
    case ABOUT_BOTH_LIMITS_OR_NONE:
        return has_min == has_max;
    }
    return true;
}

struct fault answer_rules_judge(const struct judged_answer *judged, const struct offer *offer) {
    for (size_t i = 0; i < COUNT_OF(RULES); i++) {
        if (!RULES[i].holds(judged, offer)) {
            return (struct fault){.field = RULES[i].field, .problem = RULES[i].problem};
        }
    }
    return (struct fault){0};
}

bool answer_rules_expired(const struct judged_answer *judged, const struct offer *offer) {
    return offer->due_at <= judged->now;
}

static enum rule_state state_of_answer(bool seen, bool holds) {
    return !seen ? RULE_UNSEEN : holds ? RULE_PASSED : RULE_BROKEN;
}

void answer_rules_examine(const struct judged_answer *judged, struct rule_checks *out) {
    bool seen = judged != NULL;
    struct offer offer = {0};
    if (seen) {
        answer_rules_offer(judged, &offer);
    }
    for (size_t i = 0; i < COUNT_OF(RULES); i++) {
        bool says = seen && applies(RULES[i].about, judged->answer);
        rule_checks_add(out, RULES[i].field, RULES[i].rule,
                        state_of_answer(says, says && RULES[i].holds(judged, &offer)));
    }
    rule_checks_add(out, "timestamp_end", "is in the future",
                    state_of_answer(seen, seen && !answer_rules_expired(judged, &offer)));
}
