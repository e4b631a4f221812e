/* The settling loop's work on the event log: seals it, and appends the seals to a file ([audit]). */
#ifndef RECAUDO_DISPATCH_SETTLE_SEAL_H
#define RECAUDO_DISPATCH_SETTLE_SEAL_H

#include "audit/sealing.h"
#include "dispatch/run/task_run.h"

/* Owned by the settling loop; initialise with {0}, release with sealer_end. */
struct sealer {
    duration look_at;        /* by the monotonic clock */
    struct sealing *sealing; /* seals in progress; NULL: none */
    struct seal_key *key;    /* NULL: not read yet, or seals are not signed */
    bool appends;            /* the file lacks many seals, and they are being appended */
};

/*
 * Call it after each pass. Works in slices, so that finalising does not wait for it: while sealer_is_busy, begin the
 * next pass at once. A failure of the key or the file is logged and does not delay other work.
 */
enum status seal_step(const struct task_run *run, struct connection *connection, struct sealer *sealer);

bool sealer_is_busy(const struct sealer *sealer);

void sealer_end(struct sealer *sealer);

#endif
