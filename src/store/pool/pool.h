/*
 * A few connections shared by many tasks of a loop (base/loop/task.h), or by threads. Each takes one for its statements
 * and gives it back before it waits for anything else. Tasks get connections first come, first served.
 *
 * When a request needs a connection and none can be made, the pool is down: taking a connection fails at once, and a
 * keeper (a task or thread) tries to connect every 200 ms until it succeeds. Requests never wait for a connect time-out
 * then.
 *
 * Where the configuration names several servers, all of the pool's connections go to the same one. At the start,
 * requests wait until the keeper has found a server that accepts writes: if others are switched off, up to the connect
 * time-out of each. When that server is lost, the keeper takes the first that accepts writes. Every 5 s it checks
 * whether an earlier one in the list is healthy again. All processes of all hosts have the same list, so they end up
 * writing through the same server.
 */
#ifndef RECAUDO_STORE_POOL_POOL_H
#define RECAUDO_STORE_POOL_POOL_H

#include "store/schema/schema.h"

struct pool;

/* Returns SCHEMA_READY while the pool is up, otherwise why the server could not be used at the last attempt. */
enum schema_access pool_access(struct pool *pool);

/* How busy a pool is. The caller of pool_watch owns the memory, which must be zero at first. */
struct pool_use {
    _Atomic uint64_t size, in_use; /* connections */
    _Atomic uint64_t waits;        /* for a connection, since the start */
    _Atomic uint64_t waited;       /* microseconds, the sum of all waits */
    _Atomic uint64_t refusals;     /* requests that got none: the database was away, or the wait was too long */
};

/* Creates a pool and its keeper, which connects in the background. `options` and what it points to must outlive the
 * pool. */
struct pool *pool_create(const struct connection_options *options, size_t connections);

/* Makes the pool report in *use, which must outlive it, how busy it is. Call it before a connection is taken. */
void pool_watch(struct pool *pool, struct pool_use *use);

/*
 * From now on the keeper makes all connections ahead of their use, also after a loss. So while the database gives no
 * answer for some seconds, no request has to make one, which would take the pool down: requests wait on connections
 * that exist. The pool does not go down because the keeper cannot make one.
 */
void pool_make_ahead(struct pool *pool);

/* Closes the connections, all of which must have been given back. */
void pool_destroy(struct pool *pool);

/* Takes a connection. STATUS_AWAY: the database is down, or every connection stayed busy for a second. */
enum status pool_take(struct pool *pool, struct connection **out);

/*
 * Lends a connection until `until` on clock_monotonic; waits for one as above, but no longer than that. Lock conflicts
 * and lost races are retried for POOL_TRYING_MAX at most (connection_may_try_again), so that one locked row cannot
 * occupy all connections. A statement unanswered at `until` fails with STATUS_UNSURE or STATUS_AWAY, and the connection
 * is cut.
 */
enum status pool_take_until(struct pool *pool, duration until, struct connection **out);

/* Returns true if a connection that was made already can be had, and half of all would still be free. */
bool pool_has_spare(struct pool *pool);

#define POOL_TRYING_MAX (3 * SECOND)

/* Gives a connection back; closes it if it was lost. A transaction left open is a defect of ours: it is logged, and the
 * connection closed. */
void pool_give(struct pool *pool, struct connection *connection);

#endif
