#include "domain/signing.h"

#include "domain/reference.h"

static const char *const RULES[] = {
    [SIGNATURE_OFF] = "off", [SIGNATURE_ACCEPTED] = "accepted", [SIGNATURE_REQUIRED] = "required"};

TEXT_DEFINE_PARSE(signature_rule_parse, enum signature_rule, RULES);

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
