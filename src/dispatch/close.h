/* What the settling loop does for settlements: collects what became final, and closes the settlement at the configured time. */
#ifndef RECAUDO_DISPATCH_CLOSE_H
#define RECAUDO_DISPATCH_CLOSE_H

#include "dispatch/run.h"

/* The settling loop's own; begins as {0}. */
struct closer {
    duration collect_at; /* by the monotonic clock */
    instant closed_for;  /* the cut that is known to be done */
};

/* Called after each pass; does something about once a second. */
enum status close_step(const struct run *run, struct connection *connection, struct closer *closer);

#endif
