/* Which transaction ids a network may use (doc/protocol.md, "Signed requests"). */
#ifndef RECAUDO_API_NETWORK_TRANSACTION_ID_H
#define RECAUDO_API_NETWORK_TRANSACTION_ID_H

#include "api/worker/call.h"

/*
 * May this network register, or confirm, a transaction of that id? Needs credentials_verify before.
 * GRANTED; REFUSED_FIELD and call->fault: the id needs a character that no reference has.
 */
enum refusal transaction_id_judge_new(struct call *call, struct text transaction);
enum refusal transaction_id_judge_known(struct call *call, struct text transaction);

#endif
