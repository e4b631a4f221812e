/* Sends what was leased, and takes in the replies. */
#ifndef RECAUDO_DISPATCH_DELIVER_SEND_H
#define RECAUDO_DISPATCH_DELIVER_SEND_H

#include "dispatch/deliver/deliverer.h"

/* Keeps the loop's client going: to be called once, before anything is sent. */
void send_begin(struct deliverer *deliverer);

/* Sends as many as may be in flight of those that wait, and keeps the outcome of those that cannot be sent. */
void send_waiting(struct deliverer *deliverer);

/* How long until outcomes are to be recorded. */
duration send_time_to_record(const struct deliverer *deliverer);

#endif
