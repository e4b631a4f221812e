/*
 * Writes the log lines of a process to standard error without delaying the threads that log. They put lines into a
 * buffer, and one thread writes the buffer, many lines at a time. A line is written at most 0.1 s later, and at once if
 * it is an error or nothing was written for that time. Only the writing thread waits if the reader has stopped.
 * Standard error stays in blocking mode, because other processes share it.
 *
 * A line that finds the buffer full, or cannot be written (disk full), is dropped and counted. All later lines are
 * dropped until the buffer is empty. Then one line reports the number of dropped lines. So lines keep their order. Each
 * line arrives whole: one write has at most PIPE_BUF bytes, which a pipe does not mix with those of other processes.
 *
 * Used by base/log.c only. A process that has not started a writer, such as recaudoctl, writes directly and may wait.
 * Not safe in signal handlers.
 */
#ifndef RECAUDO_BASE_LOG_WRITER_H
#define RECAUDO_BASE_LOG_WRITER_H

#include "base/base.h"

enum { LOG_LINE_BYTES = 2112 };

/* Prints the line that reports the number of dropped lines, with its newline. Returns its size. */
typedef size_t log_dropped_line(char *line, size_t size, uint64_t dropped);

/*
 * Starts the thread. Call it once. Adds the number of dropped lines to *dropped, which may be shared between processes
 * and must outlive them. A forked child begins with an empty buffer and starts its own thread at its first line; the
 * parent writes the lines it had buffered. At exit, at SIGABRT and in a crash (SIGSEGV, SIGBUS, SIGILL, SIGFPE) the
 * process waits until the remaining lines are written, for LOG_WRITER_LAST_WAIT at most. SIGKILL loses the lines of the
 * last 0.1 s, as does a stack overflow in another thread than the caller's.
 */
void log_writer_start(log_dropped_line *print, _Atomic uint64_t *dropped);

#define LOG_WRITER_LAST_WAIT SECOND

/* Copies a line of at most LOG_LINE_BYTES, including its newline, into the buffer. `at_once`: the line and those before
 * it are written at once, else together with later ones. */
void log_writer_put(const char *line, size_t size, bool at_once);

#endif
