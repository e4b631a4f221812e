/* Collects operations into the open settlement, and closes it. Functions of the schema's owner do the work. */
#ifndef RECAUDO_STORE_PAYMENT_CLOSINGS_H
#define RECAUDO_STORE_PAYMENT_CLOSINGS_H

#include "base/clock.h"
#include "domain/settlement.h"
#include "store/db/connection.h"

/* Puts up to `batch` committed operations into the open settlement, oldest first. *collected: how many. Safe to run in
 * several processes. */
enum status closings_collect(struct connection *connection, uint64_t batch, uint64_t *collected);

struct closing {
    uint64_t number; /* the settlement to close */
    struct text actor;
    struct text day, zone; /* the day whose settlement it becomes; empty: none */
    instant cut;           /* close it only if it was opened before this; 0: always */
};

/*
 * Closes the settlement and opens the next, in one transaction.
 * STATUS_CHANGED: it is not open any more, was opened at the cut or later (but not in the future), or the cut is still
 * in the future. Also if the day is not over anywhere on earth or, with a cut, has not begun anywhere.
 * STATUS_CLASH: that day has a settlement already.
 */
enum status closings_close(struct connection *connection, const struct closing *closing);

/* Finds a closed settlement without a digest, because the process that closed it ended. STATUS_NONE: there is none. */
enum status closings_unsummed(struct connection *connection, uint64_t *number);

/* Writes the counts and digest of a closed settlement. Does nothing if they are written already. */
enum status closings_sum(struct connection *connection, uint64_t number, const uint64_t counts[OPERATION_KINDS],
                         struct text digest);

#endif
