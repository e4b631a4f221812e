#include "dispatch/pass.h"

#include "store/expiry.h"
#include "store/windows.h"

/* Repeats `step` while it finds full batches. */
static enum status repeat(enum status (*step)(struct connection *, struct arena *, uint64_t, uint64_t *),
                          struct connection *connection, struct arena *arena, uint64_t batch,
                          volatile const int *stopping, uint64_t *total) {
    enum status status = STATUS_OK;
    uint64_t done = batch;
    while (status == STATUS_OK && done == batch && !*stopping) {
        status = step(connection, arena, batch, &done);
        *total += status == STATUS_OK ? done : 0;
        arena_reset(arena);
    }
    return status;
}

enum status pass_run(struct connection *connection, struct arena *arena, uint64_t batch, volatile const int *stopping,
                     struct pass_result *result) {
    *result = (struct pass_result){0};
    enum status status =
        repeat(windows_finalise_orders, connection, arena, batch, stopping, &result->finalised);
    if (status == STATUS_OK) {
        status = repeat(windows_finalise_top_ups, connection, arena, batch, stopping, &result->finalised);
    }
    if (status == STATUS_OK) {
        status = repeat(expiry_run, connection, arena, batch, stopping, &result->expired);
    }
    return status;
}
