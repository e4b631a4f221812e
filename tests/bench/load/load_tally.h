/* What one thread of the load generator has seen; merged at the end. */
#ifndef RECAUDO_BENCH_LOAD_TALLY_H
#define RECAUDO_BENCH_LOAD_TALLY_H

#include "bench/common/histogram.h"
#include "bench/load/load_check.h"

enum { STATUS_COUNT = 1000, FAILURE_TEXT_SIZE = 1024 };

struct tally {
    struct histogram latency[OPERATIONS];
    uint64_t codes[CODE_MISSING + 1];
    uint64_t statuses[STATUS_COUNT]; /* 0: no reply */
    uint64_t mismatches[MISMATCHES];
    uint64_t reconnects;
    uint64_t unsent;   /* starts that came due at a fixed rate and found no free connection until the end */
    uint64_t last_end; /* when the last reply came, monotonic nanoseconds */
    char first_failure[FAILURE_TEXT_SIZE]; /* empty: none */
};

struct tally *tally_create(void);

/* Every reply counts here, in the warm-up too: nothing wrong may go unseen. `reply` is NULL when there was none. */
void tally_reply(struct tally *tally, const struct http_reply *reply, const struct subject *subject, unsigned code,
                 enum mismatch mismatch);

void tally_merge(struct tally *into, const struct tally *from);

/* The number of replies that were wrong or missing. */
uint64_t tally_wrong(const struct tally *tally);

#endif
