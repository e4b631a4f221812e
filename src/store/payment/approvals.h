/*
 * Changes that wait for a second user's approval (doc/operations.md, "Dual control"). The database decides which do,
 * keeps asker and approver apart, and makes the change exactly as it was asked for (sql/foundation.sql).
 */
#ifndef RECAUDO_STORE_PAYMENT_APPROVALS_H
#define RECAUDO_STORE_PAYMENT_APPROVALS_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/money.h"
#include "store/db/connection.h"

struct approval {
    uint64_t id;
    struct text kind;              /* APPROVAL_CLAIM and so on */
    uint64_t subject_id;           /* the order, network or merchant */
    struct text merchant, network; /* whose it is; the other one is empty */
    struct text po_id;             /* of a claim's order */
    struct money amount;           /* of a claim */
    struct text currency;          /* of claims and limits */
    struct text changes;           /* as in the event log; empty: a claim */
    struct text reason, asked_by;
    instant asked_at, expires_at;
    struct text state; /* waiting, stale (what it replaces has changed since), expired, approved, refused */
    struct text answered_by, answer;
    instant answered_at; /* 0: nobody has */
};

#define APPROVAL_CLAIM               "claim"
#define APPROVAL_NOTIFY_URL          "notify_url"
#define APPROVAL_LIMITS              "limits"
#define APPROVAL_NETWORK_SECRET      "network_secret"
#define APPROVAL_MERCHANT_SECRET     "merchant_secret"
#define APPROVAL_NOTIFICATION_SECRET "notification_secret"

typedef void approval_taker(void *context, const struct approval *approval);

enum approval_choice {
    APPROVALS_ALL,
    APPROVALS_WAITING, /* nobody answered them, expired or not */
    APPROVALS_ANSWERED
};

struct approval_filter {
    enum approval_choice choice;
    uint64_t before; /* older than the one with this number; 0: any */
    uint64_t limit;
};

/* Calls `each` for the newest, newest first. Texts are the arena's; `each` must not use the connection. */
enum status approvals_list(struct connection *connection, const struct approval_filter *filter, struct arena *arena,
                           approval_taker *each, void *context);

/* STATUS_NONE: there is none. */
enum status approvals_find(struct connection *connection, uint64_t id, struct arena *arena, struct approval *out);

/* The claim of the order that waits and can still be approved. STATUS_NONE: none does. */
enum status approvals_of_claim(struct connection *connection, uint64_t order_id, struct arena *arena,
                               struct approval *out);
/* A new notify_url or secret. Claims and limits are asked for where they are made. */
struct approval_wish {
    const char *kind;
    uint64_t subject_id;
    struct text notify_url;    /* empty: none from now on */
    struct text sealed;        /* the secret, encrypted for its column and owner (auth/vault.h) */
    duration overlap;          /* from the approval on the secret before stays good that long */
    struct text reason, actor; /* reason: may be empty */
};

/* Stores what has to wait for a second user: *number is the approval's. 0: it need not wait, and nothing was stored. */
enum status approvals_ask(struct connection *connection, const struct approval_wish *wish, uint64_t *number);

enum approval_outcome {
    APPROVAL_ANSWERED_ALREADY, /* or there is none */
    APPROVAL_DONE,
    APPROVAL_EXPIRED,
    APPROVAL_OWN,  /* whoever asked may refuse it, and not approve it */
    APPROVAL_STALE /* what it would change has changed since */
};

struct approval_answer {
    uint64_t id;
    bool approve;
    struct text reason;
    struct text actor; /* without user_id */
    uint64_t user_id;  /* of the console; 0: none */
};

/* Makes the change, or refuses it. Unless *out is APPROVAL_DONE nothing was changed. */
enum status approvals_answer(struct connection *connection, const struct approval_answer *answer,
                             enum approval_outcome *out);

#endif
