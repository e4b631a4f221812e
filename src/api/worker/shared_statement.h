/*
 * A statement that several requests of one kind share: one round trip, one transaction and one commit for all of them
 * (doc/architecture.md, "Requests that come together share a statement").
 *
 * - No statement of the kind runs: the request begins one at once, together with the requests that the process has
 *   already received. So requests share only under load.
 * - One runs: the request is queued. When the statement ends, the next one serves up to SHARERS_MAX queued requests.
 * - A request that has been queued for a second may start a second statement, because the connection of the first may
 *   hang. It needs a spare connection (pool_has_spare); without one it stays queued.
 *
 * A statement either succeeds, and then grants or refuses each request, or fails for all. It must not wait for row
 * locks, because one locked row would delay all its requests.
 */
#ifndef RECAUDO_API_WORKER_SHARED_STATEMENT_H
#define RECAUDO_API_WORKER_SHARED_STATEMENT_H

#include "store/db/connection.h"

struct arena;
struct call;
struct sharer;

/* One kind of statement in one process. All zero at first. */
struct shared_statement {
    size_t at_work;              /* statements that run or wait for a connection */
    struct sharer *first, *last; /* the queue, oldest first */
};

/* The most requests that share a statement. */
enum { SHARERS_MAX = 32 };

/*
 * Runs the statement for `count` requests. `arena` belongs to the first.
 * STATUS_OK: each request was granted or refused, and has its own outcome.
 * STATUS_UNSURE: all requests were stored, or none.
 * Any other: nothing was stored for any of them.
 */
typedef enum status shared_act(struct connection *connection, void *const requests[], size_t count,
                               struct arena *arena);

/* Defines a shared_act that calls a function of the store, whose requests have this type. */
#define SHARED_ACT_DEFINE(function, act_of_store, type)                                                                \
    static enum status function(struct connection *connection, void *const requests[], size_t count,                   \
                                struct arena *arena) {                                                                 \
        return act_of_store(connection, (type *const *)requests, count, arena);                                        \
    }                                                                                                                  \
    _Static_assert(sizeof(type *) == sizeof(void *), "so that a semicolon may follow")

/*
 * Runs `act` for `request`, alone or with other requests, and returns the status of `act`. STATUS_AWAY also: there was
 * no connection, or the request has too little time left. Call it on a task. All calls for one statement must name the
 * same `act`.
 */
enum status shared_statement_run(struct shared_statement *statement, struct call *call, shared_act *act, void *request);

/* The same for a request that needs most of its time afterwards. STATUS_CHANGED also: it was queued for a tenth of a
 * second, and has left the queue. */
enum status shared_statement_run_soon(struct shared_statement *statement, struct call *call, shared_act *act,
                                      void *request);

/* Returns true if this status ends the request: it was served (OK), its outcome is unknown (UNSURE), or there was no
 * connection in its time (AWAY). After any other, it must be attempted alone. */
bool shared_statement_is_final(enum status status);

#endif
