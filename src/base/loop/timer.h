/*
 * What is to happen at a moment of clock_monotonic, in a process that runs a loop (base/loop/loop.h). Setting and
 * clearing cost the logarithm of how many are set.
 */
#ifndef RECAUDO_BASE_LOOP_TIMER_H
#define RECAUDO_BASE_LOOP_TIMER_H

#include "base/clock.h"

/* All zero but for `due` at first; the owner's memory, which must stay while the timer is set. */
struct timer {
    void (*due)(struct timer *timer); /* called by the loop; the timer is no longer set then */
    duration at;
    size_t place; /* in the heap, from 1; 0: not set */
};

/* Sets it, or sets it anew. INT64_MAX: never, which clears it. */
void timer_set(struct timer *timer, duration at);
void timer_clear(struct timer *timer);

/* When the next one is due; INT64_MAX: none is set. */
duration timers_next(void);

/* Calls those that are due at `now`, in their order. */
void timers_run(duration now);

#endif
