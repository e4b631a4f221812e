/*
 * Rate limits of networks: requests per second, with a burst (the generic cell rate algorithm). The state of a budget
 * is one number, the time at which it will be full again. Times are nanoseconds of a clock that never goes back.
 */
#ifndef RECAUDO_DOMAIN_RATE_H
#define RECAUDO_DOMAIN_RATE_H

#include "base/base.h"

/* The greatest values that a network may have. */
enum { RATE_MOST = 100000, RATE_BURST_MOST = 1000000 };

struct rate {
    uint64_t per_second; /* 0: no limit */
    uint64_t burst;      /* requests admitted at once after a pause; at least 1 if there is a limit */
};

/*
 * Judges one request at `now`; `rate` must be a limit. `whole_at` is the time at which the budget is full, 0 at first.
 * Returns 0: admitted, and *next is the new whole_at. Otherwise returns the time until a request will be admitted, and
 * *next is not set. A whole_at further ahead than this rate can produce comes from another limit or from before a
 * restart of the machine: then one request is admitted.
 */
uint64_t rate_judge(struct rate rate, uint64_t now, uint64_t whole_at, uint64_t *next);

#endif
