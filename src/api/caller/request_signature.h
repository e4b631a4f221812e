/*
 * The second way in which a network signs: headers Recaudo-Id, Recaudo-Timestamp and Recaudo-Signature over the whole
 * request (doc/protocol.md, "Signed requests").
 */
#ifndef RECAUDO_API_CALLER_REQUEST_SIGNATURE_H
#define RECAUDO_API_CALLER_REQUEST_SIGNATURE_H

#include "api/worker/call.h"
#include "auth/secret_pair.h"
#include "domain/signing.h"

/* True: the request keeps to the rule, signed with either secret. `now` by the monotonic clock. False: call->fault says
 * what is wrong. */
MUST_USE bool request_signature_judge(struct call *call, enum signature_rule rule, const struct secret_pair *secrets,
                                      duration now);

#endif
