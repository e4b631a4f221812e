/* The clock all durations are measured with: nanoseconds, because a request may take less than 100 microseconds. */
#ifndef RECAUDO_BENCH_MONOTONIC_H
#define RECAUDO_BENCH_MONOTONIC_H

#include "base/base.h"

#define NANOSECONDS_PER_SECOND UINT64_C(1000000000)

static inline uint64_t monotonic_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NANOSECONDS_PER_SECOND + (uint64_t)now.tv_nsec;
}

#endif
