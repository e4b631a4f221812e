#include "domain/rate.h"

static const uint64_t NANOSECONDS = 1000000000;

uint64_t rate_judge(struct rate rate, uint64_t now, uint64_t whole_at, uint64_t *next) {
    /* Rounded up, so that the rate is never exceeded. */
    uint64_t interval = (NANOSECONDS + rate.per_second - 1) / rate.per_second;
    uint64_t empty = now + rate.burst * interval;
    if (whole_at < now) {
        whole_at = now;
    } else if (whole_at > empty) {
        whole_at = empty - interval;
    }
    if (whole_at + interval > empty) {
        return whole_at + interval - empty;
    }
    *next = whole_at + interval;
    return 0;
}
