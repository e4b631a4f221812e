/* Sending notifications again because an operator wants it (domain/notification/retry.h says which may be). */
#ifndef RECAUDO_STORE_NOTIFICATION_RETRIES_H
#define RECAUDO_STORE_NOTIFICATION_RETRIES_H

#include "base/arena.h"
#include "domain/notification/retry.h"
#include "store/db/connection.h"

/* A notification that may be chosen. */
struct retry_choice {
    uint64_t order_id, id;
};

struct retry_search {
    uint64_t merchant_id;
    instant since; /* their orders changed their state at or after this instant */
    bool again;    /* also what was delivered */
};

/*
 * Finds what was not acknowledged and is not sent at once anyway: exhausted, without an address until now, pending
 * until a later attempt, or being sent at this moment, which is refused; by order, and then by id. The array is the
 * arena's.
 */
enum status retries_find(struct connection *connection, const struct retry_search *search, struct arena *arena,
                         struct retry_choice **out, size_t *count);

enum { RETRIES_AT_ONCE = 500 };

struct retry_request {
    const uint64_t
        *ids; /* ascending, each once, at most RETRIES_AT_ONCE; all that are chosen of an order stand in one request */
    size_t count;
    bool again;
    bool whole;                /* nothing is written when one of them is refused */
    bool dry_run;              /* nothing is written */
    struct text actor, reason; /* for the event log; the reason may be empty */
    uint64_t user_id;          /* of the console, whose name the database writes in place of the actor; 0: of none */
};

struct retry_result {
    uint64_t order_id;
    struct text merchant, po_id;
    enum notification_status status;
    bool was_refunded; /* the merchant refunded the order, of which no notification tells */
    struct retry_row row;
};

/*
 * Judges and writes in one transaction, with an event `retried` for each that is sent again. *out: every notification
 * of the orders concerned, by order and sequence; an id that is not among them does not exist. The array is the
 * arena's.
 */
enum status retries_run(struct connection *connection, const struct retry_request *request, struct arena *arena,
                        struct retry_result **out, size_t *count);

#endif
