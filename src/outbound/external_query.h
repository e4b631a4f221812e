/* One external query: the merchant is asked over HTTP, and its answer checked as a whole (doc/protocol.md, "External
 * query"). */
#ifndef RECAUDO_OUTBOUND_EXTERNAL_QUERY_H
#define RECAUDO_OUTBOUND_EXTERNAL_QUERY_H

#include "auth/secret_pair.h"
#include "domain/external/integration.h"
#include "domain/external/offer.h"
#include "outbound/http.h"
#include "wire/fault.h"
#include "wire/merchant/rule_checks.h"

struct external_query {
    const struct integration *integration;
    struct text reference, netname;
    instant now; /* by the database's clock */
    duration timeout;
};

enum query_outcome { QUERY_ANSWERED, QUERY_REFUSED, QUERY_EXPIRED, QUERY_INVALID, QUERY_SILENT };

struct query_result {
    enum query_outcome outcome;
    int http_status; /* 0: none came */
    duration took;
    struct text address;      /* that was connected to; may be empty */
    struct fault fault;       /* invalid: the field; silent: http_error_name */
    struct text refusal_code; /* refused: the merchant's CODE */
    struct text refusal_text; /* and its TEXT, of any length */
    bool signed_with_old;     /* its checksum was made with the FIXED_HASH from before a rotation */
    struct offer offer;       /* answered; its texts lie in the arena */
};

/* "answered", "refused", "expired", "invalid", "silent". */
const char *query_outcome_name(enum query_outcome outcome);

/* What it means that this reply came, which may be signed with either hash. */
void external_query_judge(const struct external_query *query, const struct secret_pair *hash,
                          const struct http_reply *reply, struct arena *arena, struct query_result *out);

/* The request that asks, signed with the current `hash`, the merchant's FIXED_HASH; its texts are the arena's. */
struct http_request external_query_request(const struct external_query *query, const struct secret_pair *hash,
                                           struct arena *arena);

/* Adds every rule that an answer has to keep, and whether this one does. */
void external_query_examine(const struct external_query *query, const struct secret_pair *hash,
                            const struct http_reply *reply, struct arena *arena, struct rule_checks *out);

#endif
