/*
 * One line per thing worth knowing, on standard error: time, level, words, and name=value pairs.
 *
 * Logged once, where a foreign error becomes one of ours. A caller's fault is info, ours is error. Never a secret, a
 * checksum or what a checksum is made of. Nobody waits for a reader once log_start_writer was called: what cannot be
 * written is dropped and counted (base/log_writer.h). Errors that a thread logs again and again, with no other line
 * between, are written once a minute, with the number of times.
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
 * For programs that go on serving: a thread writes the lines from now on. Lines that were dropped are added to
 * *dropped, which may be shared between processes and outlives them all; a line says it too. Once, before any fork.
 */
void log_start_writer(_Atomic uint64_t *dropped);

void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

/* The words of the error that this thread has logged last, with nothing else since; empty: there is none. The thread's
 * own. */
const char *log_last_error(void);

/* What went wrong goes right again: when the same error comes once more, in whatever thread, it is news. */
void log_trouble_ended(void);

/* Copies text from outside into `out` (with NUL) so that it cannot forge a line: control characters (U+0080 to U+009F
 * too), quotes, backslashes and bytes that are no UTF-8 become \xNN, byte by byte; all other UTF-8 stands as it is.
 * What does not fit is cut between characters. Returns out. */
const char *log_quote(struct text from_outside, char *out, size_t out_size);

#endif
