/* The settling loop's work on retention: once a night, removes records older than [retention] allows, in small batches.
 */
#ifndef RECAUDO_DISPATCH_SETTLE_RETAIN_H
#define RECAUDO_DISPATCH_SETTLE_RETAIN_H

#include "dispatch/run/task_run.h"
#include "store/operation/purges.h"

/* Owned by the settling loop; initialise with {0}. */
struct retainer {
    duration look_at;               /* by the monotonic clock */
    instant retained_for;           /* the latest night known to be done */
    duration again_at[PURGE_KINDS]; /* by the monotonic clock; a refused kind waits until then */
};

/* Call it after each pass. Checks once a minute whether a removal is due, and spends at most a fifth of the time on it.
 * A run of one pass completes it. A kind of records that the database refuses to remove is tried again after a minute,
 * and the other kinds are removed meanwhile. */
enum status retain_step(const struct task_run *run, struct connection *connection, struct retainer *retainer);

#endif
