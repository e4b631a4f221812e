/*
 * A statement that several requests share. Requests of one kind that come while the statement of earlier ones runs wait
 * for its end, and are then done by the next statement together: in one round trip, one transaction and one commit. A
 * request that finds no such statement at work goes with those that the process has already received, and waits for
 * nobody else, so requests share only under load.
 *
 * A request that has waited for a second has a statement of its own beside the one at work, whose connection may give
 * no answer, if a connection is to spare (pool_has_spare). Else it goes on waiting.
 *
 * A statement does each of its requests or refuses it, or fails for all. It must not wait for locks of rows: whoever
 * holds one would delay them all.
 */
#ifndef RECAUDO_API_WORKER_SHARED_STATEMENT_H
#define RECAUDO_API_WORKER_SHARED_STATEMENT_H

#include "store/db/connection.h"

struct arena;
struct call;
struct sharer;

/* One kind of statement in one process. All zero at first. */
struct shared_statement {
    size_t at_work;              /* such statements, their waits for a connection included */
    struct sharer *first, *last; /* requests that wait, in the order in which they came */
};

/* How many requests share a statement at most. */
enum { SHARERS_MAX = 32 };

/*
 * Runs the statement for `count` requests, and says in each what became of it. `arena` is that of the first. Returns
 * STATUS_OK if all were done or refused singly; otherwise none was done, or with STATUS_UNSURE perhaps all.
 */
typedef enum status shared_act(struct connection *connection, void *const requests[], size_t count,
                               struct arena *arena);

/* Defines such a function from one of the store's, whose requests are of this type. */
#define SHARED_ACT_DEFINE(function, act_of_store, type)                                                                \
    static enum status function(struct connection *connection, void *const requests[], size_t count,                   \
                                struct arena *arena) {                                                                 \
        return act_of_store(connection, (type *const *)requests, count, arena);                                        \
    }                                                                                                                  \
    _Static_assert(sizeof(type *) == sizeof(void *), "so that a semicolon may follow")

/*
 * Has `request` done by a shared statement, alone or with others; returns as `act` does. On a task only. All calls for
 * one statement name the same `act`. STATUS_AWAY also: it had no connection, or too little time was left.
 */
enum status shared_statement_run(struct shared_statement *statement, struct call *call, shared_act *act, void *request);

/* The same for a request that needs most of its time afterwards. STATUS_CHANGED also: it has waited for a tenth of a
 * second, and its statement had not begun. */
enum status shared_statement_run_soon(struct shared_statement *statement, struct call *call, shared_act *act,
                                      void *request);

/* Returns true if the request needs no attempt of its own after this status: it was done, it was perhaps done, or it
 * had no connection in its time. */
bool shared_statement_is_final(enum status status);

#endif
