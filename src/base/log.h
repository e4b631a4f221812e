/*
 * The log, on standard error: one line per event, with time, level, words, and name=value pairs. Where systemd's
 * journal reads it, the level is the line's priority too.
 *
 * An error is logged once, where a library's error becomes one of ours. A caller's mistake is info, our own is error.
 * Secrets, checksums and the inputs of a checksum are never logged. After log_start_writer no thread waits for the
 * reader of the log. Lines are written together, at most 0.1 s late; lines that cannot be written are dropped and
 * counted (base/log_writer.h). An error that a thread repeats, with only errors and records in between, is written at
 * most once a minute. The number of repetitions is logged with the thread's first line after that minute.
 */
#ifndef RECAUDO_BASE_LOG_H
#define RECAUDO_BASE_LOG_H

#include "base/text.h"

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* Lines above this level are not written. Default: LOG_INFO. */
void log_set_level(enum log_level level);

/* "error", "warning", "info", "debug". */
const char *log_level_name(enum log_level level);
MUST_USE bool log_level_parse(struct text name, enum log_level *out);

/*
 * For servers: lets a thread of its own write the lines from now on. Adds the number of dropped lines to *dropped,
 * which may be shared between processes and must outlive them all; a line of the log reports it too. Call it once,
 * before any fork.
 */
void log_start_writer(_Atomic uint64_t *dropped);

void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

/* Logs a line of level info for a request, query or page. It does not end a series of repeated errors. */
void log_record(const char *format, ...) PRINTF_LIKE(1, 2);

/* Returns the last error that this thread logged, if it has logged nothing but records since; otherwise "". Valid until
 * the thread logs again. */
const char *log_last_error(void);

/* Ends a trouble: the next occurrence of any error, in any thread, is written at once. */
void log_trouble_ended(void);

/* Copies text from outside into `out` (with NUL) so that it cannot forge a line. Control characters (also U+0080 to
 * U+009F), quotes, backslashes and bytes that are not UTF-8 become \xNN, byte by byte. Other UTF-8 is copied. A text
 * that does not fit is cut between characters. Returns `out`. */
const char *log_quote(struct text from_outside, char *out, size_t out_size);

#endif
