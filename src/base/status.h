/*
 * Technical outcome of a function that talks to the database or another system. A refusal by the business rules is an
 * `enum refusal`.
 */
#ifndef RECAUDO_BASE_STATUS_H
#define RECAUDO_BASE_STATUS_H

#include "base/base.h"

enum MUST_USE status {
    STATUS_OK,
    STATUS_NONE,    /* a read found no row */
    STATUS_CHANGED, /* a guarded write wrote nothing: its WHERE no longer holds. Read the row and decide again */
    STATUS_CLASH,   /* a unique key is taken: read the winner */
    STATUS_AGAIN,   /* rolled back: the whole unit may run again */
    STATUS_LIMIT,   /* a limit kept by the database is reached: nothing was written; it may succeed later */
    STATUS_FULL,    /* rolled back: the database's disk is full. The whole unit may run again once there is room */
    STATUS_UNSURE,  /* the outcome of a commit is unknown: reply 0028, never guess */
    STATUS_AWAY,    /* the database is unreachable or all connections are busy: nothing was sent */
    STATUS_FAULT    /* anything else; it has been logged */
};

/* True if the database has refused the work for a reason that may last. Other work may succeed. */
static inline bool status_is_refused(enum status status) {
    return status == STATUS_FAULT || status == STATUS_CLASH;
}

/* True if other work would fail as well, so that it is better not begun. After STATUS_AGAIN it need not: a lock may be
 * held on rows of this work alone. */
static inline bool status_stops_all(enum status status) {
    return status != STATUS_OK && status != STATUS_AGAIN && !status_is_refused(status);
}

/* What to report of two pieces of work that were both tried: what stops all, else the first that is not STATUS_OK. */
static inline enum status status_worse(enum status first, enum status second) {
    return first == STATUS_OK || status_stops_all(second) ? second : first;
}

#endif
