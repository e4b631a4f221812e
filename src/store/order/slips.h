/* Orders for their customers: the payment slip, which a token opens (doc/protocol.md, "The payment slip"). */
#ifndef RECAUDO_STORE_ORDER_SLIPS_H
#define RECAUDO_STORE_ORDER_SLIPS_H

#include "base/arena.h"
#include "domain/order.h"
#include "store/db/connection.h"

struct slip {
    instant now;        /* the database's clock when it was read */
    struct order order; /* including commerce and merchant_enabled */
    struct text po_id;
    struct text language; /* es or en */
    uint64_t country;     /* the order's, otherwise its merchant's */
    struct money paid;    /* amount of the payment that paid or holds the order; 0: none */
};

/* STATUS_NONE: no order has this token. */
enum status slips_find(struct connection *connection, struct text token, struct arena *arena, struct slip *out);

#endif
