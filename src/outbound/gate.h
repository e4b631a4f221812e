/*
 * What may be asked of merchants at this moment, for all processes of a host together (doc/protocol.md, "External
 * query"): at most so many queries in flight in all and per merchant; one query for lookups of the same reference at
 * the same time; the places of a merchant shared between the networks that ask it; nothing to an endpoint that rests
 * after repeated failures, then single probes until one is answered.
 *
 * The processes share a file that each of them maps. A process that is killed leaves nothing behind, at whatever
 * moment: what is in flight belongs to its row of the file, and holding the row is a file lock, which the kernel takes
 * back. Safe for many threads.
 */
#ifndef RECAUDO_OUTBOUND_GATE_H
#define RECAUDO_OUTBOUND_GATE_H

#include "base/clock.h"
#include "base/text.h"

/* At most as many at the same time as the file has places for. */
enum { GATE_IN_FLIGHT_MAX = 256, GATE_PROCESSES_MAX = 256 };

struct gate;

struct gate_limits {
    size_t in_flight, in_flight_per_merchant;
    size_t sharing, sharing_per_merchant; /* lookups that wait for another one's query */
    uint64_t rest_after;                  /* failures in a row */
    duration rest;
};

/* Opens the file, makes it if need be. NULL: logged why. To be called in the process that uses it, not before a
 * fork. */
struct gate *gate_open(const char *path, const struct gate_limits *limits);

/* What is in flight is forgotten. */
void gate_close(struct gate *gate);

struct gate_query {
    uint64_t merchant_id;
    uint64_t integration_id;
    uint64_t network_id;   /* the merchant is told who asks: queries for different networks are not the same */
    struct text reference; /* at most 25 bytes */
    struct text endpoint;
};

enum gate_entry {
    GATE_ASK,    /* ask the merchant; then gate_answered and gate_end */
    GATE_SHARE,  /* the same query is in flight: gate_wait for what comes of it */
    GATE_FULL,   /* too many are in flight or waiting */
    GATE_RESTING /* the endpoint rests, or a probe of it is in flight */
};

/* A query that was let in, or that is waited for. Filled by gate_enter. */
struct gate_pass {
    size_t place;
    size_t shared_place;
    uint32_t shared_number;
};

enum gate_entry gate_enter(struct gate *gate, const struct gate_query *query, struct gate_pass *out);

/*
 * The merchant has answered or failed: the query is no longer in flight. True: the endpoint rests from now on, or goes
 * on resting. Lookups of the same reference still wait, for gate_end.
 */
bool gate_answered(struct gate *gate, const struct gate_pass *pass, bool failed);

/* Tells those who wait for it what came of it. */
void gate_end(struct gate *gate, const struct gate_pass *pass, unsigned outcome);

/* What is so at this moment, in all processes. */
struct gate_use {
    size_t in_flight;
    size_t sharing; /* lookups that wait for another one's query */
    size_t resting; /* endpoints that rest or are probed */
};

struct gate_use gate_look(struct gate *gate);

/* Waits for what the other one says at its gate_end. False: it died, or the time is up. */
MUST_USE bool gate_wait(struct gate *gate, const struct gate_pass *pass, duration timeout, unsigned *outcome);

#endif
