/* A log-bucketed histogram of durations in nanoseconds: 128 buckets per power of two, so a quantile is exact within 0.8
 * %. Fixed size, no allocation; not safe for several threads at once: give each its own and merge. */
#ifndef RECAUDO_BENCH_HISTOGRAM_H
#define RECAUDO_BENCH_HISTOGRAM_H

#include "base/base.h"

enum { HISTOGRAM_SUB_BITS = 7, HISTOGRAM_BUCKETS = (64 - HISTOGRAM_SUB_BITS) << HISTOGRAM_SUB_BITS };

struct histogram {
    uint64_t count;
    uint64_t sum;
    uint64_t max;
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_record(struct histogram *histogram, uint64_t nanoseconds);

void histogram_merge(struct histogram *into, const struct histogram *from);

/* The value that the given share (0 to 1) of all recorded durations does not exceed, in nanoseconds; 0 when empty. */
uint64_t histogram_quantile(const struct histogram *histogram, double share);

/* In nanoseconds; 0 when empty. */
double histogram_mean(const struct histogram *histogram);

#endif
