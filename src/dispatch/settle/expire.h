/*
 * Expires overdue orders in batches. Many orders fall due together, at the end of a day. Then helper threads take part,
 * so that expiring proceeds even if lookups keep the database busy, at a limited rate that leaves room for lookups.
 */
#ifndef RECAUDO_DISPATCH_SETTLE_EXPIRE_H
#define RECAUDO_DISPATCH_SETTLE_EXPIRE_H

#include "dispatch/run/task_run.h"
#include "store/db/routine.h"

#include <pthread.h>

enum { EXPIRY_HELPERS = 3 };

/* How many payments or orders to write singly in one step: some seconds' work, within the time that a stop may take. */
enum { ONE_BY_ONE = 200 };

/* One round of expiring, by the thread that began it and its helpers. The run counts the expired orders. */
struct expiry {
    struct task_run *run;
    atomic_ullong expired; /* orders so far */
    pthread_t helpers[EXPIRY_HELPERS];
    size_t helper_count;
    duration next_at; /* monotonic time of the next batch of the thread that began it */
    bool goes_singly; /* a batch was refused or timed out on a lock, so the rest of the round is written one by one */
    struct routine_walk singly;
};

void expiry_begin(struct expiry *expiry, struct task_run *run);

/*
 * Expires one batch, or sleeps briefly if the next one is not due. *more: call again. After the first full batch the
 * helpers start, each with its own connection. If the database refuses a batch, notes that and expires all orders
 * singly, ONE_BY_ONE in a call, so that only the refused ones wait.
 */
enum status expiry_step(struct expiry *expiry, struct connection *connection, bool *more);

/* Waits for the helpers. */
void expiry_end(struct expiry *expiry);

#endif
