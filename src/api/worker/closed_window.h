/* Windows that have closed without being written (doc/protocol.md, "Time"). */
#ifndef RECAUDO_API_WORKER_CLOSED_WINDOW_H
#define RECAUDO_API_WORKER_CLOSED_WINDOW_H

#include "api/worker/call.h"
#include "domain/order.h"

/*
 * Only a written state may assert a payment. Where the window of the payment that holds `order` had closed at `now`
 * (when the order was read), writes the approval. Costs nothing for any other order, and never waits for a row lock.
 * true: read the order again.
 * false: tell what was read: nothing was to be written, or it cannot be written now, and the order is held as before.
 */
MUST_USE bool closed_window_finalise(struct call *call, struct connection *connection, const struct order *order,
                                     instant now);

#endif
