#include "bench/direct/direct_report.h"

#include "bench/common/monotonic.h"
#include "bench/common/report.h"

void direct_tally_merge(struct direct_tally *into, const struct direct_tally *from) {
    for (unsigned operation = 0; operation < OPERATIONS; operation++) {
        histogram_merge(&into->latency[operation], &from->latency[operation]);
    }
    into->wrong += from->wrong;
    if (from->last_end > into->last_end) {
        into->last_end = from->last_end;
    }
}

static void write_json(const struct plan *plan, const struct direct_options *options, const struct direct_tally *tally,
                       uint64_t elapsed) {
    FILE *out = report_open(options->json_path);
    fprintf(out, "{\"mode\": \"%s\", \"connections\": %llu, \"seed\": %llu, \"elapsed_s\": %.6f, \"transactions\": ",
            operation_name(plan->operation), (unsigned long long)options->connections, (unsigned long long)plan->seed,
            (double)elapsed / (double)NANOSECONDS_PER_SECOND);
    report_json_string(out, plan->transactions);
    fputs(", ", out);
    report_json_operations(out, tally->latency, elapsed);
    fprintf(out, ", \"wrong\": %llu}\n", (unsigned long long)tally->wrong);
    report_close(out, options->json_path);
}

void direct_report(const struct plan *plan, const struct direct_options *options, const struct direct_tally *tally) {
    uint64_t elapsed = plan_elapsed(plan, tally->last_end);
    printf("%s, %llu connections, seed %llu, transactions %s-N\n", operation_name(plan->operation),
           (unsigned long long)options->connections, (unsigned long long)plan->seed, plan->transactions);
    report_table(stdout, tally->latency, elapsed);
    if (tally->wrong > 0) {
        printf("WRONG     %llu\n", (unsigned long long)tally->wrong);
    }
    if (options->json_path != NULL) {
        write_json(plan, options, tally, elapsed);
    }
}
