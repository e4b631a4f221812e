/* Files that a page sends piece by piece, and other walks that take longer than a page may. */
#ifndef RECAUDO_CONSOLE_PAGES_FILE_H
#define RECAUDO_CONSOLE_PAGES_FILE_H

#include "base/clock.h"
#include "console/core/view.h"

/* A list that is not at its end after this time ends with a line that says so. */
#define FILE_TIME_MAX MINUTE

/*
 * A connection of its own for one file of the user; ended by file_close. STATUS_LIMIT: the user has one in hand, or
 * half of the threads are busy with files: pages are served by the others. Other failures are those of connecting.
 */
enum status file_open(const struct view *view, struct connection **out);
void file_close(const struct view *view, struct connection *connection);

#endif
