/* Collecting operations into the open settlement, and closing it. All of it is done by functions of the database's
 * owner. */
#ifndef RECAUDO_STORE_PAYMENT_CLOSINGS_H
#define RECAUDO_STORE_PAYMENT_CLOSINGS_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/operation.h"
#include "store/db/connection.h"

/* Puts up to `batch` operations that are committed into the open settlement, oldest first. *collected: how many. Safe
 * side by side. */
enum status closings_collect(struct connection *connection, uint64_t batch, uint64_t *collected);

struct closing {
    uint64_t number; /* of the settlement to close */
    struct text actor;
    struct text day, zone; /* the day that it becomes the settlement of; empty: of none */
    instant cut;           /* close it only if it was opened before; 0: whenever */
};

/*
 * Closes the settlement and opens the next, in one transaction.
 * STATUS_CHANGED: it is not the open one any more, or was opened at the cut or later, or the cut has not come.
 * STATUS_CLASH: that day has a settlement already.
 */
enum status closings_close(struct connection *connection, const struct closing *closing);

/* A closed settlement that has no digest yet: the process that closed it ended. STATUS_NONE: there is none. */
enum status closings_unsummed(struct connection *connection, uint64_t *number);

/* Writes what was computed of a closed settlement. Nothing happens when somebody has written it already. */
enum status closings_sum(struct connection *connection, uint64_t number, const uint64_t counts[OPERATION_KINDS],
                         struct text digest);

#endif
