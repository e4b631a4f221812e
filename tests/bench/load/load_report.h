/* The result of a run of recaudo-load. */
#ifndef RECAUDO_BENCH_LOAD_REPORT_H
#define RECAUDO_BENCH_LOAD_REPORT_H

#include "bench/load/load_tally.h"

struct outcome {
    const struct load_options *options;
    const struct plan *plan;
    const struct tally *tally;
    uint64_t elapsed; /* nanoseconds from the end of the warm-up to the last reply */
    size_t idle_open;
};

/* To standard output, for people. */
void load_report_print(const struct outcome *outcome);

/* To the file the options name. */
void load_report_json(const struct outcome *outcome);

#endif
