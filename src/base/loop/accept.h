/*
 * Accepting connections by processes that may run out of descriptors. A connection that cannot be accepted stays in the
 * listener's queue, so whoever waits for the listener would be told of it again and again: it rests instead.
 */
#ifndef RECAUDO_BASE_LOOP_ACCEPT_H
#define RECAUDO_BASE_LOOP_ACCEPT_H

#include "base/clock.h"

enum { ACCEPTED_NONE = -1, ACCEPT_LATER = -2 };

/* Between two attempts after ACCEPT_LATER. */
#define ACCEPT_REST (SECOND / 10)

/* A listening socket that does not block. Threads may share it. */
struct accepting {
    int listener;
    const char *what;         /* the connections, for the log: "connections of the web server" */
    _Atomic duration said_at; /* that they cannot be accepted; 0: not yet */
};

/*
 * Returns the next connection, closed at exec, with SOCK_NONBLOCK if `flags` has it; the caller's. ACCEPTED_NONE: there
 * is none (any more). ACCEPT_LATER: it cannot be accepted, for want of descriptors or memory, which is logged once a
 * minute; after ACCEPT_REST it may be tried again.
 */
MUST_USE int accept_next(struct accepting *accepting, int flags);

#endif
