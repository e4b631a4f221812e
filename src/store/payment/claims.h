/*
 * A customer's refund claim (specification, "States and transitions"): APROBADA -> ANULADA and, in the same database
 * transaction, the `cancelled` notification. It waits until `approved` is acknowledged or exhausted, so that a merchant
 * never receives the two in the wrong order.
 */
#ifndef RECAUDO_STORE_PAYMENT_CLAIMS_H
#define RECAUDO_STORE_PAYMENT_CLAIMS_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/money.h"
#include "store/db/connection.h"

/* The outcome of a claim, as the schema's functions return it. */
enum claim_outcome {
    CLAIM_REFUSED, /* the order is not APROBADA; returned as STATUS_CHANGED */
    CLAIM_DONE,
    CLAIM_WAITS,        /* stored; a second user must approve it (store/payment/approvals.h) */
    CLAIM_WAITS_ALREADY /* an earlier claim of the order waits for approval; nothing was changed */
};

struct claim {
    uint64_t order_id;
    struct text reason; /* for the event log: at most 250 characters */
    struct text actor;  /* if user_id is 0 */
    uint64_t user_id;   /* of the console; 0: none */
};

/* Claims an order. If the window of its payment has closed, writes the approval first. STATUS_CHANGED: the order is not
 * APROBADA, and nothing was changed. */
enum status claims_write(struct connection *connection, const struct claim *claim, enum claim_outcome *out);

/* An order that a claim could be meant for. */
struct paid_order {
    uint64_t id; /* pv_po_id */
    struct text merchant, po_id;
    struct money amount; /* paid */
    struct text currency;
    instant paid_at; /* when the network confirmed it */
};

enum { PAID_LISTED_MOST = 11 };

/* Calls `each` for the newest PAID_LISTED_MOST paid orders with this reference, newest first. An order is paid from the
 * end of its window on, and not once it is refunded or claimed. `each` must not use the connection. */
enum status claims_list_paid(struct connection *connection, struct text reference, struct arena *arena,
                             void (*each)(void *context, const struct paid_order *order), void *context);

#endif
