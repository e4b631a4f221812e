#include "base/condition.h"

void condition_init(pthread_cond_t *condition) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

bool condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, duration wait) {
    duration at = clock_monotonic() + wait;
    struct timespec until = {.tv_sec = at / SECOND, .tv_nsec = at % SECOND * 1000};
    return pthread_cond_timedwait(condition, lock, &until) == 0;
}
