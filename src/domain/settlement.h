/* The operations of a settlement (payments that became final, cancellations and refunds), and when it is due to be
 * closed (doc/operations.md, "Reconcile"). */
#ifndef RECAUDO_DOMAIN_SETTLEMENT_H
#define RECAUDO_DOMAIN_SETTLEMENT_H

#include "base/clock.h"
#include "domain/money.h"

enum operation_kind { OPERATION_FINALISED, OPERATION_CANCELLED, OPERATION_REFUNDED, OPERATION_KINDS };

struct operation {
    enum operation_kind kind;
    instant at;  /* the end of the window, the cancellation, or the refund */
    uint64_t id; /* operation code: IDSERVICE of the payment, also for its refund */
    struct text network, transaction;
    struct text merchant, order; /* name and po_id; empty: a top-up */
    struct text currency;
    struct money amount;
};

/* True if the closing for `cut` is done: the open settlement was opened at `cut` or later, and not after `now`. A
 * settlement that was opened in the future, because the clock was ahead, is closed at each cut like any other. */
bool settlement_follows_cut(instant opened_at, instant cut, instant now);

#endif
