/* Orders for the console: found by whatever the caller knows of one, and listed. */
#ifndef RECAUDO_STORE_CONSOLE_ORDERS_H
#define RECAUDO_STORE_CONSOLE_ORDERS_H

#include "store/console/reader.h"
#include "store/order/orders_now.h"

/* STATUS_NONE: there is none, or it is another merchant's. */
enum status console_orders_find(const struct console_reader *reader, uint64_t id, struct order_now *out);

/* What a lookup of an order's reference meets beside the order. */
struct console_asked {
    bool merchant_enabled;
    bool has_integration; /* one of its merchant answers for the reference */
    struct text networks; /* for these alone, whose agreements they are; empty: for all. In the reader's arena */
};

/* STATUS_NONE: as above. */
enum status console_orders_asked(const struct console_reader *reader, const struct order_now *order,
                                 struct console_asked *out);

enum console_order_key {
    CONSOLE_BY_REFERENCE,
    CONSOLE_BY_OLD_REFERENCE, /* the last order that left it for another one */
    CONSOLE_BY_PO_ID,         /* the merchants' own number; several merchants may have the same */
    CONSOLE_BY_DOCUMENT,      /* the customer's */
    CONSOLE_BY_TOKEN,         /* of the payment slip */
    CONSOLE_BY_WEBHOOK_ID
};

/* At most so many are found, the newest. */
enum { CONSOLE_FOUND_MAX = 50 };

/* Calls `each` for the orders that the value leads to. It must not use the connection; neither must any other below. */
enum status console_orders_search(const struct console_reader *reader, enum console_order_key key, struct text value,
                                  void (*each)(void *context, const struct order_now *order), void *context);

/* The list. */
enum status console_orders_list(const struct console_reader *reader, const struct console_filter *filter,
                                struct console_place *place, bool (*each)(void *context, const struct order_now *order),
                                void *context);

#endif
