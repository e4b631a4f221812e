/*
 * Changes that wait for a second user's approval (doc/operations.md, "Dual control"). The database decides which
 * changes wait, keeps requester and approver apart, and makes the change exactly as requested (sql/foundation.sql).
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
    struct text merchant, network; /* the subject's merchant or network; the other one is empty */
    struct text po_id;             /* of a claim's order */
    struct money amount;           /* of a claim */
    struct text currency;          /* of claims and limits */
    struct text changes;           /* as in the event log; empty: a claim */
    struct text reason, asked_by;
    instant asked_at, expires_at;
    struct text state; /* waiting, stale (what it would replace has changed since), expired, approved, refused */
    struct text answered_by, answer;
    instant answered_at; /* 0: not answered */
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
    APPROVALS_WAITING, /* not answered, expired or not */
    APPROVALS_ANSWERED
};

struct approval_filter {
    enum approval_choice choice;
    uint64_t before; /* only those with a smaller number; 0: all */
    uint64_t limit;
};

/* Calls `each` for the newest ones, newest first. Texts lie in the arena; `each` must not use the connection. */
enum status approvals_list(struct connection *connection, const struct approval_filter *filter, struct arena *arena,
                           approval_taker *each, void *context);

/* STATUS_NONE: there is no such approval. */
enum status approvals_find(struct connection *connection, uint64_t id, struct arena *arena, struct approval *out);

/* Finds the order's claim that waits and can still be approved. STATUS_NONE: there is none. */
enum status approvals_of_claim(struct connection *connection, uint64_t order_id, struct arena *arena,
                               struct approval *out);

/* Reads the number of the newest change of this kind that was asked for, answered or not; 0: there was none. */
enum status approvals_newest(struct connection *connection, const char *kind, uint64_t subject_id, uint64_t *id);

/* A new notify_url or secret. Claims and limits ask for their approval where they are written. */
struct approval_wish {
    const char *kind;
    uint64_t subject_id;
    struct text notify_url;    /* empty: no notifications from now on */
    struct text sealed;        /* the secret, encrypted for its column and owner (auth/vault.h) */
    duration overlap;          /* how long the previous secret stays valid after the approval */
    struct text reason, actor; /* reason: may be empty */
};

/* Stores a change that needs a second user's approval. *number: the approval's; 0: none is needed, and nothing was
 * stored. */
enum status approvals_ask(struct connection *connection, const struct approval_wish *wish, uint64_t *number);

enum approval_outcome {
    APPROVAL_ANSWERED_ALREADY, /* or there is none */
    APPROVAL_DONE,
    APPROVAL_EXPIRED,
    APPROVAL_OWN,  /* the requester may refuse the change, but not approve it */
    APPROVAL_STALE /* what it would replace has changed since */
};

struct approval_answer {
    uint64_t id;
    bool approve;
    struct text reason;
    struct text actor; /* if user_id is 0 */
    uint64_t user_id;  /* of the console; 0: none */
};

/* Makes the change, or refuses it. Nothing changes unless *out is APPROVAL_DONE. */
enum status approvals_answer(struct connection *connection, const struct approval_answer *answer,
                             enum approval_outcome *out);

#endif
