/* What a round of outcomes, which are recorded together, says about the merchants' endpoints. */
#ifndef RECAUDO_DISPATCH_DELIVER_ENDPOINT_ROUND_H
#define RECAUDO_DISPATCH_DELIVER_ENDPOINT_ROUND_H

#include "dispatch/deliver/sendings.h"
#include "dispatch/run/task_run.h"

struct said;

struct endpoint_round {
    struct said *said;
    size_t count;
};

/* Kept apart from the sendings, which are gone before it is noted. In the arena. */
struct endpoint_round endpoint_round_gather(struct sending *const *deliveries, size_t count, struct arena *arena);

/* Notes it in the database. One that cannot be noted is left out, as after the end of a process between the two: the
 * next round tells it. Returns the first status that was not STATUS_OK. */
enum status endpoint_round_note(const struct endpoint_round *round, struct connection *connection,
                                const struct config *config, const struct task_run *run);

#endif
