/* The order that a word on the command line means. */
#ifndef RECAUDO_CTL_ORDER_ORDER_FIND_H
#define RECAUDO_CTL_ORDER_ORDER_FIND_H

#include "ctl/core/command.h"
#include "store/order/orders_now.h"

/* "id:N" is the number here (pv_po_id); digits are a reference, the newest order that has it, or else the number here.
 * Refused when there is no such order. */
enum outcome order_find(const struct context *context, struct text word, struct order_now *out);

#endif
