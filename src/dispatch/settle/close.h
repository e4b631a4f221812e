/* What the settling loop does for settlements: collects what became final, and closes the settlement at the configured
 * time. */
#ifndef RECAUDO_DISPATCH_SETTLE_CLOSE_H
#define RECAUDO_DISPATCH_SETTLE_CLOSE_H

#include "dispatch/run/task_run.h"
#include "settlement/closing.h"

/* The settling loop's own; begins as {0}. */
struct closer {
    duration collect_at;     /* by the monotonic clock */
    instant closed_for;      /* the cut that is known to be done */
    struct summing *summing; /* the digest that goes on with the next call; NULL: none. closing_sum_drop at the end */
};

/*
 * Called after each pass; does something about once a second. A digest is computed in slices, so that finalising does
 * not wait for it: while closer->summing is there, the next pass is to follow at once.
 */
enum status close_step(const struct task_run *run, struct connection *connection, struct closer *closer);

#endif
