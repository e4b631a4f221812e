#include "base/condition.h"

bool condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, duration wait) {
    duration at = clock_monotonic() + wait;
    struct timespec until = {.tv_sec = at / SECOND, .tv_nsec = at % SECOND * 1000};
    return pthread_cond_clockwait(condition, lock, CLOCK_MONOTONIC, &until) == 0;
}
