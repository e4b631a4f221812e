/* The settling loop's work on retention: once a night, removes records older than [retention] allows, in small batches.
 */
#ifndef RECAUDO_DISPATCH_SETTLE_RETAIN_H
#define RECAUDO_DISPATCH_SETTLE_RETAIN_H

#include "dispatch/run/task_run.h"

/* Owned by the settling loop; initialise with {0}. */
struct retainer {
    duration look_at;     /* by the monotonic clock */
    instant retained_for; /* the latest night known to be done */
};

/* Call it after each pass. Checks once a minute whether a removal is due, and spends at most a fifth of the time on it.
 * A run of one pass completes it. */
enum status retain_step(const struct task_run *run, struct connection *connection, struct retainer *retainer);

#endif
