/* Notifications of one merchant that are leased and wait for a slot, in the order in which they were leased. */
#ifndef RECAUDO_DISPATCH_DELIVER_WAITING_H
#define RECAUDO_DISPATCH_DELIVER_WAITING_H

#include "base/base.h"

struct sending;

/* Initialise with {0}. */
struct waiting_list {
    struct sending *first, *last;
    uint64_t count;
};

void waiting_add(struct waiting_list *list, struct sending *sending);

/* Removes and returns the first notification, or the first that is a first attempt. NULL: there is none. */
struct sending *waiting_take(struct waiting_list *list, bool first_attempts_only);

#endif
