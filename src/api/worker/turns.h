/*
 * Whose turn it is. A worker process has more threads than may work at the same time: the others stand in for those
 * that wait for a merchant. A thread needs a turn to take a connection and to work on its request; it leaves its turn
 * while it waits, and gets one back before any new request does.
 *
 * While nobody waits for a merchant, a request costs two atomic additions here and no lock.
 */
#ifndef RECAUDO_API_WORKER_TURNS_H
#define RECAUDO_API_WORKER_TURNS_H

#include "base/base.h"

struct turns;

struct turns *turns_create(size_t turns);
void turns_destroy(struct turns *turns);

/* A thread's first turn: waits until there is one. */
void turns_take(struct turns *turns);

/* Around each request of a thread that has a turn. The end may wait, for a turn given to somebody else to come round
 * again. */
void turns_begin_request(struct turns *turns);
void turns_end_request(struct turns *turns);

/* Around a wait in the middle of a request. Nothing that others need may be held meanwhile, above all no database
 * connection. */
void turns_leave(struct turns *turns);
void turns_return(struct turns *turns);

/* From now on every thread has a turn, so that all can see that they are to stop. */
void turns_stop(struct turns *turns);

#endif
