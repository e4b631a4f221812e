/*
 * Expires overdue orders in batches. Many orders fall due together, at the end of a day. Then helper threads take part,
 * so that expiring proceeds even if lookups keep the database busy, at a limited rate that leaves room for lookups.
 */
#ifndef RECAUDO_DISPATCH_SETTLE_EXPIRE_H
#define RECAUDO_DISPATCH_SETTLE_EXPIRE_H

#include "dispatch/run/task_run.h"

#include <pthread.h>

enum { EXPIRY_HELPERS = 3 };

/* How many payments or orders to write singly after a refused batch: some seconds' work, within the time that a stop
 * may take. */
enum { ONE_BY_ONE = 200 };

/* One round of expiring, by the thread that began it and its helpers. The run counts the expired orders. */
struct expiry {
    struct task_run *run;
    atomic_ullong expired; /* orders so far */
    pthread_t helpers[EXPIRY_HELPERS];
    size_t helper_count;
    duration next_at; /* monotonic time of the next batch of the thread that began it */
    bool is_refused;  /* the database has refused a batch */
};

void expiry_begin(struct expiry *expiry, struct task_run *run);

/*
 * Expires one batch, or sleeps briefly if the next one is not due. *more: call again. After the first full batch the
 * helpers start, each with its own connection. If the database refuses the batch, notes that and expires ONE_BY_ONE
 * orders singly, so that only the refused order waits; *more: that wrote most of them.
 */
enum status expiry_step(struct expiry *expiry, struct connection *connection, bool *more);

/* Waits for the helpers. */
void expiry_end(struct expiry *expiry);

#endif
