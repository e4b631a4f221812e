/* What a round of outcomes that are recorded together shows about the merchants' endpoints. */
#ifndef RECAUDO_DISPATCH_DELIVER_ENDPOINT_ROUND_H
#define RECAUDO_DISPATCH_DELIVER_ENDPOINT_ROUND_H

#include "dispatch/deliver/sendings.h"
#include "dispatch/run/task_run.h"

struct said;

struct endpoint_round {
    struct said *said;
    size_t count;
};

/* Collects it from the sendings, which may be removed before endpoint_round_note. Allocated in the arena. */
struct endpoint_round endpoint_round_gather(struct sending *const *deliveries, size_t count, struct arena *arena);

/*
 * Writes it to the database. Skips an endpoint that cannot be written, as if the process had ended before: the next
 * round shows its state. Returns the first status other than STATUS_OK.
 */
enum status endpoint_round_note(const struct endpoint_round *round, struct connection *connection,
                                const struct config *config, const struct task_run *run);

#endif
