#include "bench/load/load_report.h"

#include "bench/common/monotonic.h"
#include "bench/common/report.h"

static void print_counts(const struct tally *tally) {
    printf("CODE     ");
    for (unsigned code = 0; code < CODE_MISSING; code++) {
        if (tally->codes[code] > 0) {
            printf(" %04u: %llu", code, (unsigned long long)tally->codes[code]);
        }
    }
    printf("\n");
    for (unsigned mismatch = MISMATCH_NONE + 1; mismatch < MISMATCHES; mismatch++) {
        if (tally->mismatches[mismatch] > 0) {
            printf("WRONG     %s: %llu\n", mismatch_name((enum mismatch)mismatch),
                   (unsigned long long)tally->mismatches[mismatch]);
        }
    }
    if (tally->first_failure[0] != '\0') {
        printf("first     %s\n", tally->first_failure);
    }
}

void load_report_print(const struct outcome *outcome) {
    const struct load_options *options = outcome->options;
    const struct plan *plan = outcome->plan;
    const struct tally *tally = outcome->tally;
    printf("%s, %llu connections, %llu threads, seed %llu, transactions %s-N", operation_name(plan->operation),
           (unsigned long long)options->connections, (unsigned long long)options->threads,
           (unsigned long long)plan->seed, plan->transactions);
    if (options->rate > 0) {
        printf(", %g starts per s (%llu never sent)", options->rate, (unsigned long long)tally->unsent);
    }
    if (options->idle > 0) {
        printf(", %llu idle connections (%zu open at the end)", (unsigned long long)options->idle, outcome->idle_open);
    }
    printf("\n");
    report_table(stdout, tally->latency, outcome->elapsed);
    print_counts(tally);
}

static void json_counts(FILE *out, const struct tally *tally) {
    const char *separator = "";
    fputs("\"codes\": {", out);
    for (unsigned code = 0; code < CODE_MISSING; code++) {
        if (tally->codes[code] > 0) {
            fprintf(out, "%s\"%04u\": %llu", separator, code, (unsigned long long)tally->codes[code]);
            separator = ", ";
        }
    }
    separator = "";
    fputs("}, \"statuses\": {", out);
    for (unsigned status = 0; status < STATUS_COUNT; status++) {
        if (tally->statuses[status] > 0) {
            fprintf(out, "%s\"%u\": %llu", separator, status, (unsigned long long)tally->statuses[status]);
            separator = ", ";
        }
    }
    separator = "";
    fputs("}, \"mismatches\": {", out);
    for (unsigned mismatch = MISMATCH_NONE + 1; mismatch < MISMATCHES; mismatch++) {
        if (tally->mismatches[mismatch] > 0) {
            fprintf(out, "%s\"%s\": %llu", separator, mismatch_name((enum mismatch)mismatch),
                    (unsigned long long)tally->mismatches[mismatch]);
            separator = ", ";
        }
    }
    fputc('}', out);
}

void load_report_json(const struct outcome *outcome) {
    const struct load_options *options = outcome->options;
    const struct plan *plan = outcome->plan;
    const struct tally *tally = outcome->tally;
    FILE *out = report_open(options->json_path);
    fprintf(out, "{\"mode\": \"%s\", \"connections\": %llu, \"threads\": %llu, \"rate\": %g, \"seed\": %llu, ",
            operation_name(plan->operation), (unsigned long long)options->connections,
            (unsigned long long)options->threads, options->rate, (unsigned long long)plan->seed);
    fputs("\"transactions\": ", out);
    report_json_string(out, plan->transactions);
    fprintf(
        out,
        ", \"elapsed_s\": %.6f, \"idle\": %llu, \"idle_open_at_end\": %zu, \"reconnects\": %llu, \"unsent\": %llu, ",
        (double)outcome->elapsed / (double)NANOSECONDS_PER_SECOND, (unsigned long long)options->idle,
        outcome->idle_open, (unsigned long long)tally->reconnects, (unsigned long long)tally->unsent);
    report_json_operations(out, tally->latency, outcome->elapsed);
    fputs(", ", out);
    json_counts(out, tally);
    fputs(", \"first_failure\": ", out);
    report_json_string(out, tally->first_failure);
    fprintf(out, ", \"wrong\": %llu}\n", (unsigned long long)tally_wrong(tally));
    report_close(out, options->json_path);
}
