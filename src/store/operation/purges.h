/*
 * Retention: removes old, finished data in batches, each with its events in the same transaction. Never touches what is
 * not final or not delivered, nor an order whose claim waits for approval.
 */
#ifndef RECAUDO_STORE_OPERATION_PURGES_H
#define RECAUDO_STORE_OPERATION_PURGES_H

#include "base/arena.h"
#include "base/clock.h"
#include "store/db/connection.h"

enum purge_kind {
    PURGE_ATTEMPTS,     /* attempts of notifications that finished before; deletes rows */
    PURGE_QUERIES,      /* external queries; deletes rows */
    PURGE_TRANSACTIONS, /* the customer's names, of transactions that ended before; keeps the row */
    PURGE_ORDERS,       /* the customer's name, document and e-mail, of closed orders unchanged since; keeps the row */
    PURGE_KINDS
};

/* The schema's functions keep anything younger, whatever `before` says. */
#define PURGE_AGE_LEAST DAY

struct purge {
    enum purge_kind kind;
    instant before;     /* only what is older */
    bool dry_run;       /* only count */
    struct text actor;  /* for the event log */
    struct text reason; /* likewise; for attempts and queries only */
};

/* Some rows of a kind, by ascending id. */
struct purge_batch {
    uint64_t last_id; /* where the previous batch ended, at first 0; purges_find moves it to where this one ended */
    struct text ids;  /* the rows that may be purged, as a JSON array in the arena */
    uint64_t count;   /* how many they are */
    bool is_last;     /* no rows follow */
};

/* Looks at the next rows after batch->last_id. Personal data may be purged only if all notifications of the order are
 * delivered. Fails as sql_first. */
enum status purges_find(struct connection *connection, struct arena *arena, const struct purge *purge,
                        struct purge_batch *batch);

/* Purges the batch's rows that still may be purged, in the caller's transaction. *written: rows. Fails as sql_run. */
enum status purges_write(struct connection *connection, const struct purge *purge, const struct purge_batch *batch,
                         uint64_t *written);

/* Purges all batches, each in a transaction of its own, which stays committed if a later one fails. *count: rows. May
 * run beside the service and beside itself. Resets `scratch` before each batch. */
enum status purges_run(struct connection *connection, struct arena *scratch, const struct purge *purge,
                       uint64_t *count);

#endif
