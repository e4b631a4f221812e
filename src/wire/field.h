/* The fields of a message as a table: name, limits, and the refusal of an invalid value (doc/protocol.md, "Fields"). */
#ifndef RECAUDO_WIRE_FIELD_H
#define RECAUDO_WIRE_FIELD_H

#include "base/text.h"
#include "wire/fault.h"

enum field_need { FIELD_OPTIONAL, FIELD_REQUIRED };

struct field {
    const char *name;
    enum field_need need;
    bool or_boolean;                     /* JSON true and false are read as the texts "true" and "false" */
    unsigned most;                       /* greatest length in characters; 0: no limit */
    enum refusal malformed;              /* refusal of an empty, too long or invalid value */
    bool (*is_valid)(struct text value); /* may be NULL */
    size_t at;                           /* offset of a struct text in the message */
    const char *form;                    /* describes a valid value, "must be ..."; NULL: the reply says "not valid" */
};

/* Descriptions that several messages use. */
#define FORM_AMOUNT    "must be at most 15 digits, with a point only before decimals, like 45000 or 45000.00"
#define FORM_CURRENCY  "must be a currency code of ISO 4217 in capitals, like COP"
#define FORM_CHECKSUM  "must be made of this request's values and the caller's FIXED_HASH"
#define FORM_ORDER     "must have only letters a to z and A to Z, digits, - and _"
#define FORM_REFERENCE "must have only letters a to z and A to Z, digits and -"

/* Judges a value that is present: length, control characters, validity. Returns GRANTED, or a refusal with *fault set.
 */
enum refusal field_judge(const struct field *field, struct text value, struct fault *fault);

/* Judges an absent value: GRANTED for an optional field, otherwise REFUSED_FIELD with *fault set. */
enum refusal field_judge_absent(const struct field *field, struct fault *fault);

#endif
