/* Orders for display: in their state at this moment (view orders_now), with all that is known about them. */
#ifndef RECAUDO_STORE_ORDER_ORDERS_NOW_H
#define RECAUDO_STORE_ORDER_ORDERS_NOW_H

#include "base/arena.h"
#include "domain/order.h"
#include "store/db/connection.h"

struct order_now {
    uint64_t id; /* pv_po_id */
    struct text merchant, po_id, reference;
    struct text state, state_written;
    struct money amount; /* of an open amount: what was paid; 0: not paid */
    bool has_limits;
    struct money least, most;
    struct text currency, description, payment_means, email, document, document_type, customer_name;
    struct text origin;
    instant due_at, held_until, created_at, changed_at; /* held_until 0: not held */
    bool window_closed; /* held, and past held_until: the approval is due but not written */
    struct text changed_by;
    struct text token; /* opens its slip; empty for an order older than slips */
};

/* STATUS_NONE: there is no such order. */
enum status orders_now_find(struct connection *connection, uint64_t id, struct arena *arena, struct order_now *out);

/* Finds the order that this reference stands for: the open one, else the newest. */
enum status orders_now_find_by_reference(struct connection *connection, struct text reference, struct arena *arena,
                                         struct order_now *out);

/* Finds the last order that gave up this reference for another one. */
enum status orders_now_find_by_old_reference(struct connection *connection, struct text reference, struct arena *arena,
                                             struct order_now *out);

enum status orders_now_find_by_number(struct connection *connection, uint64_t merchant_id, struct text po_id,
                                      struct arena *arena, struct order_now *out);

struct order_filter {
    struct text state;    /* at this moment; empty: any */
    uint64_t merchant_id; /* 0: any */
    struct text document; /* the customer's; empty: any */
    bool has_amount;
    struct money amount;  /* amount due; any if !has_amount */
    instant since, until; /* created at or after `since`, and before `until`; 0: no bound */
    uint64_t limit;
};

/* Calls `each` for the newest `limit` orders that match, newest first. `each` must not use the connection. */
enum status orders_now_list(struct connection *connection, const struct order_filter *filter, struct arena *arena,
                            void (*each)(void *context, const struct order_now *order), void *context);

#endif
