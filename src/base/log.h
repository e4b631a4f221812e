/*
 * The log, on standard error: one line per event, with time, level, words, and name=value pairs.
 *
 * An error is logged once, where a library's error becomes one of ours. A caller's mistake is info, our own is error.
 * Secrets, checksums and the values a checksum is made of are never logged. After log_start_writer no thread waits for
 * the reader of the log: lines leave together, 0.1 s late at most, and those that cannot be written are dropped and
 * counted (base/log_writer.h). An error that a thread repeats, with nothing but errors and records between,
 * is written at most once a minute; how often it was repeated stands in the log as soon as the thread logs anything
 * after that minute.
 */
#ifndef RECAUDO_BASE_LOG_H
#define RECAUDO_BASE_LOG_H

#include "base/text.h"

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* Lines above this level are not written. Default: LOG_INFO. */
void log_set_level(enum log_level level);

/* "error", "warning", "info", "debug". */
MUST_USE bool log_level_parse(struct text name, enum log_level *out);

/*
 * For servers: from now on a thread writes the lines. Adds dropped lines to *dropped, which may be shared between
 * processes and must outlive them all; a line in the log tells them too. Call it once, before any fork.
 */
void log_start_writer(_Atomic uint64_t *dropped);

void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

/* A line of level info that comes with each request, query or page. What made each of them fail still counts as
 * repeated. */
void log_record(const char *format, ...) PRINTF_LIKE(1, 2);

/* Returns the last error that this thread logged, if it has logged nothing but records since; otherwise "". Valid until
 * the thread logs again. */
const char *log_last_error(void);

/* The trouble is over: the next occurrence of the same error, in any thread, is written at once. */
void log_trouble_ended(void);

/* Copies text from outside into `out` (with NUL) so that it cannot forge a line. Control characters (also U+0080 to
 * U+009F), quotes, backslashes and bytes that are not UTF-8 become \xNN, byte by byte; other UTF-8 is copied. A text
 * that does not fit is cut between characters. Returns out. */
const char *log_quote(struct text from_outside, char *out, size_t out_size);

#endif
