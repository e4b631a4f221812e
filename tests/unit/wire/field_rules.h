/* What a message promises of each of its fields, tried field by field. */
#ifndef RECAUDO_TESTS_UNIT_FIELD_RULES_H
#define RECAUDO_TESTS_UNIT_FIELD_RULES_H

#include "base/arena.h"
#include "wire/fault.h"

struct field_rule {
    const char *name;
    const char *value; /* a valid one */
    bool required;
    bool or_boolean;
    unsigned longest;       /* in characters; 0: no limit */
    enum refusal malformed; /* of a value that is empty, too long or invalid */
    const char *wrong;      /* an invalid value; NULL: every text is valid */
    const char *form;       /* what the reply says of it; NULL: "is not valid" */
};

/* Reads a message of which only the refusal is of interest. */
typedef enum refusal read_message(struct text body, struct arena *arena, struct fault *fault);

struct field_rules {
    const struct field_rule *rules;
    size_t count;
    read_message *read;
    bool tolerant;              /* a JSON number is read as text, and "" and null mean that the field is absent */
    const char *before, *after; /* what stands around the fields */
};

/* Returns the message with `json` as the value of the field of this name; NULL: without it. */
struct text field_rules_message(const struct field_rules *rules, const char *name, const char *json,
                                struct arena *arena);

/* Reads the message with all its fields, of which the one of this row is absent, empty, too long and so on. */
void field_rules_try(const struct field_rules *rules, size_t row);

#endif
