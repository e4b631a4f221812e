/* Purchase orders as merchants register, read and change them (doc/protocol.md, "Merchant orders"). */
#ifndef RECAUDO_STORE_ORDER_PORDERS_H
#define RECAUDO_STORE_ORDER_PORDERS_H

#include "store/order/orders.h"

/* The terms of an order that a merchant sends. Empty texts: not given. */
struct porder_terms {
    struct new_order order;
    uint64_t country;
    struct text language;
    struct text vat;            /* a decimal, as sent */
    struct text token;          /* of a new order; opens its slip */
    instant earliest;           /* due_at may be at most 31 days after this */
    const char *time_zone;      /* of the country, to tell which days are valid; not stored */
    bool reference_is_assigned; /* drawn here, so its prefix must not be one that was given to a merchant */
};

/*
 * Stores a new order.
 * STATUS_CHANGED: its due date is not within the 31 days, or its assigned reference has a prefix that was given to a
 * merchant.
 * STATUS_CLASH: *clash says whether the merchant has an order of this number already, or the reference is taken
 * (store/order/references.h).
 */
enum status porders_insert(struct connection *connection, const struct porder_terms *terms, struct text actor,
                           uint64_t *id, enum order_clash *clash);

/* Reads the database's clock, to find out why nothing was stored. */
enum status porders_clock(struct connection *connection, instant *now);

/* An order, and what its merchant may know about it. */
struct porder {
    instant now; /* the database's clock when it was read */
    struct order order;
    struct text po_id, email, payment_means, token;
    instant created_at, changed_at;
    uint64_t country; /* the order's, else its merchant's */
    uint64_t paid_by; /* the transaction that paid it; 0: none, or not written yet */
    /* Set by porders_find_outcome for an order that was paid or has ended: */
    uint64_t transaction_id;
    struct money paid;
    instant paid_at; /* when the network confirmed it */
    struct text network;
    bool is_acknowledged; /* the merchant's last reply to a notification acknowledged it, by its rule
                             (merchants.acknowledgement) */
};

/* STATUS_NONE: the merchant has no such order. */
enum status porders_find(struct connection *connection, uint64_t merchant_id, struct text po_id, struct arena *arena,
                         struct porder *out);

/* Reads how the order was paid and whether the merchant acknowledged it. No round trip for an order that is open. */
enum status porders_find_outcome(struct connection *connection, struct arena *arena, struct porder *porder);

/*
 * Changes by merchants, each a guarded update. `version`: that of the order as it was judged. STATUS_CHANGED: the order
 * is no longer so; read it and judge again. The event log names the actor.
 */

/* Gives new terms to an order that is PENDIENTE, not overdue and not held. Optional terms that are empty keep their
 * value. STATUS_CLASH: the reference is taken. */
enum status porders_change(struct connection *connection, uint64_t id, uint64_t version,
                           const struct porder_terms *terms, struct text actor);

/* PENDIENTE, not overdue and not held -> CANCELADA. */
enum status porders_delete(struct connection *connection, uint64_t id, uint64_t version, struct text actor);

/* APROBADA -> ANULADA. `reason` may be empty. */
enum status porders_refund(struct connection *connection, uint64_t id, struct text reason, struct text actor);

#endif
