/* The event log: what happened to one thing, by whom and when. Triggers write it; nobody changes it. */
#ifndef RECAUDO_STORE_OPERATION_EVENTS_H
#define RECAUDO_STORE_OPERATION_EVENTS_H

#include "base/arena.h"
#include "store/db/connection.h"

/* Longest reasons that people give, in characters. The event of a network's limits also has the limits and the
 * previous ones in its column. */
enum { REASON_MAX = 250, LIMIT_REASON_MAX = 100 };

struct event {
    instant at;
    struct text what;
    struct text from, to; /* states; may be empty */
    struct text actor;
    struct text reason;  /* may be empty */
    struct text changes; /* JSON: for each column [old, new], or "changed"; may be empty */
};

/* Calls `each` for every event of `subject` ("order", "transaction", "network", ...), oldest first. `each` must not use
 * the connection. */
enum status events_list(struct connection *connection, struct text subject, uint64_t subject_id, struct arena *arena,
                        void (*each)(void *context, const struct event *event), void *context);

/* Sets the reason of the events that triggers write for this connection from now on; it is appended to their own. */
enum status events_give_reason(struct connection *connection, struct text reason);

/* An event of the whole log, with its subject. */
struct listed_event {
    uint64_t id;
    struct text subject; /* "order", "transaction", "network", ... */
    uint64_t subject_id;
    struct text name;       /* of a network, merchant or user; otherwise empty */
    uint64_t order_id;      /* of an order, or of a payment that changed one; 0: none */
    struct text db_account; /* the database account that wrote it */
    struct event event;
};

struct event_filter {
    struct text subject;           /* empty: any */
    struct text actor, db_account; /* prefixes; empty: any */
    instant since, until;          /* since <= at < until; 0: no bound */
    uint64_t limit;
};

/* Calls `each` for the newest events that match, newest first. `each` must not use the connection; an event's texts are
 * valid only until it returns. */
enum status events_newest(struct connection *connection, const struct event_filter *filter,
                          void (*each)(void *context, const struct listed_event *event), void *context);

#endif
