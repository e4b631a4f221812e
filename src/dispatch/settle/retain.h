/* What the settling loop does for retention: once a night, what is older than [retention] says goes, in small batches.
 */
#ifndef RECAUDO_DISPATCH_SETTLE_RETAIN_H
#define RECAUDO_DISPATCH_SETTLE_RETAIN_H

#include "dispatch/run/task_run.h"

/* The settling loop's own; begins as {0}. */
struct retainer {
    duration look_at;     /* by the monotonic clock */
    instant retained_for; /* the night that is known to be done */
};

/* Called after each pass; works a fifth of the time at most while a walk is under way, and looks once a minute whether
 * one is due. A run that makes one pass does all of it. */
enum status retain_step(const struct task_run *run, struct connection *connection, struct retainer *retainer);

#endif
