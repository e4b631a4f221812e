/*
 * Measures that monitoring reads repeatedly. Every statement is bounded, however much is waiting. Ages
 * are by the database's clock. For a single look by a person, store/operation/health.h counts without such bounds.
 */
#ifndef RECAUDO_STORE_OPERATION_MEASURES_H
#define RECAUDO_STORE_OPERATION_MEASURES_H

#include "base/arena.h"
#include "store/operation/dispatchers.h"
#include "store/operation/health.h"
#include "store/operation/refusals.h"
#include "store/operation/retention.h"
#include "store/operation/settlement_delay.h"
#include "store/operation/troubles.h"
#include "store/party/money_limits.h"

enum {
    MEASURES_COUNT_MAX = 10000, /* bound of each count, for monitoring */
    MEASURES_PAGE_MAX = 1000,   /* the same for people, who look at a page */
    MEASURES_NAMES_MAX = 100,   /* merchants of each kind that are named */
    MEASURES_LIMITS_MAX = 200   /* limits of networks */
};

/* Parts that are read independently. A statement that the database refuses, for lack of a right, costs only its
 * part. */
enum measure {
    MEASURE_HEARTBEATS,
    MEASURE_BACKUP,
    MEASURE_DUE, /* `due` and `held` */
    MEASURE_STUCK,
    MEASURE_EXHAUSTED,
    MEASURE_WINDOWS,
    MEASURE_EXPIRIES,
    MEASURE_TOTALS,
    MEASURE_SEALS,
    MEASURE_TROUBLES,
    MEASURE_SETTLEMENT,
    MEASURE_RETENTION,
    MEASURE_LIMITS,
    MEASURE_ENDPOINTS, /* resting endpoints, and the database's clock */
    MEASURE_REFUSING,
    MEASURE_REFUSED,
    MEASURE_COUNT
};

/* A merchant whose notifications are not acknowledged, and since when. */
struct merchant_trouble {
    struct text name;
    duration age;
};

struct measures {
    bool refused[MEASURE_COUNT]; /* not read; the log says why */
    uint64_t count_max;          /* bound of each count */
    unsigned schema_version;
    instant database_clock;
    struct heartbeat heartbeats[TASK_COUNT];
    struct backup_age backup;
    duration unsealed; /* how long the oldest event without a seal has waited; 0: there is none */
    struct heartbeat troubles[TROUBLE_COUNT];
    struct overdue due; /* notifications to be sent now */
    /* Due, but the endpoint rests or the merchant has no URL any more. */
    struct overdue held;
    struct overdue stuck;    /* stuck notifications */
    uint64_t exhausted;      /* of enabled merchants */
    struct overdue windows;  /* closed cancellation windows that are not finalised yet */
    struct overdue expiries; /* overdue orders that are not yet written as expired */
    struct settlement_delay settlement;
    duration retention[PURGE_KINDS]; /* how long ago the night is of which the current or last removal is */
    struct dispatcher_counts totals; /* of all hosts, since the table was created */
    uint64_t resting;                /* all resting endpoints */
    size_t resting_count;            /* those listed below, by name */
    struct merchant_trouble resting_merchants[MEASURES_NAMES_MAX]; /* age: since the first failure */
    size_t refusing_count; /* merchants that have acknowledged nothing for 15 minutes, by name */
    struct merchant_trouble refusing_merchants[MEASURES_NAMES_MAX]; /* age of the oldest failed notification */
    size_t refused_count;                                           /* networks in the view networks_refused */
    struct refused_network refused_networks[MEASURES_NAMES_MAX];
    size_t limit_count;
    struct money_limit limits[MEASURES_LIMITS_MAX];
};

/* Returns how many parts were not read. */
size_t measures_count_refused(const struct measures *measures);

/* Reads all parts; each count stops at `count_max`. Names lie in the arena. Parts that the database refuses do not
 * change the status. Any status but STATUS_OK: *out is not valid. */
enum status measures_take(struct connection *connection, const struct settlement_schedule *schedule, uint64_t count_max,
                          struct arena *arena, struct measures *out);

#endif
