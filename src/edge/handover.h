/*
 * Hands a leaving worker process's connections of the web server to processes that stay or follow, also if the service
 * is restarted. If it closed one, a request that the web server has just sent on it would get no reply.
 */
#ifndef RECAUDO_EDGE_HANDOVER_H
#define RECAUDO_EDGE_HANDOVER_H

#include "base/base.h"

/*
 * Connections per message. The kernel limits the number of messages to some hundreds, so a message carries enough for a
 * busy web server, and few enough that several processes get a share.
 */
enum { HANDED_AT_ONCE = 16 };

/* Inherited by all worker processes. Connections wait in its socket until a process takes them. */
struct handover {
    int give, take; /* -1: no process to hand over to */
};

/* False: failed; errno is set. */
MUST_USE bool handover_open(struct handover *handover);

void handover_close(struct handover *handover);

/* Hands over at most HANDED_AT_ONCE connections. The caller closes its own descriptors in any case. False: none was
 * handed over; errno is set. */
MUST_USE bool handover_give(const struct handover *handover, const int *fds, size_t count);

/* Returns the number of descriptors put into `fds`: the caller's, close-on-exec. 0: another process was first. */
MUST_USE size_t handover_take(const struct handover *handover, int fds[HANDED_AT_ONCE]);

/* Closes the connections that wait in the socket, because no process remains to take them. */
void handover_discard(const struct handover *handover);

/* At the end of the service: has systemd keep the connections that wait in the socket until it is started again, and
 * closes our descriptors of them. */
void handover_leave(const struct handover *handover);

/* At the start, before any process: puts the connections that systemd has kept into the socket. Closes those that do
 * not fit, and all where there is no process to hand over to; logs that. */
void handover_take_up(const struct handover *handover);

#endif
