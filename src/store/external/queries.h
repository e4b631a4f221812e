/* The record of external queries: who was asked about what, and the outcome. */
#ifndef RECAUDO_STORE_EXTERNAL_QUERIES_H
#define RECAUDO_STORE_EXTERNAL_QUERIES_H

#include "base/arena.h"
#include "base/clock.h"
#include "store/db/connection.h"

/* The longest texts that are stored. */
enum { QUERY_SAID_CHARACTERS = 100, QUERY_PROBLEM_CHARACTERS = 80 };

struct query_record {
    uint64_t merchant_id, integration_id, network_id;
    struct text reference;
    instant asked_at;
    duration took;
    struct text outcome;        /* answered, refused, expired, invalid, silent */
    struct text address;        /* may be empty */
    unsigned http_status;       /* 0: no reply */
    struct text field, problem; /* may be empty; refused: problem is the merchant's CODE; answered: the CODE of the
                                   lookup's reply, empty for 0000, and in queries of earlier releases */
    struct text said;           /* refused: the merchant's TEXT, cut; otherwise empty */
    uint64_t order_id;          /* 0: no order */
};

/* Within a transaction, or alone. */
enum status queries_insert(struct connection *connection, const struct query_record *record);

/* A query for operators. */
struct query_row {
    uint64_t id;
    struct text merchant, network;
    struct query_record record;
    struct text po_id; /* the merchant's number of the order; empty: no order, or another merchant's */
    bool is_anothers;  /* the order is another merchant's, which keeps the reference */
};

struct query_filter {
    uint64_t merchant_id;    /* 0: of all merchants */
    uint64_t integration_id; /* 0: of all integrations. With one, merchant_id is ignored */
    struct text reference;   /* empty: any. With a reference, both are ignored */
    uint64_t limit;
};

/* Calls `each` for the newest queries, newest first; texts lie in the arena. `each` must not use the connection. */
enum status queries_list(struct connection *connection, const struct query_filter *filter, struct arena *arena,
                         void (*each)(void *context, const struct query_row *query), void *context);

/* STATUS_NONE: there is none with this id, or it was purged. */
enum status queries_find(struct connection *connection, uint64_t id, struct arena *arena, struct query_row *out);

#endif
