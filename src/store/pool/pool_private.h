/* The pool's parts: pool.c, which lends connections, and keeper.c, which finds the server that they go to, and makes
 * connections ahead of their use. */
#ifndef RECAUDO_STORE_POOL_POOL_PRIVATE_H
#define RECAUDO_STORE_POOL_POOL_PRIVATE_H

#include "base/loop/loop.h"
#include "store/pool/pool.h"

#include <pthread.h>

/* Wakes waiting threads and tasks; used with the pool's lock. */
struct signal {
    pthread_cond_t threads;
    struct task_queue tasks;
};

struct pool {
    const struct connection_options *options;
    pthread_mutex_t lock;
    struct signal given_back, keeper_wakes;
    pthread_t keeper;
    bool keeper_is_task, keeper_has_ended;
    struct connection **idle; /* a stack: of those that live the one used last is used next; NULL: not connected */
    size_t idle_count, size;
    size_t promised; /* idle ones promised to woken tasks; later arrivals wait behind these */
    /*
     * Incremented when a connection is lost. All connections of an earlier generation, including those lent at that
     * moment, are replaced before they are used again.
     */
    unsigned generation;
    unsigned recoveries;       /* how often the pool has come up again */
    size_t server;             /* the one in use; not the first only while no earlier one is healthy */
    duration returns_at;       /* when the keeper next checks whether an earlier one is healthy */
    enum schema_access access; /* not SCHEMA_READY: the pool is down */
    bool looking;              /* the start's search for the first healthy server of several; all wait meanwhile */
    bool ending;
    bool makes_ahead, cannot_make; /* pool_make_ahead; the last connection could not be made ahead */
    struct pool_use *use, unwatched;
};

static inline bool pool_is_down(const struct pool *pool) {
    return pool->access != SCHEMA_READY;
}

/* Returns true if the pool may lend this connection, which may be NULL, again. */
static inline bool pool_is_current(const struct pool *pool, const struct connection *connection) {
    return connection != NULL && connection_generation(connection) == pool->generation &&
           connection_server(connection) == pool->server;
}

/* Returns true if `idle` can be lent as it is: it is current, and the server has not closed it. Costs a system call. */
static inline bool pool_is_live(const struct pool *pool, const struct connection *idle) {
    return pool_is_current(pool, idle) && connection_is_quiet(idle);
}

/* The following four are called with the pool's lock, the last two without it. */

/* Waits for the signal, without the lock meanwhile. Returns true if a task was woken; false after a time-out, and
 * always on a thread. */
bool pool_wait(struct pool *pool, struct signal *signal, duration wait);

/* Wakes the first task and one thread, or all that wait. */
void pool_signal(struct signal *signal);
void pool_signal_all(struct signal *signal);

/* Logs it, ends all waits for a connection, and wakes the keeper. Does nothing if the pool is down. */
void pool_go_down(struct pool *pool, enum schema_access access);

/* Starts the keeper, a task if a loop is open, else a thread. */
void keeper_start(struct pool *pool);

/* Ends it, and waits for its end. */
void keeper_end(struct pool *pool);

#endif
