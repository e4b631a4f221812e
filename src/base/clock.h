/*
 * The two clocks.
 *
 * Decisions about money use the database's clock (UTC, microseconds since 1970 in an `instant`), which is read together
 * with the rows. The monotonic clock here measures durations inside one process: time-outs, ages of cache entries.
 */
#ifndef RECAUDO_BASE_CLOCK_H
#define RECAUDO_BASE_CLOCK_H

#include "base/base.h"

/* Microseconds since 1970-01-01T00:00:00Z. 0 means "not set" for a column that may be NULL. */
typedef int64_t instant;

/* Microseconds. */
typedef int64_t duration;

#define MILLISECOND ((duration)1000)
#define SECOND      ((duration)1000000)
#define MINUTE      (60 * SECOND)
#define HOUR        (60 * MINUTE)
#define DAY         (24 * HOUR)

enum { SCHEDULE_MAX = 32 };

/* Delays between attempts: delays[0] follows the first failure. After `count` + 1 attempts there are no more. */
struct schedule {
    duration delays[SCHEDULE_MAX];
    size_t count;
};

/* Returns microseconds since an arbitrary moment; never goes back or jumps. */
duration clock_monotonic(void);

/* Returns the host's wall clock. Never for what decides about money: for log lines, ids and times of requests, tokens
 * of forms, certificates, and to compare it with the database's clock. */
instant clock_host(void);

#endif
