/*
 * Limits the external queries of a host (doc/protocol.md, "External query"): the queries in flight, in all and per
 * merchant; one query for simultaneous lookups of the same reference; a fair share of a merchant's slots for each
 * network that asks it. Sends nothing to an endpoint that rests after repeated failures; after the rest, single probes
 * until one is answered.
 *
 * Plain memory of the one process that sends all queries of the host, for one thread.
 */
#ifndef RECAUDO_OUTBOUND_QUERY_QUERY_LIMITER_H
#define RECAUDO_OUTBOUND_QUERY_QUERY_LIMITER_H

#include "base/clock.h"
#include "base/text.h"

/* Number of recently failed endpoints that are remembered; size of a reference with its NUL. */
enum { LIMITER_ENDPOINTS = 256, LIMITER_REFERENCE_SIZE = 32 };

struct query_limiter;

struct query_limits {
    size_t in_flight, in_flight_per_merchant; /* at most 256 (recaudo.conf) */
    size_t sharing, sharing_per_merchant;     /* lookups that wait for another lookup's query */
    uint64_t rest_after;                      /* failures in a row */
    duration rest;
};

struct query_limiter *query_limiter_create(const struct query_limits *limits);
void query_limiter_destroy(struct query_limiter *limiter);

/* Sets other limits; queries in flight continue. */
void query_limiter_set(struct query_limiter *limiter, const struct query_limits *limits);

struct limited_query {
    uint64_t merchant_id;
    uint64_t integration_id;
    uint64_t network_id;   /* part of a query's identity, because the merchant is told which network asks */
    struct text reference; /* fewer than LIMITER_REFERENCE_SIZE bytes */
    struct text endpoint;
};

enum limiter_decision {
    LIMITER_ASK,    /* ask the merchant; then query_limiter_answered and query_limiter_end, or query_limiter_leave */
    LIMITER_SHARE,  /* the same query is in flight: call query_limiter_look for its outcome, then query_limiter_leave */
    LIMITER_FULL,   /* too many are in flight or waiting */
    LIMITER_RESTING /* the endpoint rests, or a probe of it is in flight */
};

/* A query that was admitted, or a lookup that shares one. Filled by query_limiter_enter. */
struct query_handle {
    size_t slot;
    size_t shared_slot;
    uint32_t shared_number;
};

enum limiter_decision query_limiter_enter(struct query_limiter *limiter, const struct limited_query *query,
                                          struct query_handle *out);

/*
 * Records that the merchant has answered or failed: the query is no longer in flight. Lookups that share it still wait
 * for its end. True: the endpoint begins or continues to rest.
 */
bool query_limiter_answered(struct query_limiter *limiter, const struct query_handle *handle, bool failed);

/* Ends the query. Lookups that share it get `outcome`. */
void query_limiter_end(struct query_limiter *limiter, const struct query_handle *handle, unsigned outcome);

/* Frees the slot without an outcome: the lookup shared a query, or the asker is gone. */
void query_limiter_leave(struct query_limiter *limiter, const struct query_handle *handle);

enum limiter_shared {
    SHARED_RUNS, /* it has not ended */
    SHARED_TOLD, /* it has ended with *outcome */
    SHARED_LOST  /* the asker is gone */
};

/* Returns the state of the query that this lookup shares. */
enum limiter_shared query_limiter_look(const struct query_limiter *limiter, const struct query_handle *handle,
                                       unsigned *outcome);

struct limiter_use {
    size_t in_flight;
    size_t sharing; /* lookups that wait for another lookup's query */
    size_t resting; /* endpoints that rest or are probed */
};

struct limiter_use query_limiter_use(const struct query_limiter *limiter);

#endif
