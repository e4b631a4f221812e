/* FastCGI: a few threads, each of which takes a connection, answers its one request, and closes it. */
#ifndef RECAUDO_CONSOLE_SERVE_H
#define RECAUDO_CONSOLE_SERVE_H

#include "console/handle.h"

/* Serves on the listening socket until SIGTERM or SIGINT, which the caller has blocked; requests in hand are answered
 * first, files are cut short. False: it could not begin; logged why. */
MUST_USE bool serve_console(const struct console *console, int listener, size_t threads);

#endif
