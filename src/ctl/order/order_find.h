/* Finds the order that a word on the command line names. */
#ifndef RECAUDO_CTL_ORDER_ORDER_FIND_H
#define RECAUDO_CTL_ORDER_ORDER_FIND_H

#include "ctl/core/command.h"
#include "store/order/orders_now.h"

#define ORDER_OF_MERCHANT_OPTION                                                                                       \
    {.name = "merchant", .value = "NAME", .help = "the word is this merchant's own number of the order (po_id)"}

/* "id:N" is our number of the order (pv_po_id). Digits are a reference, meaning its open order or else its newest; or
 * else our number, or else a reference that the order had before its merchant changed it. With --merchant, the word is
 * the merchant's number (po_id). Refused if no such order or merchant exists. */
enum outcome order_find(const struct context *context, struct text word, struct order_now *out);

#endif
