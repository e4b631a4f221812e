/* Orders for the console: searched by any of their identifiers, and listed. */
#ifndef RECAUDO_STORE_CONSOLE_ORDERS_H
#define RECAUDO_STORE_CONSOLE_ORDERS_H

#include "store/console/reader.h"
#include "store/order/orders_now.h"

/* STATUS_NONE: there is none, or it is out of the reader's scope. */
enum status console_orders_find(const struct console_reader *reader, uint64_t id, struct order_now *out);

/* Why a lookup of an order's reference may not find the order. */
struct console_asked {
    bool merchant_enabled;
    bool has_integration; /* an integration of its merchant answers for the reference */
    struct text networks; /* if the integrations are agreement codes: the only networks that may use them; empty: all
                             networks. In the reader's arena */
};

/* STATUS_NONE: as above. */
enum status console_orders_asked(const struct console_reader *reader, const struct order_now *order,
                                 struct console_asked *out);

enum console_order_key {
    CONSOLE_BY_REFERENCE,
    CONSOLE_BY_OLD_REFERENCE, /* the last order that gave up this reference for another one */
    CONSOLE_BY_PO_ID,         /* the merchant's own number; several merchants may use the same */
    CONSOLE_BY_DOCUMENT,      /* the customer's */
    CONSOLE_BY_TOKEN,         /* of the payment slip */
    CONSOLE_BY_WEBHOOK_ID
};

/* Calls `each` for the orders that match the value: by CONSOLE_BY_PO_ID one of each merchant, by another key at most
 * the newest 50. `each` must not use the connection, here and below. */
enum status console_orders_search(const struct console_reader *reader, enum console_order_key key, struct text value,
                                  void (*each)(void *context, const struct order_now *order), void *context);

/* Lists orders, newest first. */
enum status console_orders_list(const struct console_reader *reader, const struct console_filter *filter,
                                struct console_place *place, bool (*each)(void *context, const struct order_now *order),
                                void *context);

#endif
