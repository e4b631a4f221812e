/*
 * Retention: what is old and done is taken away, in batches, each with its trace in the event log in the same database
 * transaction. Never touches what is not final or not delivered.
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

/* What is younger stays, whatever `before` says: the schema's functions see to it. */
#define PURGE_AGE_LEAST DAY

struct purge {
    enum purge_kind kind;
    instant before;     /* older than this */
    bool dry_run;       /* only count */
    struct text actor;  /* for the event log */
    struct text reason; /* the same; of attempts and queries only */
};

/* Some of the rows of a kind, in the order of their numbers. */
struct purge_batch {
    uint64_t last_id; /* where the batch before ended, 0 at the beginning; afterwards where this one ended */
    struct text ids;  /* of those that may go, as a JSON array in the arena */
    uint64_t count;   /* of them */
    bool is_last;     /* nothing stands behind it */
};

/* Looks at the next rows behind batch->last_id. Personal data may go only where all that the merchant is to be told
 * about the order is delivered. The failures of sql_first. */
enum status purges_find(struct connection *connection, struct arena *arena, const struct purge *purge,
                        struct purge_batch *batch);

/* Takes away what was found, if it still may go; *written: rows. In the caller's transaction. The failures of sql_run.
 */
enum status purges_write(struct connection *connection, const struct purge *purge, const struct purge_batch *batch,
                         uint64_t *written);

/* All batches, each in a transaction of its own. *count: rows; what was done stays done when it fails. Safe beside the
 * service and beside itself. `scratch` is reset before each batch. */
enum status purges_run(struct connection *connection, struct arena *scratch, const struct purge *purge,
                       uint64_t *count);

#endif
