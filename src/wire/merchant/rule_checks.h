/* A list of the rules that a message keeps or breaks, for developers of the program that sends it. */
#ifndef RECAUDO_WIRE_MERCHANT_RULE_CHECKS_H
#define RECAUDO_WIRE_MERCHANT_RULE_CHECKS_H

#include "base/base.h"

/* RULE_UNSEEN: the rule could not be checked: an earlier rule is broken, or the field was not sent. */
enum rule_state { RULE_PASSED, RULE_BROKEN, RULE_UNSEEN };

struct rule_check {
    const char *field; /* or another subject of the rule */
    const char *rule;  /* "is sent", "has at most 40 characters", ... */
    enum rule_state state;
};

enum { RULE_CHECKS_MAX = 128 };

struct rule_checks {
    struct rule_check list[RULE_CHECKS_MAX];
    size_t count;
};

/* The strings must live as long as the list. */
void rule_checks_add(struct rule_checks *checks, const char *field, const char *rule, enum rule_state state);

/* Returns "passed", "broken" or "not seen". */
const char *rule_state_name(enum rule_state state);

#endif
