/* A listening socket in the loop. While connections cannot be accepted (base/loop/accept.h) it is not watched. Other
 * processes that wait for connections get the next ones. */
#ifndef RECAUDO_BASE_LOOP_ACCEPTOR_H
#define RECAUDO_BASE_LOOP_ACCEPTOR_H

#include "base/loop/accept.h"
#include "base/loop/loop.h"

/* The owner's memory. The first three are to be set, the rest is 0. */
struct acceptor {
    struct accepting accepting;
    uint32_t events;                                 /* EPOLLIN, with EPOLLEXCLUSIVE if other processes wait too */
    void (*came)(struct acceptor *acceptor, int fd); /* a connection that does not block; its own from now on */
    struct watch watch;
    struct timer rests; /* while it is set, the listener is not watched */
};

/* Makes the listener non-blocking and watches it. False: errno says why. */
MUST_USE bool acceptor_begin(struct acceptor *acceptor);

/* No connection is accepted any more. The listener stays open. */
void acceptor_end(struct acceptor *acceptor);

#endif
