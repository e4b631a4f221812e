/*
 * Stuck notifications (view notifications_stuck): they wait for one that has finished. Where two database servers are
 * written to at once, during a failover, `approved` may finish on one while `cancelled` is written behind it on the
 * other: each transaction looks for the other's row and does not see it. The same happens between a merchant's first
 * address and a notification that finds it without one.
 */
#ifndef RECAUDO_STORE_NOTIFICATION_STUCK_H
#define RECAUDO_STORE_NOTIFICATION_STUCK_H

#include "base/arena.h"
#include "store/db/connection.h"

/* Work whose instant has come. */
struct overdue {
    uint64_t count;
    duration oldest; /* how long ago it was to be done; 0: there is none */
};

/* How many, at most 20000, and for how long the oldest has waited. */
enum status stuck_count(struct connection *connection, struct overdue *out);

/* Makes up to `most` of them pending, where that is still so when it is written. *released: how many. */
enum status stuck_release(struct connection *connection, uint64_t most, struct arena *arena, uint64_t *released);

#endif
