/*
 * The budgets of networks with a rate limit (domain/rate.h), shared by all worker processes of a host through a mapped
 * file. It needs no lock: a budget is one number, changed by compare and swap, so a killed process leaves nothing
 * inconsistent. Safe for use by several threads.
 */
#ifndef RECAUDO_API_CALLER_RATES_H
#define RECAUDO_API_CALLER_RATES_H

#include "base/clock.h"
#include "domain/rate.h"

/* Number of budgets; with more networks some share one. */
enum { RATES_NETWORKS = 4096 };

struct rates;

/* Opens the file, or creates it. NULL: failure; the reason was logged. */
struct rates *rates_open(const char *path);
void rates_close(struct rates *rates);

/* Takes one request from the network's budget. Returns 0, or the time until a request will be admitted. */
duration rates_take(struct rates *rates, uint64_t network_id, struct rate rate);

#endif
