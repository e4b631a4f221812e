#include "domain/signing.h"

#include "domain/reference.h"

static const char *const RULES[] = {
    [SIGNATURE_OFF] = "off", [SIGNATURE_ACCEPTED] = "accepted", [SIGNATURE_REQUIRED] = "required"};

bool signature_rule_parse(struct text name, enum signature_rule *out) {
    size_t place = text_place_in(name, RULES, COUNT_OF(RULES));
    if (place < COUNT_OF(RULES)) {
        *out = (enum signature_rule)place;
    }
    return place < COUNT_OF(RULES);
}

const char *signature_rule_name(enum signature_rule rule) {
    return RULES[rule];
}

bool transaction_id_is_distinct(struct text id) {
    for (size_t i = 0; i < id.size; i++) {
        if (!reference_may_have(id.at[i])) {
            return true;
        }
    }
    return false;
}
