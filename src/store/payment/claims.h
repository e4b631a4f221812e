/*
 * A customer's refund claim (specification, "States and transitions"): APROBADA -> ANULADA, and in the same database
 * transaction the `cancelled` notification. It waits until `approved` is acknowledged or given up: a merchant never
 * hears of them the other way round.
 */
#ifndef RECAUDO_STORE_PAYMENT_CLAIMS_H
#define RECAUDO_STORE_PAYMENT_CLAIMS_H

#include "base/text.h"
#include "store/db/connection.h"

/* Where the window of the order's payment has closed, the approval is written first. `reason` is for the event log, 250
 * characters at most. STATUS_CHANGED: the order is not APROBADA, and nothing was changed. *waits: a second user has to
 * approve the claim (store/payment/approvals.h), which only was asked for. */
enum status claims_write(struct connection *connection, uint64_t order_id, struct text reason, struct text actor,
                         bool *waits);

/* What a claim's function returned, as claims_write tells it. */
enum { CLAIM_WAITS = 2 };

#endif
