/* Sends leased notifications and processes the replies. */
#ifndef RECAUDO_DISPATCH_DELIVER_SEND_H
#define RECAUDO_DISPATCH_DELIVER_SEND_H

#include "dispatch/deliver/deliverer.h"

/* Makes the loop process the client's replies. Call it once, before anything is sent. */
void send_begin(struct deliverer *deliverer);

/* Sends waiting notifications, as many as may be in flight. Keeps an outcome for those that cannot be sent. */
void send_waiting(struct deliverer *deliverer);

/* Returns the time until outcomes must be recorded. */
duration send_time_to_record(const struct deliverer *deliverer);

#endif
