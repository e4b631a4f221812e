#include "base/condition.h"
#include "base/memory.h"
#include "store/pool/pool_private.h"

#include <assert.h>

#define WAIT_FOR_A_CONNECTION SECOND

bool pool_wait(struct pool *pool, struct signal *signal, duration wait) {
    if (task_running() == NULL) {
        (void)condition_wait(&signal->threads, &pool->lock, wait);
        return false;
    }
    pthread_mutex_unlock(&pool->lock);
    bool woken = task_wait(&signal->tasks, clock_monotonic() + wait);
    pthread_mutex_lock(&pool->lock);
    return woken;
}

void pool_signal(struct signal *signal) {
    task_wake_first(&signal->tasks);
    pthread_cond_signal(&signal->threads);
}

void pool_signal_all(struct signal *signal) {
    task_wake_all(&signal->tasks);
    pthread_cond_broadcast(&signal->threads);
}

void pool_go_down(struct pool *pool, enum schema_access access) {
    static const char *const WHY[] = {
        [SCHEMA_AWAY] = "unreachable; nothing is read or written until it answers",
        [SCHEMA_REFUSED] = "it refuses our login; nothing is read or written until it accepts it (see the line before)",
        [SCHEMA_OTHER] = "its schema is not this program's; nothing is read or written until they match"};
    if (!pool_is_down(pool)) {
        log_line(LOG_ERROR, "database: %s", WHY[access]);
        pool->access = access;
        pool_signal(&pool->keeper_wakes);
        pool->promised = 0;
        pool_signal_all(&pool->given_back);
    }
}

struct pool *pool_create(const struct connection_options *options, size_t connections) {
    struct pool *pool = memory_zeroed(1, sizeof *pool);
    struct connection **idle = memory_zeroed(connections, sizeof(struct connection *));
    pool->options = options;
    pool->idle = idle;
    pool->size = connections;
    pool->idle_count = connections;
    pool->use = &pool->unwatched;
    pool->looking = connection_servers(options->config) > 1;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->given_back.threads, NULL);
    pthread_cond_init(&pool->keeper_wakes.threads, NULL);
    keeper_start(pool);
    return pool;
}

void pool_watch(struct pool *pool, struct pool_use *use) {
    pthread_mutex_lock(&pool->lock);
    pool->use = use;
    use->size = pool->size;
    pthread_mutex_unlock(&pool->lock);
}

void pool_make_ahead(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->makes_ahead = true;
    pool_signal(&pool->keeper_wakes);
    pthread_mutex_unlock(&pool->lock);
}

void pool_destroy(struct pool *pool) {
    keeper_end(pool);
    assert(pool->idle_count == pool->size);
    for (size_t i = 0; i < pool->size; i++) {
        connection_close(pool->idle[i]);
    }
    pthread_cond_destroy(&pool->keeper_wakes.threads);
    pthread_cond_destroy(&pool->given_back.threads);
    pthread_mutex_destroy(&pool->lock);
    free(pool->idle);
    free(pool);
}

/* Returns true if a new arrival can have a connection at once. */
static bool has_idle(const struct pool *pool) {
    return !pool->looking && pool->idle_count > pool->promised;
}

/* Returns the place of the idle connection to use next: of those that live, the one used last. idle_count: none lives.
 */
static size_t find_live(const struct pool *pool) {
    for (size_t at = pool->idle_count; at > 0; at--) {
        if (pool_is_live(pool, pool->idle[at - 1])) {
            return at - 1;
        }
    }
    return pool->idle_count;
}

bool pool_has_spare(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    bool is_free = !pool_is_down(pool) && has_idle(pool) && find_live(pool) < pool->idle_count;
    bool leaves_half = is_free && 2 * (pool->idle_count - pool->promised - 1) >= pool->size;
    pthread_mutex_unlock(&pool->lock);
    return leaves_half;
}

/* A woken task has a place, unless the pool has gone down. Nobody who arrives before it runs can overtake it. */
static void wait_for_place(struct pool *pool, duration until) {
    duration began_at = clock_monotonic();
    for (duration left = until - began_at; !pool_is_down(pool) && !has_idle(pool) && left > 0;
         left = until - clock_monotonic()) {
        if (pool_wait(pool, &pool->given_back, left) && pool->promised > 0) {
            pool->promised--;
            break;
        }
    }
    pool->use->waits++;
    pool->use->waited += (uint64_t)(clock_monotonic() - began_at);
}

