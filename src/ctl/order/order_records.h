/* Orders as records. */
#ifndef RECAUDO_CTL_ORDER_ORDER_RECORDS_H
#define RECAUDO_CTL_ORDER_ORDER_RECORDS_H

#include "base/config/config.h"
#include "ctl/core/record.h"
#include "store/order/orders_now.h"

/* What a list shows of each order. */
void order_records_summary(struct record *record, const struct order_now *order);

/* Everything that stands in the order's row, and where its slip is, of which `config` knows the place. */
void order_records_whole(struct record *record, const struct order_now *order, const struct config *config,
                         struct arena *arena);

#endif
