/*
 * Writes the lines of a process to standard error without ever making the one who logs wait: lines go into a buffer,
 * which a thread of its own empties. That thread alone waits for a reader that has stopped; standard error itself is
 * left as it is, because other processes share it.
 *
 * What finds no room is dropped and counted, and so is what cannot be written (disk full). While lines are dropped all
 * are, until the buffer is empty; then one line says how many. So the order stays, and each line comes whole: at most
 * PIPE_BUF bytes are written at once, which a pipe keeps together between processes.
 *
 * For base/log.c alone. A process that has never started a writer writes at once and may wait: one that does one thing
 * and ends. Not for signal handlers.
 */
#ifndef RECAUDO_BASE_LOG_WRITER_H
#define RECAUDO_BASE_LOG_WRITER_H

#include "base/base.h"

enum { LOG_LINE_BYTES = 2112 };

/* Prints the line that says how many were dropped, with the newline; returns its size. */
typedef size_t log_dropped_line(char *line, size_t size, uint64_t dropped);

/*
 * From now on a thread writes. To be called once. Dropped lines are added to *dropped too, which may be shared between
 * processes and outlives them. A fork's child gets a thread of its own with its first line, and an empty buffer: what
 * its parent had not written yet, the parent writes. At exit what is left is written, for LOG_WRITER_LAST_WAIT at most.
 */
void log_writer_start(log_dropped_line *print, _Atomic uint64_t *dropped);

#define LOG_WRITER_LAST_WAIT SECOND

/* Takes over a line of at most LOG_LINE_BYTES, the newline at its end too. */
void log_writer_put(const char *line, size_t size);

#endif
