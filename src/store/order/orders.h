/* New orders that operators add: one by one, or many from a file in one database transaction. */
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
 * Stores one order. STATUS_CHANGED: due_at is not in the future by the database's clock. STATUS_CLASH: *clash says
 * whether the merchant has an order of this number already, or the reference is taken (store/order/references.h).
 */
enum status orders_insert(struct connection *connection, const struct new_order *order, struct text actor, uint64_t *id,
                          enum order_clash *clash);

/* Why one order of a batch cannot be stored. */
struct order_obstacle {
    size_t at;               /* index of the order */
    uint64_t same_number;    /* the merchant's order with the same number; 0: none */
    uint64_t same_reference; /* the open order with the same reference; 0: none */
    bool is_closing;         /* that order is overdue, or its window has closed, but its new state is not written yet */
    bool is_document;        /* the reference is the document number of an account */
    uint64_t kept_by;        /* another merchant that owns or still keeps the reference; 0: none */
    uint64_t prefix_of; /* the merchant to whom the reference's prefix was given, perhaps the order's own; 0: none */
    bool is_due;        /* due_at is not in the future */
};

/* A new order, and whether it is still part of the batch. */
struct batch_order {
    struct new_order order;
    bool included;
};

/*
 * Orders that are stored together. `judge` is called for every order with an obstacle. It may change the reference and
 * return true to have the order checked again, or exclude the order (then nothing at all is stored).
 */
struct order_batch {
    struct batch_order *orders;
    size_t count;
    struct text actor;
    bool (*judge)(void *context, const struct order_obstacle *obstacle);
    void *context;
    bool stored; /* out: false if an order was excluded, so that none was stored */
};

/*
 * Checks every included order, then stores all of them, or none if one is excluded. All have the merchant and the
 * origin of the first. May check and judge more than once.
 *
 * STATUS_OK: batch->stored says whether the orders were stored.
 * STATUS_CLASH: others store the same orders at this moment; nothing was stored.
 */
enum status orders_insert_all(struct connection *connection, struct order_batch *batch);

#endif
