/* What recaudo-direct was asked and what it has seen. */
#ifndef RECAUDO_BENCH_DIRECT_REPORT_H
#define RECAUDO_BENCH_DIRECT_REPORT_H

#include "base/config/config.h"
#include "bench/common/histogram.h"
#include "bench/common/plan.h"

struct direct_options {
    struct plan_options plan;
    struct config config;
    const char *network;
    const char *json_path; /* NULL: no JSON report */
    uint64_t connections;
};

struct direct_tally {
    struct histogram latency[OPERATIONS];
    uint64_t wrong;    /* operations that did not do what they should */
    uint64_t last_end; /* of what was measured, monotonic nanoseconds */
};

void direct_tally_merge(struct direct_tally *into, const struct direct_tally *from);

/* A table to standard output, and JSON to the file the options name. */
void direct_report(const struct plan *plan, const struct direct_options *options, const struct direct_tally *tally);

#endif
