/*
 * Connections of the web server that a leaving worker process hands to those that stay, or that follow it. Closing one
 * instead could meet a request that the web server has just sent on it, which nobody would answer.
 */
#ifndef RECAUDO_EDGE_HANDOVER_H
#define RECAUDO_EDGE_HANDOVER_H

#include "base/base.h"

/* The kernel counts messages, and holds some hundreds: so many connections go in one that those of a busy web server
 * fit, and so few that several processes get some. */
enum { HANDED_AT_ONCE = 16 };

/* Inherited by all worker processes. What nobody has taken yet waits in it. */
struct handover {
    int give, take; /* -1: there is nobody to hand to */
};

/* False: errno says why. */
MUST_USE bool handover_open(struct handover *handover);

void handover_close(struct handover *handover);

/* At most HANDED_AT_ONCE. The caller closes its own descriptors, also where it is false: none was handed over, and
 * errno says why. */
MUST_USE bool handover_give(const struct handover *handover, const int *fds, size_t count);

/* Returns how many it has put into `fds`: the caller's from now on, and closed at exec. 0: another process was quicker.
 */
MUST_USE size_t handover_take(const struct handover *handover, int fds[HANDED_AT_ONCE]);

/* Closes those that wait in it: nobody follows who would take them. */
void handover_discard(const struct handover *handover);

#endif
