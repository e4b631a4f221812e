/* Timed waits on condition variables, by the monotonic clock, within one process. */
#ifndef RECAUDO_BASE_CONDITION_H
#define RECAUDO_BASE_CONDITION_H

#include "base/clock.h"

#include <pthread.h>

/* Waits for a signal, at most `wait`. Returns false on a time-out. */
bool condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, duration wait);

#endif
