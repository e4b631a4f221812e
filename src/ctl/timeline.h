/* What happened to an order, from several tables, in the order of time and in words. For people. */
#ifndef RECAUDO_CTL_TIMELINE_H
#define RECAUDO_CTL_TIMELINE_H

#include "ctl/record.h"
#include "store/events.h"
#include "store/orders_now.h"
#include "store/transactions_now.h"

struct timeline;

struct timeline *timeline_create(struct arena *arena);

void timeline_add_event(struct timeline *timeline, const struct event *event);
void timeline_add_transaction(struct timeline *timeline, const struct transaction_now *transaction);
void timeline_add_notification(struct timeline *timeline, const struct order_notification *notification);

/* Adds the moments to the list, oldest first. */
void timeline_write(struct timeline *timeline, struct record_list *list);

#endif
