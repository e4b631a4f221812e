#include "bench/common/histogram.h"

enum { SUB_COUNT = 1 << HISTOGRAM_SUB_BITS };

/* Values below SUB_COUNT have a bucket each; above, the leading bit chooses the group and the next bits the bucket. */
static unsigned bucket_of(uint64_t value) {
    if (value < SUB_COUNT) {
        return (unsigned)value;
    }
    unsigned exponent = 63U - (unsigned)__builtin_clzll(value);
    unsigned shift = exponent - HISTOGRAM_SUB_BITS;
    return ((shift + 1) << HISTOGRAM_SUB_BITS) + (unsigned)((value >> shift) - SUB_COUNT);
}

static uint64_t bucket_end(unsigned bucket) {
    if (bucket < SUB_COUNT) {
        return bucket;
    }
    unsigned shift = (bucket >> HISTOGRAM_SUB_BITS) - 1;
    uint64_t leading = SUB_COUNT + (bucket & (SUB_COUNT - 1));
    return (leading << shift) + ((UINT64_C(1) << shift) - 1);
}

void histogram_record(struct histogram *histogram, uint64_t nanoseconds) {
    histogram->count++;
    histogram->sum += nanoseconds;
    if (nanoseconds > histogram->max) {
        histogram->max = nanoseconds;
    }
    histogram->buckets[bucket_of(nanoseconds)]++;
}

void histogram_merge(struct histogram *into, const struct histogram *from) {
    into->count += from->count;
    into->sum += from->sum;
    if (from->max > into->max) {
        into->max = from->max;
    }
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        into->buckets[bucket] += from->buckets[bucket];
    }
}

uint64_t histogram_quantile(const struct histogram *histogram, double share) {
    uint64_t wanted = (uint64_t)(share * (double)histogram->count + 0.5);
    uint64_t seen = 0;
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        seen += histogram->buckets[bucket];
        if (seen > 0 && seen >= wanted) {
            uint64_t end = bucket_end(bucket);
            return end < histogram->max ? end : histogram->max;
        }
    }
    return histogram->max;
}

double histogram_mean(const struct histogram *histogram) {
    return histogram->count == 0 ? 0.0 : (double)histogram->sum / (double)histogram->count;
}
