/*
 * A merchant's answer to an external query; the first byte says whether customers must be identified. The list of rules
 * breaks one exactly when the answer is invalid (a refusal keeps to them), and what is granted, once its checksum is
 * right, is an offer as the answer says it.
 */
#include "auth/checksum.h"
#include "fuzz.h"
#include "outbound/answer_rules.h"

#define NOW (1795253400 * SECOND)

static const struct integration INTEGRATION = {.merchant_id = 7, .currency = {"COP", 3}, .currency_code = 1};

static size_t count_broken(const struct rule_checks *checks) {
    size_t broken = 0;
    for (size_t i = 0; i < checks->count; i++) {
        assert(checks->list[i].field != NULL && checks->list[i].rule != NULL);
        broken += checks->list[i].state == RULE_BROKEN;
    }
    return broken;
}

static struct text right_checksum(const struct external_answer *answer, const struct secret *hash,
                                  char out[CHECKSUM_HEX_MAX + 1]) {
    const struct text plain[] = {answer->order, answer->amount, answer->timestamp_end};
    const struct text limited[] = {answer->order, answer->amount, answer->least, answer->most, answer->timestamp_end};
    bool has_limits = answer->least.size > 0;
    checksum_compute(has_limits ? CHECKSUM_ANSWER_WITH_LIMITS : CHECKSUM_ANSWER, has_limits ? limited : plain, hash,
                     out);
    return text_of(out);
}

static void check_amount(struct text written, struct money taken) {
    struct money amount;
    assert(written.size == 0 || (money_parse(written, &amount) && money_equal(amount, taken)));
}

static void check_granted(struct external_answer *answer) {
    char checksum[CHECKSUM_HEX_MAX + 1];
    static struct rule_checks checks;
    struct secret_pair hash = {.old_until = 0};
    struct offer offer;
    bool fits = secret_set(&hash.current, TEXT("secret"));
    assert(fits);
    answer->checksum = right_checksum(answer, &hash.current, checksum);
    const struct judged_answer judged = {&INTEGRATION, &hash, answer, TEXT("770000001"), NOW};
    answer_rules_offer(&judged, &offer);
    bool holds = answer_rules_judge(&judged, &offer).field == NULL;
    checks.count = 0;
    answer_rules_examine(&judged, &checks);
    assert((count_broken(&checks) == 0) == (holds && !answer_rules_expired(&judged, &offer)));
    check_amount(answer->amount, offer.amount);
    if (holds) {
        check_amount(answer->least, offer.least);
        check_amount(answer->most, offer.most);
        assert(offer.least.units <= offer.most.units);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct rule_checks checks;
    struct external_answer answer;
    struct fault fault = {0};
    if (size == 0) {
        return 0;
    }
    struct arena *arena = arena_create();
    struct text body = {(const char *)data + 1, size - 1};
    bool identifies_customers = data[0] % 2 == 1;
    enum external_answer_kind kind = external_answer_read(body, identifies_customers, arena, &answer, &fault);
    checks.count = 0;
    external_answer_examine(body, true, identifies_customers, arena, &checks);
    assert((count_broken(&checks) == 0) == (kind != ANSWER_INVALID));
    assert((fault.problem != NULL) == (kind == ANSWER_INVALID));
    if (kind == ANSWER_GRANTS) {
        fuzz_assert_clean((const struct text *)&answer, sizeof answer / sizeof(struct text));
        check_granted(&answer);
    }
    arena_destroy(arena);
    return 0;
}
