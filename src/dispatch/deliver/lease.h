/* Leases notifications ahead of their sending, and gives back those that must not be sent any more. */
#ifndef RECAUDO_DISPATCH_DELIVER_LEASE_H
#define RECAUDO_DISPATCH_DELIVER_LEASE_H

#include "dispatch/deliver/send.h"

/* Leases for several merchants, and resets `arena`. False: nothing to lease now, or the database did not answer. */
bool lease_some(struct deliverer *deliverer, struct arena *arena);

/* Gives back notifications that have waited too long or whose endpoint rests; `all`: all that wait. If the database
 * does not answer, their leases expire. */
void lease_give_back(struct deliverer *deliverer, struct arena *arena, bool all);

#endif
