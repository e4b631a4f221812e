/* A merchant's answer to an external query (specification, "External query response"). */
#ifndef RECAUDO_WIRE_MERCHANT_EXTERNAL_ANSWER_H
#define RECAUDO_WIRE_MERCHANT_EXTERNAL_ANSWER_H

#include "base/arena.h"
#include "wire/fault.h"
#include "wire/merchant/rule_checks.h"

/* The answer's values as received; those that were not sent are empty. */
struct external_answer {
    struct text code, text;
    struct text order, amount, description, email, timestamp_end, least, most, checksum;
    struct text document, document_type, customer_name;
};

enum external_answer_kind { ANSWER_GRANTS, ANSWER_REFUSES, ANSWER_INVALID };

/*
 * Reads and checks every field by itself. outbound/answer_rules.h has the checksum and the rules between fields.
 * ANSWER_REFUSES: only `code` and `text` are set.
 * ANSWER_INVALID: *fault names the field.
 * Texts are in the arena.
 */
enum external_answer_kind external_answer_read(struct text body, bool identifies_customers, struct arena *arena,
                                               struct external_answer *out, struct fault *fault);

/*
 * Checks every rule of every field by itself, for developers of a merchant's side. `came` false: there is no body.
 * external_answer_read stops at the first broken rule.
 */
void external_answer_examine(struct text body, bool came, bool identifies_customers, struct arena *arena,
                             struct rule_checks *out);

#endif
