/*
 * Writes metrics in Prometheus' text format 0.0.4: families with HELP and TYPE, each followed by its samples. The text
 * grows in the arena.
 */
#ifndef RECAUDO_WIRE_EXPOSITION_H
#define RECAUDO_WIRE_EXPOSITION_H

#include "base/arena.h"
#include "base/clock.h"

#define EXPOSITION_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

struct exposition {
    struct arena *arena;
    char *at;
    size_t size, room;
    const char *family;
};

/* A label; the value may be any UTF-8. */
struct exposition_label {
    const char *name;
    struct text value;
};

/* Labels of one sample. */
struct exposition_labels {
    const struct exposition_label *at;
    size_t count;
};

/* Counts of durations by bucket; the bounds are ascending, and the last bucket has durations above all of them. */
struct exposition_histogram {
    const duration *bounds;
    size_t bound_count;
    const uint64_t *buckets; /* bound_count + 1 counts, not cumulative */
    duration sum;
};

#define EXPOSITION_NO_LABELS ((struct exposition_labels){NULL, 0})

struct exposition exposition_begin(struct arena *arena);

/* Begins a family, to which the following samples belong. `type` is counter, gauge or histogram; `help` is one line. */
void exposition_family(struct exposition *exposition, const char *name, const char *type, const char *help);

void exposition_number(struct exposition *exposition, struct exposition_labels labels, uint64_t value);

/* Write a family that is one number without labels. */
void exposition_counter(struct exposition *exposition, const char *name, const char *help, uint64_t value);
void exposition_gauge(struct exposition *exposition, const char *name, const char *help, uint64_t value);

/* Writes a duration in seconds, Prometheus' unit. It may be negative. */
void exposition_duration(struct exposition *exposition, struct exposition_labels labels, duration value);

/* Writes +Inf. */
void exposition_infinity(struct exposition *exposition, struct exposition_labels labels);

void exposition_histogram(struct exposition *exposition, struct exposition_labels labels,
                          const struct exposition_histogram *histogram);

/* Returns the text written so far. */
struct text exposition_text(const struct exposition *exposition);

#endif
