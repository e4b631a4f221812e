/*
 * Timers by clock_monotonic, in a process that runs a loop (base/loop/loop.h). Setting and clearing take time
 * logarithmic in the number of set timers.
 */
#ifndef RECAUDO_BASE_LOOP_TIMER_H
#define RECAUDO_BASE_LOOP_TIMER_H

#include "base/clock.h"

/* All zero at first, except `due`. In the owner's memory, which must stay valid while the timer is set. */
struct timer {
    void (*due)(struct timer *timer); /* called by the loop, after the timer was cleared */
    duration at;
    size_t place; /* in the heap, from 1; 0: not set */
};

/* Sets the timer, or changes its time. INT64_MAX: never; this clears it. */
void timer_set(struct timer *timer, duration at);
void timer_clear(struct timer *timer);

/* Returns when the next timer is due; INT64_MAX: none is set. */
duration timers_next(void);

/* Calls the timers that are due at `now`, in order of their times. */
void timers_run(duration now);

#endif
