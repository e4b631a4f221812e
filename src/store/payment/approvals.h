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
    uint64_t id, order_id;
    struct text kind;            /* claim */
    struct text merchant, po_id; /* of the order */
    struct money amount;
    struct text currency, reason, asked_by;
    instant asked_at, expires_at;
    struct text state; /* waiting, stale (the order has changed since), expired, approved, refused */
    struct text answered_by, answer;
    instant answered_at; /* 0: nobody has */
};

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
