/* Leases notifications ahead of their sending, and gives back what is not to be sent any more. */
#ifndef RECAUDO_DISPATCH_DELIVER_LEASE_H
#define RECAUDO_DISPATCH_DELIVER_LEASE_H

#include "dispatch/deliver/send.h"

/* Leases for several merchants at once; `arena` is reset. False: there is nothing to lease now, or the database did not
 * answer. */
bool lease_some(struct deliverer *deliverer, struct arena *arena);

/* Gives back those that have waited for too long and those of endpoints that rest; `all`: all that wait. If the
 * database does not answer, their leases end by themselves. */
void lease_give_back(struct deliverer *deliverer, struct arena *arena, bool all);

#endif
