#include "base/log.h"

#include "base/clock.h"
#include "base/log_writer.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

/* The sizes of a byte quoted as \xNN, and at the same time of the longest UTF-8 character. */
enum { LINE_MAX_BYTES = 2048, QUOTED_BYTES = 4 };

#define REPEATED_AFTER MINUTE

enum { ERRORS_REMEMBERED = 4 };

/* The errors that this thread has written last. */
static _Thread_local struct error {
    char words[LINE_MAX_BYTES];
    size_t size; /* 0: none */
    duration written_at;
    unsigned long repeats; /* not written yet */
} last_errors[ERRORS_REMEMBERED];
static _Thread_local size_t next_error, last_error;
static _Thread_local unsigned troubles_seen;

/* The number of troubles that have ended. */
static atomic_uint troubles;

static enum log_level most_verbose = LOG_INFO;

static const char *const LEVEL_NAMES[] = {
    [LOG_ERROR] = "error", [LOG_WARNING] = "warning", [LOG_INFO] = "info", [LOG_DEBUG] = "debug"};

void log_set_level(enum log_level level) {
    most_verbose = level;
}

const char *log_level_name(enum log_level level) {
    return LEVEL_NAMES[level];
}

TEXT_DEFINE_PARSE(log_level_parse, enum log_level, LEVEL_NAMES);

/* Whether systemd's journal reads standard error: then JOURNAL_STREAM names it, by device and inode. */
static bool journal_reads(void) {
    const char *stream = getenv("JOURNAL_STREAM");
    struct stat about;
    char named[64];
    if (stream == NULL || fstat(STDERR_FILENO, &about) != 0) {
        return false;
    }
    snprintf(named, sizeof named, "%ju:%ju", (uintmax_t)about.st_dev, (uintmax_t)about.st_ino);
    return strcmp(stream, named) == 0;
}

/* The journal takes a number in front of a line for its priority and does not keep it. Without one all are info. */
static size_t print_priority(enum log_level level, char *line, size_t size) {
    static const int PRIORITIES[] = {[LOG_ERROR] = 3, [LOG_WARNING] = 4, [LOG_INFO] = 6, [LOG_DEBUG] = 7};
    return journal_reads() ? (size_t)snprintf(line, size, "<%d>", PRIORITIES[level]) : 0;
}

static size_t print_prefix(enum log_level level, char *line, size_t size) {
    instant now = clock_host();
    time_t seconds = (time_t)(now / SECOND);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    size_t used = print_priority(level, line, size);
    used += strftime(line + used, size - used, "%Y-%m-%dT%H:%M:%S", &parts);
    int rest = snprintf(line + used, size - used, ".%03dZ %s ", (int)(now % SECOND / MILLISECOND), LEVEL_NAMES[level]);
    return used + (size_t)rest;
}

static void write_line(enum log_level level, char *line, size_t size) {
    line[size] = '\n';
    log_writer_put(line, size + 1, level == LOG_ERROR);
}

static size_t print_dropped(char *line, size_t size, uint64_t dropped) {
    size_t used = print_prefix(LOG_WARNING, line, size);
    int length = snprintf(
        line + used, size - used,
        "%" PRIu64 " lines of this log were dropped: nobody read them, or they could not be written\n", dropped);
    return used + (size_t)length;
}

void log_start_writer(_Atomic uint64_t *dropped) {
    log_writer_start(print_dropped, dropped);
}

/* Logs how often the error was repeated, then forgets it. */
static void flush_repeats(struct error *error) {
    char line[LOG_LINE_BYTES];
    if (error->repeats > 0) {
        size_t used = print_prefix(LOG_ERROR, line, sizeof line);
        int length = error->repeats == 1 ? snprintf(line + used, sizeof line - used - 1, "once more: %s", error->words)
                                         : snprintf(line + used, sizeof line - used - 1, "%lu times more: %s",
                                                    error->repeats, error->words);
        write_line(LOG_ERROR, line, used + (size_t)length);
    }
    error->repeats = error->size = 0;
}

