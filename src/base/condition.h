/* Condition variables whose timed waits count by the monotonic clock, within one process. */
#ifndef RECAUDO_BASE_CONDITION_H
#define RECAUDO_BASE_CONDITION_H

#include "base/clock.h"

#include <pthread.h>

/* The caller destroys it with pthread_cond_destroy. */
void condition_init(pthread_cond_t *condition);

/* Waits for a signal, at most `wait`. False: it timed out. */
bool condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, duration wait);

#endif
