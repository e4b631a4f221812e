/* The result of a run, as a table for people and as JSON for scripts; the same for every benchmark program. */
#ifndef RECAUDO_BENCH_REPORT_H
#define RECAUDO_BENCH_REPORT_H

#include "bench/common/histogram.h"
#include "bench/common/operation.h"

/* One line per operation that was measured: throughput and latency. `elapsed` in nanoseconds. */
void report_table(FILE *out, const struct histogram latency[OPERATIONS], uint64_t elapsed);

/* Writes `"operations": {"lookup": {"count": ..., "per_second": ..., "mean_ms": ..., "p50_ms": ..., ...}, ...}` */
void report_json_operations(FILE *out, const struct histogram latency[OPERATIONS], uint64_t elapsed);

/* As a JSON string. */
void report_json_string(FILE *out, const char *text);

/* Opens the file for the JSON report, or ends the program. */
FILE *report_open(const char *path);

/* Ends the program when not everything could be written. */
void report_close(FILE *file, const char *path);

#endif
