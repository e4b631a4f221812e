/*
 * The budgets of networks with a rate limit (domain/rate.h), shared by all worker processes of a host through a file
 * that each of them maps. No locks: a budget is one number, which is changed by compare and swap, so a process that is
 * killed at whatever moment leaves nothing behind. Safe for many threads.
 */
#ifndef RECAUDO_API_CALLER_RATES_H
#define RECAUDO_API_CALLER_RATES_H

#include "base/clock.h"
#include "domain/rate.h"

/* Networks that have a budget of their own; those beyond share budgets. */
enum { RATES_NETWORKS = 4096 };

struct rates;

/* Opens the file, makes it if need be. NULL: logged why. */
struct rates *rates_open(const char *path);
void rates_close(struct rates *rates);

/* Takes one request out of the network's budget. 0: there was one; else how long until there is one. */
duration rates_take(struct rates *rates, uint64_t network_id, struct rate rate);

#endif
