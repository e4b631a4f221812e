/* Whether a settlement is late: its operations are not collected, it is not closed in time, or closed without its
 * digest. By the database's clock. */
#ifndef RECAUDO_STORE_OPERATION_SETTLEMENT_DELAY_H
#define RECAUDO_STORE_OPERATION_SETTLEMENT_DELAY_H

#include "base/arena.h"
#include "base/clock.h"
#include "store/db/connection.h"
#include "store/db/overdue.h"

/* When a dispatcher closes the settlement: [settlement] of the configuration. */
struct settlement_schedule {
    const char *zone;
    duration close_at; /* ZONE_TIME_OFF: no automatic closing */
};

struct settlement_delay {
    duration closing;        /* how long ago the open settlement should have been closed; 0: not due */
    instant taken_at;        /* when the day's settlement was closed, if the day has one already and the open one
                              * therefore stays open until the next closing time; else 0 */
    instant day;             /* with taken_at: midnight of that day, as a local time */
    struct overdue unsummed; /* closed settlements without a digest; since the first of them was closed */
    /* Operations that no settlement has, 500 at most; since the end of the first one's window, its cancellation or
     * its refund. While a dispatcher settles they wait for a second or two. */
    struct overdue uncollected;
};

/* Closing is not due if the settlement was opened after the last closing time, or the day that ended then has a
 * settlement already. */
enum status settlement_delay_look(struct connection *connection, const struct settlement_schedule *schedule,
                                  struct settlement_delay *out);

struct settlement_zone {
    uint64_t number;  /* 0: there is none */
    struct text zone; /* in the arena */
};

/* Reads the last two settlements that dispatchers closed within two days, newest first. A host closes one a day, so two
 * zones mean two hosts with different settings, unless the setting was changed in between. */
enum status settlement_zones_look(struct connection *connection, struct arena *arena, struct settlement_zone out[2]);

#endif
