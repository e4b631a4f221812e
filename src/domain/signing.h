/* What a network's signed requests must keep to besides their checksum (doc/protocol.md, "Signed requests"). Pure. */
#ifndef RECAUDO_DOMAIN_SIGNING_H
#define RECAUDO_DOMAIN_SIGNING_H

#include "base/clock.h"
#include "base/text.h"

/* The header Recaudo-Signature. OFF: ignored. ACCEPTED: a wrong one is refused. REQUIRED: a missing one too. */
enum signature_rule { SIGNATURE_OFF, SIGNATURE_ACCEPTED, SIGNATURE_REQUIRED };

/* How far the time of a signature may be from this host's, in both directions. */
#define SIGNATURE_TOLERANCE (5 * MINUTE)

/* "off", "accepted", "required". False: another word. */
MUST_USE bool signature_rule_parse(struct text name, enum signature_rule *out);
const char *signature_rule_name(enum signature_rule rule);

/* True when the transaction id has a character that no reference can have: one other than digits, letters without
 * accents and '-'. The checksum of a look-up then fits no confirmation. */
bool transaction_id_is_distinct(struct text id);

#endif
