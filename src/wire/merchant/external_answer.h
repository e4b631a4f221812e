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
 * Reads and checks every field by itself; the checksum and what fields mean together is outbound/answer_rules' part.
 * ANSWER_REFUSES: only `code` and `text` are set. ANSWER_INVALID: *fault says which field. Texts lie in the arena.
 */
enum external_answer_kind external_answer_read(struct text body, bool identifies_customers, struct arena *arena,
                                               struct external_answer *out, struct fault *fault);

/*
 * Looks at every rule of every field by itself, for the people who build the merchant's side. `came` false: there is no
 * body to look at. external_answer_read finds the first of the broken ones.
 */
void external_answer_examine(struct text body, bool came, bool identifies_customers, struct arena *arena,
                             struct rule_checks *out);

#endif
