/*
 * Writes the log lines of a process to standard error without delaying the threads that log. They put lines into a
 * buffer, which one thread writes out, many at a time: a line leaves 0.1 s after it came at the latest, and at once if
 * it is an error or nothing was written for that time. Only that thread waits if the reader has stopped. Standard error
 * stays in blocking mode, because other processes share it.
 *
 * A line that finds the buffer full, or that cannot be written (disk full), is dropped and counted. From then on every
 * line is dropped until the buffer is empty; then one line says how many are missing. So lines keep their order. Each
 * line arrives whole: one write has at most PIPE_BUF bytes, which a pipe does not mix with those of other processes.
 *
 * Used by base/log.c only. A process that has not started a writer, such as recaudoctl, writes directly and may wait.
 * Not safe in signal handlers.
 */
#ifndef RECAUDO_BASE_LOG_WRITER_H
#define RECAUDO_BASE_LOG_WRITER_H

#include "base/base.h"

enum { LOG_LINE_BYTES = 2112 };

/* Prints the line that says how many were dropped, with the newline; returns its size. */
typedef size_t log_dropped_line(char *line, size_t size, uint64_t dropped);

/*
 * Starts the thread. Call it once. Adds dropped lines to *dropped, which may be shared between processes and must
 * outlive them. A forked child begins with an empty buffer and gets its own thread at its first line; the parent writes
 * the lines it had buffered. At exit, at SIGABRT and in a crash (SIGSEGV, SIGBUS, SIGILL, SIGFPE) the remaining lines
 * are written, for LOG_WRITER_LAST_WAIT at most; a thread other than the caller's that has used up its stack, and
 * SIGKILL, lose those of the last 0.1 s.
 */
void log_writer_start(log_dropped_line *print, _Atomic uint64_t *dropped);

#define LOG_WRITER_LAST_WAIT SECOND

/* Copies a line of at most LOG_LINE_BYTES, including its newline, into the buffer. It is written at once, with those
 * before it, or together with others. */
void log_writer_put(const char *line, size_t size, bool at_once);

#endif
