/*
 * Accepts connections in processes that may run out of descriptors. A connection that cannot be accepted stays in the
 * listener's queue, and the listener would be reported ready again and again. So it must not be watched for a while.
 */
#ifndef RECAUDO_BASE_LOOP_ACCEPT_H
#define RECAUDO_BASE_LOOP_ACCEPT_H

#include "base/clock.h"

enum { ACCEPTED_NONE = -1, ACCEPT_LATER = -2 };

/* The time between two attempts after ACCEPT_LATER. */
#define ACCEPT_REST (SECOND / 10)

/* A non-blocking listening socket. Threads may share it. */
struct accepting {
    int listener;
    const char *what;         /* names the connections in the log: "connections of the web server" */
    _Atomic duration said_at; /* when the failure to accept was last logged; 0: never */
};

/*
 * Returns the next connection, close-on-exec, with SOCK_NONBLOCK if `flags` has it; the caller owns it.
 * ACCEPTED_NONE: no connection is waiting.
 * ACCEPT_LATER: it cannot be accepted, for lack of descriptors or memory; try again after ACCEPT_REST. Logged once a
 * minute.
 */
MUST_USE int accept_next(struct accepting *accepting, int flags);

#endif
