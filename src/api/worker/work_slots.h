/*
 * Limits how many threads of a worker process work at the same time. The process has more threads than work slots: the
 * others replace threads that wait for a merchant. A thread needs a slot to take a connection and to work on a request.
 * It releases its slot while it waits for a merchant, and gets one back before any new request does.
 *
 * While no thread waits for a merchant, a request costs two atomic additions here and no lock.
 */
#ifndef RECAUDO_API_WORKER_WORK_SLOTS_H
#define RECAUDO_API_WORKER_WORK_SLOTS_H

#include "base/base.h"

struct work_slots;

struct work_slots *work_slots_create(size_t work_slots);
void work_slots_destroy(struct work_slots *work_slots);

/* Takes a thread's first slot; waits until one is free. */
void work_slots_take(struct work_slots *work_slots);

/* Called around each request of a thread that has a slot. The end may hand the slot to a returning thread, and then
 * waits until another one is free. */
void work_slots_begin_request(struct work_slots *work_slots);
void work_slots_end_request(struct work_slots *work_slots);

/* Called around a wait in the middle of a request. The caller must not hold what other threads need, in particular no
 * database connection. */
void work_slots_leave(struct work_slots *work_slots);
void work_slots_return(struct work_slots *work_slots);

/* Gives every thread a slot from now on, so that all of them see that the process stops. */
void work_slots_stop(struct work_slots *work_slots);

#endif
