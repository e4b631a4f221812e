/* The external query's body, and the merchant's answer (specification, "External query request" and "... response"). */
#ifndef RECAUDO_WIRE_EXTERNAL_QUERY_H
#define RECAUDO_WIRE_EXTERNAL_QUERY_H

#include "base/arena.h"
#include "wire/fault.h"

/* The request's values as their texts, which the checksum is made of. */
struct external_query_values {
    struct text reference, currency, netname, timestamp_start;
};

/* reference and netname are strings, currency and timestamp_start numbers. */
struct text external_query_render(const struct external_query_values *values, const char *checksum,
                                  struct arena *arena);

/* The answer's values as received; those that were not sent are empty. */
struct external_answer {
    struct text code, text;
    struct text order, amount, description, email, timestamp_end, least, most, checksum;
    struct text document, document_type, customer_name;
};

enum external_answer_kind { ANSWER_GRANTS, ANSWER_REFUSES, ANSWER_INVALID };

/*
 * Reads and checks every field by itself; the checksum and what fields mean together is outbound/external_query's part.
 * ANSWER_REFUSES: only `code` and `text` are set. ANSWER_INVALID: *fault says which field. Texts lie in the arena.
 */
enum external_answer_kind external_answer_read(struct text body, bool identifies_customers, struct arena *arena,
                                               struct external_answer *out, struct fault *fault);

#endif
