/* Claims notifications ahead of their sending, and gives back what is not to be sent any more. */
#ifndef RECAUDO_DISPATCH_DELIVER_CLAIM_H
#define RECAUDO_DISPATCH_DELIVER_CLAIM_H

#include "dispatch/deliver/send.h"

/* Claims for several merchants at once; `arena` is reset. False: there is nothing to claim now, or the database did not
 * answer. */
bool claim_some(struct deliverer *deliverer, struct arena *arena);

/* Gives back those that have waited for too long and those of endpoints that rest; `all`: all that wait. If the
 * database does not answer, their leases end by themselves. */
void claim_give_back(struct deliverer *deliverer, struct arena *arena, bool all);

#endif
