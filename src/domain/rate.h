/*
 * How often a network may call: so many requests per second, and so many at once (the generic cell rate algorithm). A
 * budget is one number, the moment at which it will be whole again. Nanoseconds of a clock that never goes back.
 */
#ifndef RECAUDO_DOMAIN_RATE_H
#define RECAUDO_DOMAIN_RATE_H

#include "base/base.h"

/* Bounds of what may be set. */
enum { RATE_MOST = 100000, RATE_BURST_MOST = 1000000 };

struct rate {
    uint64_t per_second; /* 0: no limit */
    uint64_t burst;      /* as many at once after a pause; at least 1 where there is a limit */
};

/*
 * Judges one request at the moment `now` of a rate that is a limit. `whole_at`: when the budget is whole again, 0 at
 * first. 0: admitted, and *next is whole_at from now on. Else how long until one is admitted; *next is not set. A
 * whole_at that this rate cannot have made, of a limit that was changed or from before a restart of the machine, leaves
 * one request: nobody waits for what is past.
 */
uint64_t rate_judge(struct rate rate, uint64_t now, uint64_t whole_at, uint64_t *next);

#endif
