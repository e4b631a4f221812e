/*
 * A customer's refund claim (specification, "States and transitions"): APROBADA -> ANULADA, and in the same database
 * transaction the `cancelled` notification. It waits until `approved` is acknowledged or given up: a merchant never
 * hears of them the other way round.
 */
#ifndef RECAUDO_STORE_PAYMENT_CLAIMS_H
#define RECAUDO_STORE_PAYMENT_CLAIMS_H

#include "base/text.h"
#include "store/db/connection.h"

/* What became of a claim, as the functions of the schema return it. */
enum claim_outcome {
    CLAIM_REFUSED, /* the order is not APROBADA; told as STATUS_CHANGED */
    CLAIM_DONE,
    CLAIM_WAITS,        /* a second user has to approve it (store/payment/approvals.h): it only was asked for */
    CLAIM_WAITS_ALREADY /* an earlier claim of the order waits for that: nothing was changed */
};

/* Where the window of the order's payment has closed, the approval is written first. `reason` is for the event log, 250
 * characters at most. STATUS_CHANGED: the order is not APROBADA, and nothing was changed. */
enum status claims_write(struct connection *connection, uint64_t order_id, struct text reason, struct text actor,
                         enum claim_outcome *out);

#endif
