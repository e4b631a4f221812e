/*
 * Notifications on their way out (doc/protocol.md, "Notification"): leased in a short transaction, sent
 * while nothing is locked, recorded only while the lease still holds.
 */
#ifndef RECAUDO_STORE_NOTIFICATION_DELIVERIES_H
#define RECAUDO_STORE_NOTIFICATION_DELIVERIES_H

#include "base/arena.h"
#include "domain/notification/notification.h"
#include "store/db/connection.h"

enum { LEASE_BYTES = 16, REPLY_KEPT_MAX = 16 * 1024 };

/* A merchant that has something due. */
struct due_merchant {
    uint64_t merchant_id;
    struct text name;
    uint64_t failures; /* failed rounds in a row */
    bool rests;        /* nothing is to be sent to it now */
};

/* What is to be delivered next. */
struct delivery_next {
    bool is_due;     /* at least one notification is due now */
    duration ask_in; /* ask again after this time: the next one is due then, or a cancellation window has closed and
                        settling, another process, has had time to write its notification; at most `longest` */
};

enum status deliveries_next(struct connection *connection, duration longest, struct delivery_next *out);

/* Merchants with something due, up to `most`, those first that have waited longest. The array is the arena's. */
enum status deliveries_merchants(struct connection *connection, uint64_t most, struct arena *arena,
                                 struct due_merchant **out, size_t *count);

/* What one merchant gets of the leases of one request. */
struct lease_share {
    uint64_t merchant_id;
    uint64_t most;
    bool first_attempts_only;
    uint64_t found; /* out: as many as `most`: there may be more */
};

struct lease_request {
    struct lease_share *shares; /* each merchant once */
    size_t share_count;
    duration lease_for;
    unsigned char lease[LEASE_BYTES];    /* random, new for each request */
    void (*progress)(const void *about); /* called after each statement */
    const void *about;
    duration leased_mono; /* out: the monotonic clock just before the leases began */
    size_t asked; /* out: so many of the shares, from the first on, were looked for before the time for it was over */
};

/*
 * Takes due notifications of these merchants in hand in one transaction, each merchant's oldest first. *now: the
 * database's clock. Where the database is slow it looks for the first shares only (`asked`), so that those it has found
 * do not wait long for the others. The array is the arena's. STATUS_NONE: nothing is due.
 */
enum status deliveries_lease(struct connection *connection, struct lease_request *request, struct arena *arena,
                             struct notification **out, size_t *count, instant *now);

/* One that is in hand, and under which lease. */
struct leased {
    uint64_t notification_id;
    unsigned char lease[LEASE_BYTES];
};

/* Gives back what was not sent: it is due at once, for whoever leases it. Leaves alone what has another lease. */
enum status deliveries_release(struct connection *connection, const struct leased *leased, size_t count,
                               struct arena *arena);

/* The outcome of one attempt. */
struct delivery_outcome {
    uint64_t notification_id, merchant_id;
    uint64_t number;                       /* of the attempt, from 1 */
    unsigned char lease[LEASE_BYTES];      /* that its notification has now */
    unsigned char kept_under[LEASE_BYTES]; /* that it had when the outcome came: names the attempt, however often it is
                                              recorded */
    instant started_at;
    duration took;
    struct text url;     /* that it was for */
    const char *address; /* empty: none was connected to */
    int http_status;     /* 0: none */
    const char *reason;  /* a value of attempts.reason */
    const char *problem; /* why, for the log; NULL or empty: the reason says it all */
    bool delivered, exhausted;
    duration next_in; /* when neither: the next attempt leaves after this time */
    struct text reply;
};

/* In one transaction. */
enum { OUTCOMES_AT_ONCE = 256 };

/* Outcomes to be recorded, at most OUTCOMES_AT_ONCE. */
struct recording {
    uint64_t dispatcher_id;
    const struct delivery_outcome *outcomes;
    size_t count;
    bool all_must_hold; /* STATUS_CHANGED, and nothing is written, where the lease of one does not hold any more */
};

/*
 * Records outcomes in one transaction: each attempt a row, and for those whose lease still holds the new state. May be
 * repeated after STATUS_UNSURE: what is there already is not written twice.
 */
enum status deliveries_record(struct connection *connection, const struct recording *recording, struct arena *arena);

#endif
