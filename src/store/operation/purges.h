/*
 * Retention: what is old and done is taken away, in batches, each with its trace in the event log in the same database
 * transaction. Never of what is not settled or not delivered.
 */
#ifndef RECAUDO_STORE_OPERATION_PURGES_H
#define RECAUDO_STORE_OPERATION_PURGES_H

#include "base/arena.h"
#include "base/clock.h"
#include "store/db/connection.h"

enum purge_kind {
    PURGE_ATTEMPTS,     /* to deliver notifications that were delivered or exhausted before; rows go */
    PURGE_QUERIES,      /* external queries; rows go */
    PURGE_TRANSACTIONS, /* the customer's names, of transactions finalised or cancelled before; the row stays */
    PURGE_ORDERS, /* the customer's name, document and e-mail, of closed orders not changed since; the row stays */
    PURGE_KINDS
};

struct purge {
    enum purge_kind kind;
    instant before;     /* older than this */
    bool dry_run;       /* only count */
    struct text actor;  /* for the event log */
    struct text reason; /* the same */
};

/* Personal data goes only where all that the merchant is to be told about the order is delivered. *count: rows; what
 * was done stays done when it fails. Safe beside the service and beside itself. `scratch` is reset before each batch.
 */
enum status purges_run(struct connection *connection, struct arena *scratch, const struct purge *purge,
                       uint64_t *count);

#endif
