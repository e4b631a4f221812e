#include "bench/common/report.h"

#include "bench/common/fail.h"
#include "bench/common/monotonic.h"

static const struct quantile {
    const char *title;
    const char *key;
    double share;
} quantiles[] = {
    {"p50", "p50_ms", 0.5},      {"p90", "p90_ms", 0.9}, {"p99", "p99_ms", 0.99},
    {"p99.9", "p999_ms", 0.999}, {"max", "max_ms", 1},
};

static double milliseconds(double nanoseconds) {
    return nanoseconds / 1e6;
}

static double per_second(const struct histogram *histogram, uint64_t elapsed) {
    return elapsed == 0 ? 0 : (double)histogram->count * (double)NANOSECONDS_PER_SECOND / (double)elapsed;
}

void report_table(FILE *out, const struct histogram latency[OPERATIONS], uint64_t elapsed) {
    fprintf(out, "%-10s %10s %10s %9s", "operation", "count", "per s", "mean ms");
    for (size_t i = 0; i < COUNT_OF(quantiles); i++) {
        fprintf(out, " %9s", quantiles[i].title);
    }
    fputc('\n', out);
    for (unsigned operation = 0; operation < OPERATIONS; operation++) {
        const struct histogram *histogram = &latency[operation];
        if (histogram->count == 0) {
            continue;
        }
        fprintf(out, "%-10s %10llu %10.0f %9.3f", operation_name((enum operation)operation),
                (unsigned long long)histogram->count, per_second(histogram, elapsed),
                milliseconds(histogram_mean(histogram)));
        for (size_t i = 0; i < COUNT_OF(quantiles); i++) {
            fprintf(out, " %9.3f", milliseconds((double)histogram_quantile(histogram, quantiles[i].share)));
        }
        fputc('\n', out);
    }
}

static void json_operation(FILE *out, const struct histogram *histogram, uint64_t elapsed) {
    fprintf(out, "{\"count\": %llu, \"per_second\": %.2f, \"mean_ms\": %.6f", (unsigned long long)histogram->count,
            per_second(histogram, elapsed), milliseconds(histogram_mean(histogram)));
    for (size_t i = 0; i < COUNT_OF(quantiles); i++) {
        fprintf(out, ", \"%s\": %.6f", quantiles[i].key,
                milliseconds((double)histogram_quantile(histogram, quantiles[i].share)));
    }
    fputc('}', out);
}

void report_json_operations(FILE *out, const struct histogram latency[OPERATIONS], uint64_t elapsed) {
    const char *separator = "";
    fputs("\"operations\": {", out);
    for (unsigned operation = 0; operation < OPERATIONS; operation++) {
        if (latency[operation].count > 0) {
            fprintf(out, "%s\"%s\": ", separator, operation_name((enum operation)operation));
            json_operation(out, &latency[operation], elapsed);
            separator = ", ";
        }
    }
    fputc('}', out);
}

void report_json_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fprintf(out, "\\%c", *text);
        } else if ((unsigned char)*text < 0x20) {
            fprintf(out, "\\u%04x", (unsigned)*text);
        } else {
            fputc(*text, out);
        }
    }
    fputc('"', out);
}

FILE *report_open(const char *path) {
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        fail("%s: %m", path);
    }
    return file;
}

void report_close(FILE *file, const char *path) {
    bool written = ferror(file) == 0;
    if (fclose(file) != 0 || !written) {
        fail("%s: cannot be written", path);
    }
}
