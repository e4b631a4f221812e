/* The first process of recaudo-fcgi: starts the worker processes and starts anew those that die. */
#ifndef RECAUDO_EDGE_SUPERVISE_H
#define RECAUDO_EDGE_SUPERVISE_H

#include "base/base.h"

enum { EXIT_NOT_CONFIGURED = 78 };

/*
 * Runs `work` in `count` processes until SIGTERM or SIGINT (blocked by the caller, as SIGCHLD), then stops them, within 10 s. A
 * process that dies is replaced, at once the first time and after a second when it did not live longer than that. When one exits with
 * EXIT_NOT_CONFIGURED all are stopped. Returns the exit code for main.
 */
int supervise(size_t count, int (*work)(void *context), void *context);

#endif
