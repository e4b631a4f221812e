/*
 * Signatures over a network's whole request, in the headers Recaudo-Id, Recaudo-Timestamp and Recaudo-Signature
 * (doc/protocol.md, "Signed requests").
 */
#ifndef RECAUDO_API_CALLER_REQUEST_SIGNATURE_H
#define RECAUDO_API_CALLER_REQUEST_SIGNATURE_H

#include "api/worker/call.h"
#include "auth/secret_pair.h"
#include "domain/signing.h"

/* Returns whether the request has none of the three headers. */
bool request_signature_is_absent(const struct request *request);

/*
 * Judges the signature, which may use either secret. `now` is monotonic time. False: the rule is broken, and
 * call->fault says how.
 */
MUST_USE bool request_signature_judge(struct call *call, enum signature_rule rule, const struct secret_pair *secrets,
                                      duration now);

#endif
