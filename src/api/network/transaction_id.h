/* Which transaction ids a network may use (doc/protocol.md, "Signed requests"). */
#ifndef RECAUDO_API_NETWORK_TRANSACTION_ID_H
#define RECAUDO_API_NETWORK_TRANSACTION_ID_H

#include "api/worker/call.h"

/*
 * Judges whether this network may register (_new) or confirm (_known) a transaction with that id. Call
 * credentials_verify first. Returns GRANTED, or REFUSED_FIELD with call->fault: the id needs a character that no
 * reference can have.
 */
enum refusal transaction_id_judge_new(struct call *call, struct text transaction);
enum refusal transaction_id_judge_known(struct call *call, struct text transaction);

#endif