/* A server that is switched off refuses nothing, so the search may take the connect time-out for each. */
static duration longest_wait(const struct pool *pool) {
    const struct config *config = pool->options->config;
    duration search = (duration)connection_servers(config) * config->database.connect_timeout;
    return WAIT_FOR_A_CONNECTION + (pool->looking ? search : 0);
}

/* Takes the place from the stack. The keeper replaces what is found closed on the way to it. */
static struct connection *pop_place(struct pool *pool, size_t at) {
    struct connection *idle = pool->idle[at];
    if (at < --pool->idle_count) {
        memmove(&pool->idle[at], &pool->idle[at + 1], (pool->idle_count - at) * sizeof *pool->idle);
        pool_signal(&pool->keeper_wakes);
    }
    pool->use->in_use = pool->size - pool->idle_count;
    return idle;
}

/* Waits for an idle place. *live: *out can be used as it is; else it is NULL or must be replaced. Returns false if the
 * pool is down or the wait was too long. */
static bool take_place(struct pool *pool, duration until, struct connection **out, bool *live) {
    duration longest = clock_monotonic() + longest_wait(pool);
    if (!pool_is_down(pool) && !has_idle(pool)) {
        wait_for_place(pool, until < longest ? until : longest);
    }
    if (pool_is_down(pool) || !has_idle(pool)) {
        return false;
    }
    size_t at = find_live(pool);
    *live = at < pool->idle_count;
    *out = pop_place(pool, *live ? at : pool->idle_count - 1);
    return true;
}

static void put_place(struct pool *pool, struct connection *connection) {
    pool->idle[pool->idle_count++] = connection;
    pool->use->in_use = pool->size - pool->idle_count;
    pool->promised += pool->given_back.tasks.first != NULL;
    pool_signal(&pool->given_back);
    if (!pool_is_current(pool, connection)) {
        pool_signal(&pool->keeper_wakes);
    }
}

/* An attempt that began before the pool last came up says nothing about the server now in use. */
static void note_failed_connect(struct pool *pool, enum schema_access access, unsigned recoveries) {
    pthread_mutex_lock(&pool->lock);
    put_place(pool, NULL);
    pool->use->refusals++;
    if (pool->recoveries == recoveries && find_live(pool) == pool->idle_count) {
        pool_go_down(pool, access);
    }
    pthread_mutex_unlock(&pool->lock);
}

static enum status take_connection(struct pool *pool, duration until, struct connection **out) {
    struct connection *idle;
    bool live = false;
    pthread_mutex_lock(&pool->lock);
    bool taken = take_place(pool, until, &idle, &live);
    size_t server = pool->server;
    unsigned generation = pool->generation, recoveries = pool->recoveries;
    pool->use->refusals += !taken;
    pthread_mutex_unlock(&pool->lock);
    if (!taken) {
        return STATUS_AWAY;
    }
    if (live) {
        *out = idle;
        return STATUS_OK;
    }
    connection_close(idle);
    enum schema_access access = schema_access_at(pool->options, server, out);
    if (access == SCHEMA_READY) {
        connection_set_generation(*out, generation);
        return STATUS_OK;
    }
    note_failed_connect(pool, access, recoveries);
    return STATUS_AWAY;
}

enum status pool_take_until(struct pool *pool, duration until, struct connection **out) {
    enum status status = take_connection(pool, until, out);
    if (status == STATUS_OK) {
        duration now = clock_monotonic();
        connection_lend(*out, until - now < POOL_TRYING_MAX ? until : now + POOL_TRYING_MAX, until);
    }
    return status;
}

enum status pool_take(struct pool *pool, struct connection **out) {
    enum status status = take_connection(pool, INT64_MAX, out);
    if (status == STATUS_OK) {
        connection_lend(*out, INT64_MAX, INT64_MAX);
    }
    return status;
}

void pool_give(struct pool *pool, struct connection *connection) {
    bool lost = !connection_is_usable(connection);
    bool left_open = !lost && connection_in_transaction(connection);
    if (left_open) {
        log_line(LOG_ERROR, "a request left a database transaction open; it is rolled back");
    }
    if (lost || left_open) {
        connection_close(connection);
        connection = NULL;
    }
    pthread_mutex_lock(&pool->lock);
    pool->generation += lost;
    put_place(pool, connection);
    pthread_mutex_unlock(&pool->lock);
}

enum schema_access pool_access(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    enum schema_access access = pool->access;
    pthread_mutex_unlock(&pool->lock);
    return access;
}
