/* Health of the service: waiting notifications, overdue work, running dispatchers. Ages are by the database's clock. */
#ifndef RECAUDO_STORE_OPERATION_HEALTH_H
#define RECAUDO_STORE_OPERATION_HEALTH_H

#include "base/arena.h"
#include "store/notification/stuck.h"
#include "store/operation/dispatchers.h"

/* Counts of what may be many end here. */
enum { HEALTH_COUNT_MAX = 1000000 };

/* The clocks of this host and of the database may differ by so much. The alert RecaudoClock says the same. */
#define CLOCKS_APART (2 * SECOND)

struct health {
    struct overdue due;   /* notifications that a dispatcher is to send now */
    struct overdue held;  /* due, but their merchant's endpoint rests or is being probed, or it has no URL any more */
    struct overdue stuck; /* stuck notifications: the delivering dispatcher releases them */
    uint64_t in_flight;   /* notifications in the hands of dispatchers */
    uint64_t exhausted, unaddressed; /* at most HEALTH_COUNT_MAX */
    uint64_t exhausted_open;         /* of the exhausted: those of enabled merchants, which somebody is to look at */
    struct overdue windows;          /* closed cancellation windows not written as final */
    struct overdue ahead;            /* confirmed in the future; `oldest`: until the last of their windows ends */
    uint64_t limits_ahead;           /* limits of networks, per currency, whose day is to come */
    struct overdue expiries;         /* overdue orders not written as expired */
};

enum status health_look(struct connection *connection, struct health *out);

/* How many top-ups have a closed window and an account that cannot take them. Confirming keeps their room, so there is
 * none but from before that was so, or after damage. */
enum status health_without_room(struct connection *connection, uint64_t *count);

/* An endpoint that keeps failing. */
struct resting_endpoint {
    struct text merchant;
    uint64_t failures;    /* rounds in a row */
    instant until;        /* then single notifications are tried */
    bool is_probed;       /* that instant has come */
    uint64_t pending;     /* notifications that wait for it */
    duration failing_for; /* since the first of these rounds */
};

/* Calls `each` for every one, by the merchant's name, up to 1000. It must not use the connection. */
enum status health_resting(struct connection *connection, struct arena *arena,
                           void (*each)(void *context, const struct resting_endpoint *endpoint), void *context);

/* A merchant that answers, and acknowledges nothing: its endpoint does not rest. */
struct refusing_merchant {
    struct text name;
    uint64_t failed; /* notifications that wait for another attempt; among the 10000 that are tried next */
    duration oldest; /* age of the oldest of them: more than 15 minutes */
};

/* Calls `each` for every one, as the view merchants_refusing has them; by name, up to 1000. It must not use the
 * connection. */
enum status health_refusing(struct connection *connection, struct arena *arena,
                            void (*each)(void *context, const struct refusing_merchant *merchant), void *context);

/* Notifications that were tried and wait for another attempt; at most `most` are counted. */
enum status health_retries(struct connection *connection, uint64_t most, uint64_t *count);

/* The last sign of life of the processes that do one task, on whatever host. */
struct heartbeat {
    bool seen;    /* within a week */
    duration ago; /* where it was seen */
};

enum status health_heartbeats(struct connection *connection, struct heartbeat out[TASK_COUNT]);

enum database_writes {
    WRITES_ACCEPTED,
    WRITES_REFUSED, /* its disk is full, it is read only, or whatever else fails */
    WRITES_UNTRIED  /* the account may not call the function that tries */
};

/* Commits a row of its own. Where the binary log's disk is full, the server waits for room instead of refusing: the
 * read time-out ends that, and the connection. Where only the tables' disk is full, that row is written over all the
 * same: refused for a minute after a program found no room, and until an event could be written since. */
enum database_writes health_try_write(struct connection *connection);

/* Whether the server accepts no writes, because somebody has said so: for a replica, or for a disk that fills. */
enum status health_read_only(struct connection *connection, bool *out);

/* For how long there has been no backup. One that lies in the future was noted before the database's clock was set
 * back, and is as if there were none. */
struct backup_age {
    bool is_known; /* false: there is neither a backup nor a payment */
    bool is_noted; /* by recaudo-backup, on whatever machine */
    duration ago;  /* since the last backup that is noted; none is: since the first payment was registered */
};

enum status health_backup(struct connection *connection, struct backup_age *out);

/* Whether the last backup, or where none was noted the first payment, is more than 26 hours old: a day, and what a
 * large database may take. */
bool backup_is_old(const struct backup_age *backup);

/* The dispatchers of one host within the last day. */
struct dispatcher_host {
    struct text host;
    instant seen_at; /* the last sign of life of any of them */
    duration seen_ago;
    uint64_t settling, delivering; /* alive within the last 30 s, and did not say that they left */
    uint64_t in_flight;
};

/* Calls `each` for every host, that first which was seen last. It must not use the connection. */
enum status health_dispatchers(struct connection *connection, struct arena *arena,
                               void (*each)(void *context, const struct dispatcher_host *host), void *context);

#endif
