/* One pass over everything due: windows that have closed, orders that are overdue. */
#ifndef RECAUDO_DISPATCH_PASS_H
#define RECAUDO_DISPATCH_PASS_H

#include "base/arena.h"
#include "store/connection.h"

struct pass_result {
    uint64_t finalised, expired;
};

/* Works until nothing is due or *stopping. STATUS_OK, or what ended it early; the result counts what was done until then. */
enum status pass_run(struct connection *connection, struct arena *arena, uint64_t batch, volatile const int *stopping,
                     struct pass_result *result);

#endif
