#include "base/log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 2048 };

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

void log_line(enum log_level level, const char *format, ...) {
    if (level > most_verbose) {
        return;
    }
    char line[LINE_MAX_BYTES];
    size_t used = print_prefix(level, line, sizeof line);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + used, sizeof line - used, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return;
    }
    size_t room = sizeof line - used - 1;
    used += (size_t)length < room ? (size_t)length : room - 1;
    line[used++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, used);
    (void)written;
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
