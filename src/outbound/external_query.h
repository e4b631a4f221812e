/*
 * One external query: the HTTP request to a merchant, and the checks of its answer (doc/protocol.md, "External query").
 */
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
    int http_status; /* 0: no reply */
    duration took;
    struct text address;      /* that was connected to; may be empty */
    struct fault fault;       /* QUERY_INVALID: the field; QUERY_SILENT: http_error_name, or "status" */
    struct text refusal_code; /* QUERY_REFUSED: the merchant's CODE */
    struct text refusal_text; /* QUERY_REFUSED: its TEXT, of any length */
    bool signed_with_old;     /* its checksum was made with the FIXED_HASH from before a rotation */
    struct offer offer;       /* QUERY_ANSWERED; its texts are in the arena */
};

/* Returns "answered", "refused", "expired", "invalid" or "silent". */
const char *query_outcome_name(enum query_outcome outcome);

/* Judges the reply, whose checksum may use either secret of `hash`, the merchant's FIXED_HASH. */
void external_query_judge(const struct external_query *query, const struct secret_pair *hash,
                          const struct http_reply *reply, struct arena *arena, struct query_result *out);

/*
 * Returns the request, whose checksum uses the current secret of `hash`. Its body is in the arena, its URL the
 * integration's.
 */
struct http_request external_query_request(const struct external_query *query, const struct secret_pair *hash,
                                           struct arena *arena);

/* Adds the state of every rule for an answer. */
void external_query_examine(const struct external_query *query, const struct secret_pair *hash,
                            const struct http_reply *reply, struct arena *arena, struct rule_checks *out);

#endif
