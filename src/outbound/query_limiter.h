/*
 * Limits the external queries of all processes of a host together (doc/protocol.md, "External query"): the queries in
 * flight, in all and per merchant; one query for simultaneous lookups of the same reference; a fair share of a
 * merchant's slots for each network that asks it. Sends nothing to an endpoint that rests after repeated failures;
 * after the rest, single probes until one is answered.
 *
 * The processes share a mapped file. A process may be killed at any moment and leaks no slot: each slot names the row
 * of its process, and a process holds its row through a file lock, which the kernel releases. Safe for many threads.
 */
#ifndef RECAUDO_OUTBOUND_QUERY_LIMITER_H
#define RECAUDO_OUTBOUND_QUERY_LIMITER_H

#include "base/clock.h"
#include "base/text.h"

/* Upper bounds of what can be configured; the file has room for so many. */
enum { LIMITER_IN_FLIGHT_MAX = 256, LIMITER_PROCESSES_MAX = 256 };

struct query_limiter;

struct query_limits {
    size_t in_flight, in_flight_per_merchant;
    size_t sharing, sharing_per_merchant; /* lookups that wait for another one's query */
    uint64_t rest_after;                  /* failures in a row */
    duration rest;
};

/* Opens the file, or creates it. Call it in the process that uses the limiter, not before a fork. NULL: it cannot be
 * used; logged. */
struct query_limiter *query_limiter_open(const char *path, const struct query_limits *limits);

/* Releases this process's row, and with it all of its slots. */
void query_limiter_close(struct query_limiter *limiter);

struct limited_query {
    uint64_t merchant_id;
    uint64_t integration_id;
    uint64_t network_id;   /* the merchant is told who asks: queries for different networks are not the same */
    struct text reference; /* at most 25 bytes */
    struct text endpoint;
};

enum limiter_decision {
    LIMITER_ASK,    /* ask the merchant; then query_limiter_answered and query_limiter_end */
    LIMITER_SHARE,  /* the same query is in flight: query_limiter_wait for what comes of it */
    LIMITER_FULL,   /* too many are in flight or waiting */
    LIMITER_RESTING /* the endpoint rests, or a probe of it is in flight */
};

/* A query that was admitted, or a wait for another one. Filled by query_limiter_enter. */
struct query_handle {
    size_t slot;
    size_t shared_slot;
    uint32_t shared_number;
};

enum limiter_decision query_limiter_enter(struct query_limiter *limiter, const struct limited_query *query,
                                          struct query_handle *out);

/*
 * Notes that the merchant has answered or failed: the query is no longer in flight. True: the endpoint begins or
 * continues to rest. Lookups that share the query still wait for query_limiter_end.
 */
bool query_limiter_answered(struct query_limiter *limiter, const struct query_handle *handle, bool failed);

/* Ends the query and wakes the lookups that share it with its outcome. */
void query_limiter_end(struct query_limiter *limiter, const struct query_handle *handle, unsigned outcome);

/* The current numbers of all processes of the host. */
struct limiter_use {
    size_t in_flight;
    size_t sharing; /* lookups that wait for another one's query */
    size_t resting; /* endpoints that rest or are probed */
};

struct limiter_use query_limiter_use(struct query_limiter *limiter);

/* Waits until the owner of the shared query calls query_limiter_end, then releases this lookup's slot. True: *outcome
 * is the one given there. False, *outcome 0: the owner died, or the time ran out. */
MUST_USE bool query_limiter_wait(struct query_limiter *limiter, const struct query_handle *handle, duration timeout,
                                 unsigned *outcome);

#endif
