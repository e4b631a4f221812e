#include "base/clock.h"

static int64_t read_clock(clockid_t which) {
    struct timespec now;
    clock_gettime(which, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec / 1000;
}

duration clock_monotonic(void) {
    return read_clock(CLOCK_MONOTONIC);
}

instant clock_host(void) {
    return read_clock(CLOCK_REALTIME);
}
