/* Shows orders as records. */
#ifndef RECAUDO_CTL_ORDER_ORDER_RECORDS_H
#define RECAUDO_CTL_ORDER_ORDER_RECORDS_H

#include "base/config/config.h"
#include "ctl/core/record.h"
#include "store/order/orders_now.h"

/* Adds the fields that a list shows. */
void order_records_summary(struct record *record, const struct order_now *order);

/* Adds all fields of the order's row, and the URL of its slip, which depends on `config`. */
void order_records_whole(struct record *record, const struct order_now *order, const struct config *config,
                         struct arena *arena);

#endif
