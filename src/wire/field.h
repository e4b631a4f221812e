/* The fields of a message as a table: name, bounds, and which refusal a bad value gets (doc/protocol.md, "Fields"). */
#ifndef RECAUDO_WIRE_FIELD_H
#define RECAUDO_WIRE_FIELD_H

#include "base/text.h"
#include "wire/fault.h"

enum field_need { FIELD_OPTIONAL, FIELD_REQUIRED };

struct field {
    const char *name;
    enum field_need need;
    bool or_boolean;                     /* JSON true and false are taken as the texts "true" and "false" */
    unsigned most;                       /* characters; 0: no bound */
    enum refusal malformed;              /* what an empty, too long or invalid value gets */
    bool (*is_valid)(struct text value); /* may be NULL */
    size_t at;                           /* offset of a struct text in the message */
    const char *form; /* what a valid value is, "must be ..."; NULL: an invalid one is said to be "not valid" */
};

/* Forms that several messages have. */
#define FORM_AMOUNT    "must be at most 15 digits, with a point only before decimals, like 45000 or 45000.00"
#define FORM_CURRENCY  "must be a currency code of ISO 4217 in capitals, like COP"
#define FORM_ORDER     "must have only letters a to z and A to Z, digits, - and _"
#define FORM_REFERENCE "must have only letters a to z and A to Z, digits and -"

/* Judges a value that is there: bounds, control characters, validity. */
enum refusal field_judge(const struct field *field, struct text value, struct fault *fault);

/* What it means that a value is not there. */
enum refusal field_judge_absent(const struct field *field, struct fault *fault);

#endif
