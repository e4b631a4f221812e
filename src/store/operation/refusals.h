/* How many requests were refused in each of the last hours, by CODE (table refusal_counts). */
#ifndef RECAUDO_STORE_OPERATION_REFUSALS_H
#define RECAUDO_STORE_OPERATION_REFUSALS_H

#include "base/arena.h"
#include "store/db/connection.h"

/* Counts so many more refusals with this CODE in the hour that runs. For workers. */
enum status refusals_note(struct connection *connection, const char *code, uint64_t more);

struct refusal_count {
    struct text code;
    uint64_t lately; /* in the hour that runs and the one before */
    uint64_t of_day; /* in the last 24 hours, that one included */
};

/* The last refusals with one CODE. */
struct last_refusals {
    uint64_t count; /* in the hour in which the last ones were counted, by the clock: from 10:00 to 11:00 */
    instant hour;   /* when that hour began */
    duration ago;   /* since the last ones were written, some seconds after they were told */
};

/* STATUS_NONE: there are none. */
enum status refusals_last(struct connection *connection, const char *code, struct last_refusals *last);

/* Refusals that somebody of the service must look into. */
enum alarming_refusal {
    ALARM_TRY_AGAIN, /* 0028 in the last minute */
    ALARM_FAULT,     /* 0009 in the last five */
    ALARM_LIMIT,     /* 0113 in the last five */
    ALARM_COUNT
};

/* Sets *is_on to whether there were any lately; then *last is the last of them. */
enum status refusals_alarm(struct connection *connection, enum alarming_refusal alarm, bool *is_on,
                           struct last_refusals *last);

/* The most frequent ones of the day first. For the console. */
enum status refusals_list(struct connection *connection, struct arena *arena,
                          void (*each)(void *context, const struct refusal_count *count), void *context);

#endif
