/*
 * Progress of a process, watched by its parent: a counter in shared memory. Only the working thread increments it, so
 * it stands still when that thread hangs, whatever other threads do.
 */
#ifndef RECAUDO_DISPATCH_RUN_PROGRESS_H
#define RECAUDO_DISPATCH_RUN_PROGRESS_H

#include "base/config/config.h"

#include <stdatomic.h>

struct progress {
    atomic_ullong steps;
};

/* Allocates counters for `count` processes, shared after fork(). NULL: failure, logged. */
struct progress *progress_create(size_t count);
void progress_destroy(struct progress *progress, size_t count);

/* Records one step of progress. */
void progress_step(struct progress *progress);

/* Time without a step after which a process counts as hanging: [dispatcher] hang_after, but at least the longest time
 * of four statements ([database] read_timeout), so that a slow database does not look like a hang. */
duration progress_hang_after(const struct config *config);

/* The parent's view of one process. */
struct progress_watch {
    unsigned long long seen;
    duration silent;
};

/* Call it repeatedly; `passed` is the time since the last call. True: the process has made progress since. Otherwise
 * adds `passed` to watch->silent, at most one second for each call, because the parent itself may have been stopped. */
MUST_USE bool progress_look(struct progress_watch *watch, const struct progress *progress, duration passed);

#endif
