/*
 * Overdue orders expire in batches. Orders fall due together, at the end of a day: then several workers take part, so
 * that it goes on although look-ups keep the database busy, at a pace that leaves room for the look-ups.
 */
#ifndef RECAUDO_DISPATCH_SETTLE_EXPIRE_H
#define RECAUDO_DISPATCH_SETTLE_EXPIRE_H

#include "dispatch/run/task_run.h"

#include <pthread.h>

enum { EXPIRY_HELPERS = 3 };

/* One round of expiring: whoever began it, and those who help. What has expired is counted in the run. */
struct expiry {
    struct task_run *run;
    atomic_ullong expired; /* orders so far */
    pthread_t helpers[EXPIRY_HELPERS];
    size_t helper_count;
    duration next_at; /* of who began it */
};

void expiry_begin(struct expiry *expiry, struct task_run *run);

/*
 * Expires one batch, or sleeps a moment when it is not yet time for it. *more: to be called again. After the first full
 * batch the helpers begin, each with a connection of its own.
 */
enum status expiry_step(struct expiry *expiry, struct connection *connection, bool *more);

/* Waits for the helpers. */
void expiry_end(struct expiry *expiry);

#endif
