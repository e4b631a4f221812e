/* The order that a word on the command line means. */
#ifndef RECAUDO_CTL_ORDER_ORDER_FIND_H
#define RECAUDO_CTL_ORDER_ORDER_FIND_H

#include "ctl/core/command.h"
#include "store/order/orders_now.h"

#define ORDER_OF_MERCHANT_OPTION                                                                                       \
    {.name = "merchant", .value = "NAME", .help = "the word is this merchant's own number of the order (po_id)"}

/* "id:N" is the number here (pv_po_id); digits are a reference, the newest order that has it, or else the number here,
 * or else a reference that an order had before its merchant changed it. With --merchant it is the merchant's number
 * (po_id). Refused when there is no such order, or no such merchant. */
enum outcome order_find(const struct context *context, struct text word, struct order_now *out);

#endif
