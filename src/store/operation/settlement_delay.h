/* Is a settlement late: not closed at its time, or closed and without its digest? Judged by the database's clock. */
#ifndef RECAUDO_STORE_OPERATION_SETTLEMENT_DELAY_H
#define RECAUDO_STORE_OPERATION_SETTLEMENT_DELAY_H

#include "base/arena.h"
#include "base/clock.h"
#include "store/db/connection.h"
#include "store/notification/stuck.h"

/* When a dispatcher closes the settlement: [settlement] of the configuration. */
struct settlement_schedule {
    const char *zone;
    duration close_at; /* ZONE_TIME_OFF: no automatic closing */
};

struct settlement_delay {
    duration closing;        /* how long ago the open settlement was to be closed; 0: it is not due */
    struct overdue unsummed; /* closed settlements without a digest, since the first of them was closed */
};

/* Not due: it was opened after the last closing time, or the day that ended then has a settlement already. */
enum status settlement_delay_look(struct connection *connection, const struct settlement_schedule *schedule,
                                  struct settlement_delay *out);

struct settlement_zone {
    uint64_t number;  /* 0: there is none */
    struct text zone; /* in the arena */
};

/* The last two settlements that dispatchers have closed within two days, the newest first. One host closes one a day,
 * so days of two zones are those of two hosts, unless the setting was changed in between. */
enum status settlement_zones_look(struct connection *connection, struct arena *arena, struct settlement_zone out[2]);

#endif
