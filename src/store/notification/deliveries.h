/*
 * Delivering notifications (doc/protocol.md, "Notification"): leased in a short transaction, sent without any lock, and
 * recorded only while the lease holds.
 */
#ifndef RECAUDO_STORE_NOTIFICATION_DELIVERIES_H
#define RECAUDO_STORE_NOTIFICATION_DELIVERIES_H

#include "base/arena.h"
#include "domain/notification/notification.h"
#include "store/db/connection.h"

enum { LEASE_BYTES = 16, REPLY_KEPT_MAX = 16 * 1024 };

/* A merchant with notifications that are due. */
struct due_merchant {
    uint64_t merchant_id;
    struct text name;
    uint64_t failures; /* failed rounds in a row */
    bool rests;        /* its endpoint rests: send nothing now */
};

/* When the next delivery is due. */
struct delivery_next {
    bool is_due;     /* at least one notification is due now */
    duration ask_in; /* ask again after this time: the next one is due then, or a cancellation window has closed and the
                        settling process has had time to write its notification; at most `longest` */
};

enum status deliveries_next(struct connection *connection, duration longest, struct delivery_next *out);

/* Lists up to `most` merchants with due notifications, the longest waiting first. The array lies in the arena. */
enum status deliveries_merchants(struct connection *connection, uint64_t most, struct arena *arena,
                                 struct due_merchant **out, size_t *count);

/* One merchant's share of a lease request. */
struct lease_share {
    uint64_t merchant_id;
    uint64_t most;
    bool first_attempts_only;
    uint64_t found; /* out; if equal to `most`, there may be more */
};

struct lease_request {
    struct lease_share *shares; /* each merchant at most once */
    size_t share_count;
    duration lease_for;
    unsigned char lease[LEASE_BYTES];    /* random, new for each request */
    void (*progress)(const void *about); /* called after each statement */
    const void *about;
    duration leased_mono; /* out: the monotonic clock just before the leases began */
    size_t asked;         /* out: how many of the shares, from the first, were searched in the time allowed */
};

/*
 * Leases due notifications of these merchants in one transaction, each merchant's oldest first. *now: the database's
 * clock. If the database is slow, only the first shares are searched (`asked`), so that what was found does not wait
 * for the rest. The array lies in the arena. STATUS_NONE: nothing is due.
 */
enum status deliveries_lease(struct connection *connection, struct lease_request *request, struct arena *arena,
                             struct notification **out, size_t *count, instant *now);

/* A leased notification and its lease. */
struct leased {
    uint64_t notification_id;
    unsigned char lease[LEASE_BYTES];
};

/* Ends leases of notifications that were not sent: they are due at once, for any dispatcher. Skips notifications that
 * have another lease. */
enum status deliveries_release(struct connection *connection, const struct leased *leased, size_t count,
                               struct arena *arena);

/* The outcome of one attempt. */
struct delivery_outcome {
    uint64_t notification_id, merchant_id;
    uint64_t number;                       /* of the attempt, from 1 */
    unsigned char lease[LEASE_BYTES];      /* the notification's current lease */
    unsigned char kept_under[LEASE_BYTES]; /* its lease when the outcome came; identifies the attempt, however often it
                                              is recorded */
    instant started_at;
    duration took;
    struct text url;     /* where it was sent */
    const char *address; /* empty: no connection was made */
    int http_status;     /* 0: no reply */
    const char *reason;  /* a value of attempts.reason */
    const char *problem; /* details for the log; NULL or empty: the reason says it all */
    bool delivered, exhausted;
    duration next_in; /* if neither: the next attempt is due after this time */
    struct text reply;
};

/* The most that one transaction records. */
enum { OUTCOMES_AT_ONCE = 256 };

/* Outcomes to record, at most OUTCOMES_AT_ONCE. */
struct recording {
    uint64_t dispatcher_id;
    const struct delivery_outcome *outcomes;
    size_t count;
    bool all_must_hold; /* if one lease has ended, write nothing and return STATUS_CHANGED */
    bool only_free;     /* if others have locked a row, write nothing and return STATUS_AGAIN at once */
};

/*
 * Records outcomes in one transaction: a row for each attempt, and the new state of each notification whose lease still
 * holds. Makes what follows a finished one pending, unless others have locked it: then it is stuck (stuck.h). May be
 * repeated after STATUS_UNSURE: rows that exist already are not written twice.
 */
enum status deliveries_record(struct connection *connection, const struct recording *recording, struct arena *arena);

#endif