static void flush_all_repeats(void) {
    for (size_t i = 0; i < ERRORS_REMEMBERED; i++) {
        flush_repeats(&last_errors[i]);
    }
}

static void flush_old_repeats(void) {
    for (size_t i = 0; i < ERRORS_REMEMBERED; i++) {
        if (last_errors[i].size > 0 && clock_monotonic() >= last_errors[i].written_at + REPEATED_AFTER) {
            flush_repeats(&last_errors[i]);
        }
    }
}

void log_trouble_ended(void) {
    troubles++;
}

static void flush_when_trouble_ended(void) {
    unsigned ended = troubles;
    if (troubles_seen != ended) {
        troubles_seen = ended;
        flush_all_repeats();
    }
}

/* Whether the thread wrote the same words within the last minute, and only errors and records since. */
static bool is_repeated(const char *words, size_t size) {
    duration now = clock_monotonic();
    flush_when_trouble_ended();
    for (size_t i = 0; i < ERRORS_REMEMBERED; i++) {
        struct error *error = &last_errors[i];
        bool same = size == error->size && memcmp(words, error->words, size) == 0;
        if (same && now < error->written_at + REPEATED_AFTER) {
            error->repeats++;
            last_error = i;
            return true;
        }
        if (same) {
            flush_repeats(error);
        }
    }
    last_error = next_error++ % ERRORS_REMEMBERED;
    struct error *error = &last_errors[last_error];
    flush_repeats(error);
    memcpy(error->words, words, size);
    error->words[size] = '\0';
    error->size = size;
    error->written_at = now;
    return false;
}

static void write_words(enum log_level level, const char *format, va_list arguments) {
    if (level > most_verbose) {
        return;
    }
    char line[LINE_MAX_BYTES];
    size_t prefix = print_prefix(level, line, sizeof line), room = sizeof line - prefix - 2;
    int length = vsnprintf(line + prefix, room + 1, format, arguments);
    if (length < 0) {
        return;
    }
    size_t size = (size_t)length < room ? (size_t)length : room;
    if (level != LOG_ERROR || !is_repeated(line + prefix, size)) {
        write_line(level, line, prefix + size);
    }
}

void log_line(enum log_level level, const char *format, ...) {
    va_list arguments;
    if (level != LOG_ERROR) {
        flush_all_repeats();
    }
    va_start(arguments, format);
    write_words(level, format, arguments);
    va_end(arguments);
}

void log_record(const char *format, ...) {
    va_list arguments;
    flush_when_trouble_ended();
    flush_old_repeats();
    va_start(arguments, format);
    write_words(LOG_INFO, format, arguments);
    va_end(arguments);
}

const char *log_last_error(void) {
    const struct error *error = &last_errors[last_error];
    return error->size > 0 ? error->words : "";
}

/* Returns the length of the first character if it may be copied; 0 if its first byte must become \xNN. */
static size_t harmless_character(struct text rest) {
    size_t length = utf8_character((const unsigned char *)rest.at, rest.size);
    bool is_harmful = text_has_control((struct text){rest.at, length}) || rest.at[0] == '"' || rest.at[0] == '\\';
    return is_harmful ? 0 : length;
}

const char *log_quote(struct text from_outside, char *out, size_t out_size) {
    size_t used = 0;
    for (size_t at = 0; at < from_outside.size && used + QUOTED_BYTES < out_size;) {
        const char *from = from_outside.at + at;
        size_t length = harmless_character((struct text){from, from_outside.size - at});
        if (length > 0) {
            memcpy(out + used, from, length);
        } else {
            snprintf(out + used, out_size - used, "\\x%02x", (unsigned char)from[0]);
        }
        used += length > 0 ? length : QUOTED_BYTES;
        at += length > 0 ? length : 1;
    }
    out[used] = '\0';
    return out;
}
