/*
 * A few connections shared by many tasks of a loop (base/loop/task.h), or by threads. Each takes one for its statements
 * and gives it back before it waits for anything else. Tasks get them in the order in which they came.
 *
 * When the database does not answer, the pool is down: taking a connection fails at once, and a keeper (a task
 * or a thread) tries to connect every 200 ms until it works again. Requests never wait for a connect time-out.
 *
 * Where the configuration names several servers, all of the pool's connections go to one of them: the keeper takes the
 * first that accepts writes when the one in use is lost, and looks every 5 s whether one that stands before it is well
 * again. So all processes of all hosts, which have the same list, come to write through the same server.
 */
#ifndef RECAUDO_STORE_POOL_POOL_H
#define RECAUDO_STORE_POOL_POOL_H

#include "store/schema/schema.h"

struct pool;

/* What the server said when it was last asked; SCHEMA_READY while the pool is up. */
enum schema_access pool_access(struct pool *pool);

/* How busy a pool is, for whoever measures it; memory of the measurer's, all zero at first. */
struct pool_use {
    _Atomic uint64_t size, in_use; /* connections */
    _Atomic uint64_t waits;        /* for a connection, since ever */
    _Atomic uint64_t waited;       /* microseconds, all of them together */
    _Atomic uint64_t refusals;     /* requests that got none: the database was away, or the wait was too long */
};

/* `options` and what it points to must outlive the pool. Connects on first use. */
struct pool *pool_create(const struct connection_options *options, size_t connections);

/* From now on the pool says in *use how busy it is. *use must outlive it. Before anybody takes a connection. */
void pool_watch(struct pool *pool, struct pool_use *use);

/* All connections must have been given back. */
void pool_destroy(struct pool *pool);

/* STATUS_OK, or STATUS_AWAY: the database is down, or every connection stayed busy for a second. */
enum status pool_take(struct pool *pool, struct connection **out);

/*
 * Lends a connection until that moment of clock_monotonic. Waits for one until then at most, as above. What fails for a
 * lock or a lost race is tried again for POOL_TRYING_MAX at most (connection_may_try_again), so that rows that somebody
 * else holds do not occupy the connections of all. A statement that is still unanswered when the time is up ends as if
 * the connection had been lost, STATUS_UNSURE or STATUS_AWAY: the connection is cut.
 */
enum status pool_take_until(struct pool *pool, duration until, struct connection **out);

#define POOL_TRYING_MAX (3 * SECOND)

/* Gives it back; a lost one is closed. A transaction left open is a fault of ours: logged, and the connection
 * closed. */
void pool_give(struct pool *pool, struct connection *connection);

#endif
