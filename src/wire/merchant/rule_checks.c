#include "wire/merchant/rule_checks.h"

#include <assert.h>

void rule_checks_add(struct rule_checks *checks, const char *field, const char *rule, enum rule_state state) {
    assert(checks->count < RULE_CHECKS_MAX);
    checks->list[checks->count++] = (struct rule_check){field, rule, state};
}

const char *rule_state_name(enum rule_state state) {
    static const char *const NAMES[] = {[RULE_PASSED] = "passed", [RULE_BROKEN] = "broken", [RULE_UNSEEN] = "not seen"};
    return NAMES[state];
}
