/*
 * What may be asked of merchants at this moment, for all processes of a host together (doc/protocol.md, "External
 * query"): at most so many queries in flight in all and per merchant; one query for lookups of the same reference at
 * the same time; the slots of a merchant shared between the networks that ask it; nothing to an endpoint that rests
 * after repeated failures, then single probes until one is answered.
 *
 * The processes share a file that each of them maps. A process that is killed leaves nothing behind, at whatever
 * moment: what is in flight belongs to its row of the file, and holding the row is a file lock, which the kernel takes
 * back. Safe for many threads.
 */
#ifndef RECAUDO_OUTBOUND_QUERY_LIMITER_H
#define RECAUDO_OUTBOUND_QUERY_LIMITER_H

#include "base/clock.h"
#include "base/text.h"

/* At most as many at the same time as the file has slots for. */
enum { LIMITER_IN_FLIGHT_MAX = 256, LIMITER_PROCESSES_MAX = 256 };

struct query_limiter;

struct query_limits {
    size_t in_flight, in_flight_per_merchant;
    size_t sharing, sharing_per_merchant; /* lookups that wait for another one's query */
    uint64_t rest_after;                  /* failures in a row */
    duration rest;
};

/* Opens the file, makes it if need be. NULL: logged why. To be called in the process that uses it, not before a
 * fork. */
struct query_limiter *query_limiter_open(const char *path, const struct query_limits *limits);

/* What is in flight is forgotten. */
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

/* A query that was let in, or that is waited for. Filled by query_limiter_enter. */
struct query_handle {
    size_t slot;
    size_t shared_slot;
    uint32_t shared_number;
};

enum limiter_decision query_limiter_enter(struct query_limiter *limiter, const struct limited_query *query,
                                          struct query_handle *out);

/*
 * The merchant has answered or failed: the query is no longer in flight. True: the endpoint rests from now on, or goes
 * on resting. Lookups of the same reference still wait, for query_limiter_end.
 */
bool query_limiter_answered(struct query_limiter *limiter, const struct query_handle *handle, bool failed);

/* Tells those who wait for it what came of it. */
void query_limiter_end(struct query_limiter *limiter, const struct query_handle *handle, unsigned outcome);

/* What is so at this moment, in all processes. */
struct limiter_use {
    size_t in_flight;
    size_t sharing; /* lookups that wait for another one's query */
    size_t resting; /* endpoints that rest or are probed */
};

struct limiter_use query_limiter_use(struct query_limiter *limiter);

/* Waits for what the other one says at its query_limiter_end. False: it died, or the time is up. */
MUST_USE bool query_limiter_wait(struct query_limiter *limiter, const struct query_handle *handle, duration timeout,
                                 unsigned *outcome);

#endif
