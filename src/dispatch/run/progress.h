/*
 * What a process says of its own progress to the parent that watches it: a count in memory that both see. It says
 * nothing while the thread that works is stuck, whatever other threads of the process do.
 */
#ifndef RECAUDO_DISPATCH_RUN_PROGRESS_H
#define RECAUDO_DISPATCH_RUN_PROGRESS_H

#include "base/config/config.h"

#include <stdatomic.h>

struct progress {
    atomic_ullong steps;
};

/* Memory that stays shared after fork(), for `count` processes. NULL: there is none; logged. */
struct progress *progress_create(size_t count);
void progress_destroy(struct progress *progress, size_t count);

/* One step further. */
void progress_step(struct progress *progress);

/* How long a process may go without a step before it is taken to hang: [dispatcher] hang_after, but never less than
 * four statements may take ([database] read_timeout), so that a slow database is not taken for a hang. */
duration progress_hang_after(const struct config *config);

/* The parent's look at one process. */
struct progress_watch {
    unsigned long long seen;
    duration silent;
};

/* To be called again and again, `passed` after the last time. True: a step was made since. Else watch->silent grows, by
 * at most a second for each call: where the parent was stopped itself, the process has not been silent for all of that
 * time. */
MUST_USE bool progress_look(struct progress_watch *watch, const struct progress *progress, duration passed);

#endif
