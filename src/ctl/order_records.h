/* Orders as records. */
#ifndef RECAUDO_CTL_ORDER_RECORDS_H
#define RECAUDO_CTL_ORDER_RECORDS_H

#include "ctl/record.h"
#include "store/orders_now.h"

/* What a list shows of each order. */
void order_records_summary(struct record *record, const struct order_now *order);

/* Everything that stands in the order's row. */
void order_records_whole(struct record *record, const struct order_now *order);

#endif
