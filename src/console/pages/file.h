/* Files that a page sends piece by piece. */
#ifndef RECAUDO_CONSOLE_PAGES_FILE_H
#define RECAUDO_CONSOLE_PAGES_FILE_H

#include "console/core/view.h"

/* A connection of its own, which the caller closes: a long file takes longer than a page may have one of the pool's. */
enum status file_connect(const struct view *view, struct connection **out);

#endif
