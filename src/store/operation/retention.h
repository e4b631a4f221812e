/*
 * Progress of the dispatchers' nightly walk over old records: one row for each kind, in the database, so that another
 * dispatcher, or the next run, continues where one stopped.
 */
#ifndef RECAUDO_STORE_OPERATION_RETENTION_H
#define RECAUDO_STORE_OPERATION_RETENTION_H

#include "base/config/config.h"
#include "store/operation/purges.h"

/* Two nights were missed, or one night's walk is still running. */
#define RETENTION_IS_LATE (2 * DAY)

/* Returns the age at which records of this kind go; CONFIG_KEPT: no dispatcher removes them. */
duration retention_age(const struct config *config, enum purge_kind kind);

/* Returns the name of the kind in the table, and what it is called in texts. */
struct text retention_name(enum purge_kind kind);
const char *retention_words(enum purge_kind kind);

struct retention_walk {
    instant begun_for; /* ages of records are counted back from here */
    uint64_t last_id;  /* examined up to here */
    uint64_t removed;  /* records deleted or cleared of personal data */
    bool has_ended;
};

/* Reads the current walk, or the last one. Fails as sql_first. */
enum status retention_find(struct connection *connection, enum purge_kind kind, struct retention_walk *out);

/* Reads how long ago the night is of which each current or last walk is. */
enum status retention_nights(struct connection *connection, duration ago[PURGE_KINDS]);

/* Begins a new walk after *walk, which is replaced by it. STATUS_CHANGED: another dispatcher has begun it. */
enum status retention_begin(struct connection *connection, enum purge_kind kind, instant begun_for,
                            struct retention_walk *walk);

/*
 * Examines rows until some may be purged, the walk ends, or `until` (monotonic clock) is reached. Then purges those
 * rows and records the progress, in one transaction. `purge->before` must be relative to walk->begun_for. Resets
 * `scratch`. STATUS_CHANGED: another dispatcher has continued the walk; nothing was done.
 */
enum status retention_step(struct connection *connection, struct arena *scratch, const struct purge *purge,
                           duration until, struct retention_walk *walk);

#endif
