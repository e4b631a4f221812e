/*
 * What is measured of the database for monitoring, again and again: every statement is bounded, whatever waits. Looked
 * at by the database's clock. For a person who looks once, store/operation/health.h counts to the end.
 */
#ifndef RECAUDO_STORE_OPERATION_MEASURES_H
#define RECAUDO_STORE_OPERATION_MEASURES_H

#include "base/arena.h"
#include "store/operation/dispatchers.h"
#include "store/operation/health.h"
#include "store/operation/settlement_delay.h"
#include "store/operation/troubles.h"
#include "store/party/money_limits.h"

enum {
    MEASURES_COUNT_MAX = 10000, /* counts of what waits end here, for monitoring */
    MEASURES_PAGE_MAX = 1000,   /* and for people, who look at a page */
    MEASURES_NAMES_MAX = 100,   /* merchants of a kind that are told by name */
    MEASURES_LIMITS_MAX = 200   /* limits of networks */
};

/* What is read by itself: a statement that the database refuses, because a right to it is gone, takes this away and no
 * more. */
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
    MEASURE_LIMITS,
    MEASURE_ENDPOINTS, /* those that rest, and the database's clock */
    MEASURE_REFUSING,
    MEASURE_COUNT
};

/* A merchant whose notifications are not acknowledged, and for how long. */
struct merchant_trouble {
    struct text name;
    duration age;
};

struct measures {
    bool refused[MEASURE_COUNT]; /* not read: logged why */
    uint64_t count_max;          /* counts of what waits end here */
    unsigned schema_version;
    instant database_clock;
    struct heartbeat heartbeats[TASK_COUNT];
    struct backup_age backup;
    duration unsealed; /* how long the oldest event after the newest seal has waited; 0: there is none */
    struct heartbeat troubles[TROUBLE_COUNT];
    struct overdue due; /* notifications that a dispatcher is to send now; count at most count_max */
    /* Due, but the endpoint rests or the merchant has no URL any more; counts at most count_max. */
    struct overdue held;
    struct overdue stuck;    /* stuck notifications */
    uint64_t exhausted;      /* those of enabled merchants; at most count_max */
    struct overdue windows;  /* closed cancellation windows not written as final; count at most count_max */
    struct overdue expiries; /* overdue orders not written as expired; count at most count_max */
    struct settlement_delay settlement;
    struct dispatcher_counts totals;                               /* of all hosts, since the table was made */
    uint64_t resting;                                              /* endpoints, all of them */
    size_t resting_count;                                          /* those below, by name */
    struct merchant_trouble resting_merchants[MEASURES_NAMES_MAX]; /* since the first failure */
    size_t refusing_count; /* those that have acknowledged nothing for 15 minutes, by name */
    struct merchant_trouble refusing_merchants[MEASURES_NAMES_MAX]; /* age of the oldest notification that failed */
    size_t limit_count;
    struct money_limit limits[MEASURES_LIMITS_MAX];
};

/* How many were not read. */
size_t measures_count_refused(const struct measures *measures);

/* Each count reads at most `count_max` rows. The names are the arena's. Any status but STATUS_OK: *out is not to be
 * used. Where the database refuses some statements the others are STATUS_OK. */
enum status measures_take(struct connection *connection, const struct settlement_schedule *schedule, uint64_t count_max,
                          struct arena *arena, struct measures *out);

#endif
