/* Rules for networks' signed requests, besides the checksum (doc/protocol.md, "Signed requests"). Pure. */
#ifndef RECAUDO_DOMAIN_SIGNING_H
#define RECAUDO_DOMAIN_SIGNING_H

#include "base/clock.h"
#include "base/text.h"

/* The header Recaudo-Signature. OFF: ignored. ACCEPTED: an invalid signature is refused. REQUIRED: also a missing one.
 */
enum signature_rule { SIGNATURE_OFF, SIGNATURE_ACCEPTED, SIGNATURE_REQUIRED };

/* Greatest difference between a signature's time and this host's clock, in both directions. */
#define SIGNATURE_TOLERANCE (5 * MINUTE)

/* Convert "off", "accepted" and "required". False: another word. */
MUST_USE bool signature_rule_parse(struct text name, enum signature_rule *out);
const char *signature_rule_name(enum signature_rule rule);

/* True if the transaction id has a character that no reference can have: not a digit, a letter without accent, or '-'.
 * Then the checksum of a lookup cannot be valid for a confirmation. */
bool transaction_id_is_distinct(struct text id);

#endif
