/*
 * Stuck notifications (view notifications_stuck): they wait for a notification that has already finished. This can
 * happen while two database servers accept writes, during a failover. `approved` finishes on one while `cancelled` is
 * inserted on the other, and neither transaction sees the other's row. The same race exists between setting a
 * merchant's first URL and writing a notification that still finds none. And a session may have locked the waiting one
 * when the other finished (deliveries_record).
 */
#ifndef RECAUDO_STORE_NOTIFICATION_STUCK_H
#define RECAUDO_STORE_NOTIFICATION_STUCK_H

#include "base/arena.h"
#include "store/db/connection.h"
#include "store/db/overdue.h"

/* Counts them, up to 20000, and reads how long the oldest has been due. */
enum status stuck_count(struct connection *connection, struct overdue *out);

/* Makes up to `most` of them pending if they are still stuck when written; not those that others have locked.
 * *released: how many. */
enum status stuck_release(struct connection *connection, uint64_t most, struct arena *arena, uint64_t *released);

#endif
