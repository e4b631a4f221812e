/* What the clock has decided and nobody has stored yet: windows that have closed, and orders that fell due
 * (doc/protocol.md, "Time"). */
#ifndef RECAUDO_API_WORKER_UNSTORED_H
#define RECAUDO_API_WORKER_UNSTORED_H

#include "api/worker/call.h"
#include "domain/order.h"

/*
 * Writes the approval if the window of the payment that holds `order` had closed at `now`, the time when the order was
 * read. Only a stored state may assert a payment. If the order was overdue, looks whether somebody is changing it:
 * then, and if that cannot be told, it is in doubt, and not expired. Costs nothing for other orders, and never waits
 * for a row lock. True: the approval was written, or the order has changed; read it again. False: reply with the order.
 * Nothing had to be written, or it cannot be written now and the order stays held.
 */
MUST_USE bool unstored_resolve(struct call *call, struct connection *connection, struct order *order, instant now);

#endif
