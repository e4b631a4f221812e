/* Health of the service: waiting notifications, overdue work, running dispatchers. Ages are by the database's clock. */
#ifndef RECAUDO_STORE_OPERATION_HEALTH_H
#define RECAUDO_STORE_OPERATION_HEALTH_H

#include "base/arena.h"
#include "store/db/overdue.h"
#include "store/operation/dispatchers.h"

/* Bound of counts that may be large. */
enum { HEALTH_COUNT_MAX = 1000000 };

/* The most by which the clocks of this host and of the database may differ. The alert RecaudoClock uses the same
 * value. */
#define CLOCKS_APART (2 * SECOND)

/* A dispatcher without a heartbeat for longer is missing: one is started every minute, and beats every few seconds. */
#define HEARTBEAT_AGE_MAX (3 * MINUTE)

struct health {
    struct overdue due;   /* notifications to be sent now */
    struct overdue held;  /* due, but the endpoint rests or is being probed, or the merchant has no URL any more */
    struct overdue stuck; /* stuck notifications: the delivering dispatcher releases them */
    uint64_t in_flight;   /* notifications with a lease */
    uint64_t exhausted, unaddressed; /* at most HEALTH_COUNT_MAX */
    uint64_t exhausted_open;         /* exhausted ones of enabled merchants, which need an operator */
    struct overdue windows;          /* closed cancellation windows that are not finalised yet */
    uint64_t oldest_order;           /* whose window closed first of these; 0: it is a top-up, or there is none */
    struct overdue ahead;            /* confirmed in the future; `oldest`: until the last of their windows ends */
    uint64_t limits_ahead;           /* limits of networks, per currency, whose current day lies in the future */
    instant was_ahead_until;         /* a minute to come that was counted already; 0: there is none */
    instant settlement_opened_ahead; /* when the open settlement was opened, if in the future; otherwise 0 */
    struct overdue expiries;         /* overdue orders that are not yet written as expired */
};

enum status health_look(struct connection *connection, struct health *out);

/* Counts top-ups whose window has closed and whose account has no room for them. A confirmation reserves that room, so
 * there are none, except from before reservations existed or after damage. */
enum status health_without_room(struct connection *connection, uint64_t *count);

/* The endpoint of a merchant that keeps failing. */
struct resting_endpoint {
    struct text merchant;
    uint64_t failures;    /* failed rounds in a row */
    instant until;        /* then single notifications are tried */
    bool is_probed;       /* `until` has passed */
    uint64_t pending;     /* notifications that wait for it */
    duration failing_for; /* since the first of these rounds */
};

/* Calls `each` for every resting endpoint, by the merchant's name, up to 1000. `each` must not use the connection. */
enum status health_resting(struct connection *connection, struct arena *arena,
                           void (*each)(void *context, const struct resting_endpoint *endpoint), void *context);

/* A merchant whose endpoint answers, and so does not rest, but acknowledges nothing. */
struct refusing_merchant {
    struct text name;
    uint64_t failed; /* notifications that wait for another attempt; of the 10000 that are tried next */
    duration oldest; /* age of the oldest of them: more than 15 minutes */
};

/* Calls `each` for every merchant of the view merchants_refusing, by name, up to 1000. `each` must not use the
 * connection. */
enum status health_refusing(struct connection *connection, struct arena *arena,
                            void (*each)(void *context, const struct refusing_merchant *merchant), void *context);

/* Counts notifications that were tried and wait for another attempt, up to `most`. */
enum status health_retries(struct connection *connection, uint64_t most, uint64_t *count);

/* When a process with a given task was last seen, on any host. */
struct heartbeat {
    bool seen;    /* within a week */
    duration ago; /* if seen */
};

enum status health_heartbeats(struct connection *connection, struct heartbeat out[TASK_COUNT]);

enum database_writes {
    WRITES_ACCEPTED,
    WRITES_REFUSED, /* its disk is full, it is read only, or it did not answer in time */
    WRITES_FAILED,  /* another error, which was logged */
    WRITES_UNTRIED  /* the account may not call write_try */
};

/* Tries a write: commits a row of its own. If the binary log's disk is full, the server waits for room instead of
 * refusing; the read time-out ends that, and the connection. If only the tables' disk is full, overwriting this row
 * still succeeds. So the result is also WRITES_REFUSED for a minute after a program found no room, and then until an
 * event could be stored. */
enum database_writes health_try_write(struct connection *connection);

/* *out: the server was set to read only, for a replica or because its disk fills up. */
enum status health_read_only(struct connection *connection, bool *out);

/* How long there has been no backup. A backup dated in the future was noted before the database's clock was set back,
 * and is ignored. */
struct backup_age {
    bool is_known; /* false: there is neither a backup nor a payment */
    bool is_noted; /* recaudo-backup noted one, on any machine */
    duration ago;  /* since the last noted backup; without one, since the first payment was registered */
};

enum status health_backup(struct connection *connection, struct backup_age *out);

/* Whether the last backup, or where none was noted the first payment, is more than 26 hours old: a day, and what a
 * large database may take. */
bool backup_is_old(const struct backup_age *backup);

/* The dispatchers of one host, within the last day. */
struct dispatcher_host {
    struct text host;
    instant seen_at; /* when any of them was last seen */
    duration seen_ago;
    uint64_t settling, delivering; /* processes seen within 30 s that have not ended */
    uint64_t in_flight;
};

/* Calls `each` for every host, the most recently seen first. `each` must not use the connection. */
enum status health_dispatchers(struct connection *connection, struct arena *arena,
                               void (*each)(void *context, const struct dispatcher_host *host), void *context);

#endif
