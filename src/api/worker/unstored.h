/* Windows that have closed but whose approval is not stored yet (doc/protocol.md, "Time"). */
#ifndef RECAUDO_API_WORKER_CLOSED_WINDOW_H
#define RECAUDO_API_WORKER_CLOSED_WINDOW_H

#include "api/worker/call.h"
#include "domain/order.h"

/*
 * Writes the approval if the window of the payment that holds `order` had closed at `now`, the time when the order was
 * read. Only a stored state may assert a payment. Costs nothing for other orders, and never waits for a row lock.
 * True: the approval was written; read the order again.
 * False: reply with the order as read. Nothing had to be written, or it cannot be written now and the order stays held.
 */
MUST_USE bool closed_window_finalise(struct call *call, struct connection *connection, const struct order *order,
                                     instant now);

#endif
