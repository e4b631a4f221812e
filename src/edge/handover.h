/*
 * Connections of the web server that a leaving worker process hands to those that stay, or that follow it. Closing one
 * instead could meet a request that the web server has just sent on it, which nobody would answer.
 */
#ifndef RECAUDO_EDGE_HANDOVER_H
#define RECAUDO_EDGE_HANDOVER_H

#include "base/base.h"

/* Inherited by all worker processes. What nobody has taken yet waits in it. */
struct handover {
    int give, take; /* -1: there is nobody to hand to */
};

/* False: errno says why. */
MUST_USE bool handover_open(struct handover *handover);

void handover_close(struct handover *handover);

/* The caller closes its own descriptor, also where it is false: the connection was not handed over. */
bool handover_give(const struct handover *handover, int fd);

/* The caller's from now on, and closed at exec. -1: another process was quicker. */
MUST_USE int handover_take(const struct handover *handover);

#endif
