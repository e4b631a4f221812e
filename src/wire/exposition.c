#include "wire/exposition.h"

#include <inttypes.h>

enum { ROOM_AT_FIRST = 32 * 1024 };

struct exposition exposition_begin(struct arena *arena) {
    return (struct exposition){.arena = arena, .at = arena_alloc(arena, ROOM_AT_FIRST), .room = ROOM_AT_FIRST};
}

static void append_text(struct exposition *exposition, struct text text) {
    if (exposition->room - exposition->size < text.size) {
        exposition->room = 2 * exposition->room + text.size;
        exposition->at = arena_enlarge(exposition->arena, exposition->at, exposition->size, exposition->room);
    }
    if (text.size > 0) {
        memcpy(exposition->at + exposition->size, text.at, text.size);
        exposition->size += text.size;
    }
}

static void append_string(struct exposition *exposition, const char *string) {
    append_text(exposition, text_of(string));
}

void exposition_family(struct exposition *exposition, const char *name, const char *type, const char *help) {
    exposition->family = name;
    append_text(exposition, arena_print(exposition->arena, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type));
}

/* Adds a quoted value. Escapes backslashes, quotes and line feeds. */
static void add_value(struct exposition *exposition, struct text value) {
    append_string(exposition, "\"");
    for (size_t i = 0; i < value.size; i++) {
        switch (value.at[i]) {
        case '\\':
            append_string(exposition, "\\\\");
            break;
        case '"':
            append_string(exposition, "\\\"");
            break;
        case '\n':
            append_string(exposition, "\\n");
            break;
        default:
            append_text(exposition, (struct text){value.at + i, 1});
        }
    }
    append_string(exposition, "\"");
}

static void add_label(struct exposition *exposition, struct exposition_label label, bool is_first) {
    append_string(exposition, is_first ? "{" : ",");
    append_string(exposition, label.name);
    append_string(exposition, "=");
    add_value(exposition, label.value);
}

/* Writes the sample's name and labels. `bound`: value of the further label `le`; empty: none. */
static void begin_sample(struct exposition *exposition, const char *suffix, struct exposition_labels labels,
                         struct text bound) {
    append_string(exposition, exposition->family);
    append_string(exposition, suffix);
    for (size_t i = 0; i < labels.count; i++) {
        add_label(exposition, labels.at[i], i == 0);
    }
    if (bound.size > 0) {
        add_label(exposition, (struct exposition_label){"le", bound}, labels.count == 0);
    }
    append_string(exposition, labels.count > 0 || bound.size > 0 ? "} " : " ");
}

static struct text print_number(struct exposition *exposition, uint64_t value) {
    return arena_print(exposition->arena, "%" PRIu64, value);
}

static struct text print_seconds(struct exposition *exposition, duration value) {
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    return arena_print(exposition->arena, "%s%" PRIu64 ".%06" PRIu64, value < 0 ? "-" : "", size / (uint64_t)SECOND,
                       size % (uint64_t)SECOND);
}

static void add_sample(struct exposition *exposition, const char *suffix, struct exposition_labels labels,
                       struct text bound, struct text value) {
    begin_sample(exposition, suffix, labels, bound);
    append_text(exposition, value);
    append_string(exposition, "\n");
}

void exposition_number(struct exposition *exposition, struct exposition_labels labels, uint64_t value) {
    add_sample(exposition, "", labels, TEXT(""), print_number(exposition, value));
}

void exposition_counter(struct exposition *exposition, const char *name, const char *help, uint64_t value) {
    exposition_family(exposition, name, "counter", help);
    exposition_number(exposition, EXPOSITION_NO_LABELS, value);
}

void exposition_gauge(struct exposition *exposition, const char *name, const char *help, uint64_t value) {
    exposition_family(exposition, name, "gauge", help);
    exposition_number(exposition, EXPOSITION_NO_LABELS, value);
}

void exposition_duration(struct exposition *exposition, struct exposition_labels labels, duration value) {
    add_sample(exposition, "", labels, TEXT(""), print_seconds(exposition, value));
}

void exposition_infinity(struct exposition *exposition, struct exposition_labels labels) {
    add_sample(exposition, "", labels, TEXT(""), TEXT("+Inf"));
}

void exposition_histogram(struct exposition *exposition, struct exposition_labels labels,
                          const struct exposition_histogram *histogram) {
    uint64_t count = 0;
    for (size_t i = 0; i <= histogram->bound_count; i++) {
        struct text bound = i < histogram->bound_count ? print_seconds(exposition, histogram->bounds[i]) : TEXT("+Inf");
        count += histogram->buckets[i];
        add_sample(exposition, "_bucket", labels, bound, print_number(exposition, count));
    }
    add_sample(exposition, "_sum", labels, TEXT(""), print_seconds(exposition, histogram->sum));
    add_sample(exposition, "_count", labels, TEXT(""), print_number(exposition, count));
}

struct text exposition_text(const struct exposition *exposition) {
    return (struct text){exposition->at, exposition->size};
}
