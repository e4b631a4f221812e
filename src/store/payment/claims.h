/*
 * A customer's refund claim (specification, "States and transitions"): APROBADA -> ANULADA and, in the same database
 * transaction, the `cancelled` notification. It waits until `approved` is acknowledged or exhausted, so that a merchant
 * never receives the two in the wrong order.
 */
#ifndef RECAUDO_STORE_PAYMENT_CLAIMS_H
#define RECAUDO_STORE_PAYMENT_CLAIMS_H

#include "base/text.h"
#include "store/db/connection.h"

/* The outcome of a claim, as the schema's functions return it. */
enum claim_outcome {
    CLAIM_REFUSED, /* the order is not APROBADA; returned as STATUS_CHANGED */
    CLAIM_DONE,
    CLAIM_WAITS,        /* stored; a second user must approve it (store/payment/approvals.h) */
    CLAIM_WAITS_ALREADY /* an earlier claim of the order waits for approval; nothing was changed */
};

/* Claims an order. If the window of its payment has closed, writes the approval first. `reason` goes to the event log,
 * 250 characters at most. STATUS_CHANGED: the order is not APROBADA, and nothing was changed. */
enum status claims_write(struct connection *connection, uint64_t order_id, struct text reason, struct text actor,
                         enum claim_outcome *out);

#endif
