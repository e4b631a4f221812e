/* New orders as operators add them: one by one, or from a file, many in one database transaction. */
#ifndef RECAUDO_STORE_ORDER_ORDERS_H
#define RECAUDO_STORE_ORDER_ORDERS_H

#include "base/arena.h"
#include "domain/order.h"
#include "store/db/connection.h"

struct new_order {
    uint64_t merchant_id;
    struct text po_id;
    struct text reference;
    struct money amount;
    struct text currency;
    struct text description;                                                  /* may be empty */
    struct text payment_means, email, document, document_type, customer_name; /* empty: not given */
    struct text origin;                                                       /* registered, imported */
    instant due_at;
};

enum order_clash { CLASH_ORDER_NUMBER, CLASH_REFERENCE };

/*
 * Stores one order. STATUS_CHANGED: due_at is not in the future by the database's clock. STATUS_CLASH: *clash tells
 * whether the merchant has an order of this number already, or the reference is taken (store/order/references.h).
 */
enum status orders_insert(struct connection *connection, const struct new_order *order, struct text actor, uint64_t *id,
                          enum order_clash *clash);

/* What stands in the way of one order of a batch. */
struct order_obstacle {
    size_t at;               /* which order */
    uint64_t same_number;    /* order of the merchant with the same number; 0: none */
    uint64_t same_reference; /* open order with the same reference; 0: none */
    bool is_closing;         /* that order is closed by the clock, but not yet in the table */
    bool is_document;        /* the reference is the document number of an account */
    uint64_t kept_by;        /* another merchant whose reference it is, or was a short time ago; 0: none */
    uint64_t prefix_of;      /* merchant that the reference's prefix was given to; 0: none; it may be the order's own */
    bool is_due;             /* due_at is not in the future */
};

/* A new order and whether it takes part. */
struct batch_order {
    struct new_order order;
    bool included;
};

/*
 * Orders that come together. `judge` is called for every order that something stands in the way of; it may change the
 * reference and return true to have the order looked at again, or take the order out of the batch (then nothing at all
 * is stored).
 */
struct order_batch {
    struct batch_order *orders;
    size_t count;
    struct text actor;
    bool (*judge)(void *context, const struct order_obstacle *obstacle);
    void *context;
    bool stored; /* out: false when an order was taken out of the batch, so that none was stored */
};

/*
 * Looks at every order that is included, then stores all of them, or none when one is not included. All have the
 * merchant and the origin of the first. May look and judge again.
 *
 * STATUS_OK: batch->stored says whether the orders were stored.
 * STATUS_CLASH: others store the same orders at this moment; nothing was stored.
 */
enum status orders_insert_all(struct connection *connection, struct order_batch *batch);

#endif
