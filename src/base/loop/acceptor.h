/* A listening socket in the loop. It is not watched while connections cannot be accepted (base/loop/accept.h), so other
 * processes on the same listener get the next ones. */
#ifndef RECAUDO_BASE_LOOP_ACCEPTOR_H
#define RECAUDO_BASE_LOOP_ACCEPTOR_H

#include "base/loop/accept.h"
#include "base/loop/loop.h"

/* In the owner's memory. Set the first three members; the others are 0 at first. */
struct acceptor {
    struct accepting accepting;
    uint32_t events;                                 /* EPOLLIN, with EPOLLEXCLUSIVE if other processes wait too */
    void (*came)(struct acceptor *acceptor, int fd); /* takes a non-blocking connection and owns it from then on */
    struct watch watch;
    struct timer rests; /* while this timer is set, the listener is not watched */
};

/* Makes the listener non-blocking and watches it. Returns false and sets errno on failure. */
MUST_USE bool acceptor_begin(struct acceptor *acceptor);

/* Stops accepting connections. The listener stays open. */
void acceptor_end(struct acceptor *acceptor);

#endif
