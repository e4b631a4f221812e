/* The settling loop's work on settlements: collects operations that became final, and closes the settlement at the
 * configured time. */
#ifndef RECAUDO_DISPATCH_SETTLE_CLOSE_H
#define RECAUDO_DISPATCH_SETTLE_CLOSE_H

#include "dispatch/run/task_run.h"
#include "settlement/closing.h"

/* Owned by the settling loop; initialise with {0}. */
struct closer {
    duration collect_at;     /* by the monotonic clock */
    instant closed_for;      /* the latest cut known to be closed */
    struct summing *summing; /* the digest in progress; NULL: none. Release it with closing_sum_drop */
};

/*
 * Call it after each pass; it works about once a second. A digest is computed in slices, so that finalising does not
 * wait for it: while closer->summing is not NULL, begin the next pass at once. Digests are computed even if the
 * database refuses to collect or to close.
 */
enum status close_step(const struct task_run *run, struct connection *connection, struct closer *closer);

#endif
