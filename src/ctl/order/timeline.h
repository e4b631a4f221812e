/* The history of an order, from several tables, in order of time and in words, for people. */
#ifndef RECAUDO_CTL_ORDER_TIMELINE_H
#define RECAUDO_CTL_ORDER_TIMELINE_H

#include "ctl/core/record.h"
#include "store/notification/notifications.h"
#include "store/operation/events.h"
#include "store/payment/transactions_now.h"

struct timeline;

struct timeline *timeline_create(struct arena *arena);

void timeline_add_event(struct timeline *timeline, const struct event *event);
void timeline_add_transaction(struct timeline *timeline, const struct transaction_now *transaction);

/* Adds an event of a notification, whose field `status` is `status`, or an attempt to deliver it. */
void timeline_add_notification_event(struct timeline *timeline, struct text status, const struct event *event);
void timeline_add_attempt(struct timeline *timeline, struct text status, const struct attempt_row *attempt);

/* Adds the moments to the list, oldest first. */
void timeline_write(struct timeline *timeline, struct record_list *list);

#endif
