/*
 * How far the dispatchers' nightly walk over what is old has come: one row for each kind of record, kept in the
 * database, so that another dispatcher, or the next run, goes on where one has left.
 */
#ifndef RECAUDO_STORE_OPERATION_RETENTION_H
#define RECAUDO_STORE_OPERATION_RETENTION_H

#include "store/operation/purges.h"

struct retention_walk {
    instant begun_for; /* how old a record is counts from here */
    uint64_t last_id;  /* looked at up to here */
    uint64_t removed;  /* records it has taken something from */
    bool has_ended;
};

/* The walk under way, or the last one. The failures of sql_first. */
enum status retention_find(struct connection *connection, enum purge_kind kind, struct retention_walk *out);

/* Begins another walk after *walk, which becomes it. STATUS_CHANGED: another dispatcher has begun it. */
enum status retention_begin(struct connection *connection, enum purge_kind kind, instant begun_for,
                            struct retention_walk *walk);

/*
 * Looks at rows until some may go, the walk ends, or `until` (monotonic clock) has come; takes them away and notes how
 * far it came, in one transaction. `purge->before` is counted from walk->begun_for. STATUS_CHANGED: another dispatcher
 * has gone on with it; nothing was done. `scratch` is reset.
 */
enum status retention_step(struct connection *connection, struct arena *scratch, const struct purge *purge,
                           duration until, struct retention_walk *walk);

#endif
