/* Refused requests: how many in each of the last hours, by CODE (table refusal_counts), and the networks whose requests
 * are refused again and again (view networks_refused). */
#ifndef RECAUDO_STORE_OPERATION_REFUSALS_H
#define RECAUDO_STORE_OPERATION_REFUSALS_H

#include "base/arena.h"
#include "store/db/connection.h"

/* Adds `more` refusals with this CODE to the current hour. For workers. */
enum status refusals_note(struct connection *connection, const char *code, uint64_t more);

struct refusal_count {
    struct text code;
    uint64_t lately; /* in the current hour and the one before */
    uint64_t of_day; /* in the last 24 hours, including the current one */
};

/* The last refusals with one CODE. */
struct last_refusals {
    uint64_t count; /* in the clock hour in which the last one was counted, such as 10:00 to 11:00 */
    instant hour;   /* when that hour began */
    duration ago;   /* since the last were written, some seconds after the replies */
};

/* For tests: reads the last refusals with this CODE. STATUS_NONE: there are none. */
enum status refusals_last(struct connection *connection, const char *code, struct last_refusals *last);

/* Refusals that somebody of the service must look into. */
enum alarming_refusal {
    ALARM_TRY_AGAIN, /* 0028 in the last minute */
    ALARM_FAULT,     /* 0009 in the last five */
    ALARM_LIMIT,     /* 0113 in the last five */
    ALARM_COUNT
};

/* Sets *is_on to whether there were any lately. If there ever were, *last is the last of them. */
enum status refusals_alarm(struct connection *connection, enum alarming_refusal alarm, bool *is_on,
                           struct last_refusals *last);

/* Notes that a request in the name of this network was refused with this CODE. For workers. */
enum status refusals_note_network(struct connection *connection, uint64_t network_id, const char *code);

/* Notes that a request of this network was served, which ends its refusals. For workers. */
enum status refusals_note_served(struct connection *connection, uint64_t network_id);

struct refused_network {
    struct text name, code;
    duration age; /* since the first of these refusals */
};

/* Calls `each` for every row of the view networks_refused, by name, up to 1000. `each` must not use the connection. */
enum status refusals_of_networks(struct connection *connection, struct arena *arena,
                                 void (*each)(void *context, const struct refused_network *network), void *context);

/* Calls `each` for every CODE of the last day, the most frequent first. For the console. */
enum status refusals_list(struct connection *connection, struct arena *arena,
                          void (*each)(void *context, const struct refusal_count *count), void *context);

#endif
