/* Retries of notifications by an operator (domain/notification/retry.h says which are allowed). */
#ifndef RECAUDO_STORE_NOTIFICATION_RETRIES_H
#define RECAUDO_STORE_NOTIFICATION_RETRIES_H

#include "base/arena.h"
#include "domain/notification/retry.h"
#include "store/db/connection.h"

/* A notification that an operator may choose. */
struct retry_choice {
    uint64_t order_id, id;
};

struct retry_search {
    uint64_t merchant_id;
    instant since; /* only notifications whose order changed state at or after this instant */
    bool again;    /* also delivered ones */
};

/*
 * Finds notifications that were not acknowledged and would not be sent at once anyway: exhausted, unaddressed, waiting
 * for a later attempt or for a resting endpoint, or in flight (their retry will be refused). Sorted by order, then by
 * id. The array lies in the arena.
 */
enum status retries_find(struct connection *connection, const struct retry_search *search, struct arena *arena,
                         struct retry_choice **out, size_t *count);

enum { RETRIES_AT_ONCE = 500 };

struct retry_request {
    const uint64_t *ids; /* ascending, each once, at most RETRIES_AT_ONCE; an order's chosen ones together */
    size_t count;
    bool again;
    bool whole;                /* write nothing if one of them is refused */
    bool dry_run;              /* write nothing */
    struct text actor, reason; /* for the event log; the reason may be empty */
    uint64_t user_id;          /* of the console, whose name replaces the actor; 0: none */
};

struct retry_result {
    uint64_t order_id;
    struct text merchant, po_id;
    enum notification_status status;
    bool was_refunded; /* the merchant refunded the order, which sends no notification */
    struct retry_row row;
};

/*
 * Judges and writes in one transaction, with an event `retried` for each notification that is sent again. *out: all
 * notifications of the orders concerned, by order and sequence; a requested id that is not among them does not exist.
 * The array lies in the arena.
 */
enum status retries_run(struct connection *connection, const struct retry_request *request, struct arena *arena,
                        struct retry_result **out, size_t *count);

#endif
