#include "base/log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 2048 };

#define REPEATED_AFTER MINUTE

enum { ERRORS_REMEMBERED = 4 };

/* Errors that the thread has written lately. */
static _Thread_local struct error {
    char words[LINE_MAX_BYTES];
    size_t size; /* 0: none */
    duration written_at;
    unsigned long repeats; /* not written */
} last_errors[ERRORS_REMEMBERED];
static _Thread_local size_t next_error;

static enum log_level most_verbose = LOG_INFO;

static const char *const LEVEL_NAMES[] = {
    [LOG_ERROR] = "error", [LOG_WARNING] = "warning", [LOG_INFO] = "info", [LOG_DEBUG] = "debug"};

void log_set_level(enum log_level level) {
    most_verbose = level;
}

bool log_level_parse(struct text name, enum log_level *out) {
    for (size_t i = 0; i < COUNT_OF(LEVEL_NAMES); i++) {
        if (text_equal(name, text_of(LEVEL_NAMES[i]))) {
            *out = (enum log_level)i;
            return true;
        }
    }
    return false;
}

static size_t print_prefix(enum log_level level, char *line, size_t size) {
    instant now = clock_host();
    time_t seconds = (time_t)(now / SECOND);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    size_t used = strftime(line, size, "%Y-%m-%dT%H:%M:%S", &parts);
    int rest = snprintf(line + used, size - used, ".%03dZ %s ", (int)(now % SECOND / MILLISECOND), LEVEL_NAMES[level]);
    return used + (size_t)rest;
}

static void write_line(char *line, size_t size) {
    line[size] = '\n';
    ssize_t written = write(STDERR_FILENO, line, size + 1);
    (void)written;
}

/* Forgets the error, and says how often it came. */
static void forget(struct error *error) {
    char line[LINE_MAX_BYTES + 64];
    if (error->repeats > 0) {
        size_t used = print_prefix(LOG_ERROR, line, sizeof line);
        int length = snprintf(line + used, sizeof line - used - 1, "%lu times more: %.*s", error->repeats,
                              (int)error->size, error->words);
        write_line(line, used + (size_t)length);
    }
    error->repeats = error->size = 0;
}

static void forget_all(void) {
    for (size_t i = 0; i < ERRORS_REMEMBERED; i++) {
        forget(&last_errors[i]);
    }
}

/* True when the thread has written the same words lately, and errors alone since. */
static bool is_repeated(const char *words, size_t size) {
    duration now = clock_monotonic();
    for (size_t i = 0; i < ERRORS_REMEMBERED; i++) {
        struct error *error = &last_errors[i];
        bool same = size == error->size && memcmp(words, error->words, size) == 0;
        if (same && now < error->written_at + REPEATED_AFTER) {
            error->repeats++;
            return true;
        }
        if (same) {
            forget(error);
        }
    }
    struct error *error = &last_errors[next_error++ % ERRORS_REMEMBERED];
    forget(error);
    memcpy(error->words, words, size);
    error->size = size;
    error->written_at = now;
    return false;
}

void log_line(enum log_level level, const char *format, ...) {
    if (level != LOG_ERROR) {
        forget_all();
    }
    if (level > most_verbose) {
        return;
    }
    char line[LINE_MAX_BYTES];
    size_t prefix = print_prefix(level, line, sizeof line), room = sizeof line - prefix - 2;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + prefix, room + 1, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return;
    }
    size_t size = (size_t)length < room ? (size_t)length : room;
    if (level != LOG_ERROR || !is_repeated(line + prefix, size)) {
        write_line(line, prefix + size);
    }
}

const char *log_quote(struct text from_outside, char *out, size_t out_size) {
    size_t used = 0;
    for (size_t i = 0; i < from_outside.size && used + 5 < out_size; i++) {
        unsigned char c = (unsigned char)from_outside.at[i];
        if (c >= 0x20 && c != 0x7F && c != '"' && c != '\\') {
            out[used++] = (char)c;
        } else {
            used += (size_t)snprintf(out + used, out_size - used, "\\x%02x", c);
        }
    }
    out[used] = '\0';
    return out;
}
