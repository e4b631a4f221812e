#include "store/pool/pool_private.h"

#define WAIT_BETWEEN_PROBES   (200 * MILLISECOND)
#define WAIT_BETWEEN_CONNECTS SECOND /* after one that failed */
#define WAIT_BEFORE_RETURN    (5 * SECOND)

static enum schema_access try_server(const struct connection_options *options, size_t server) {
    struct connection *connection;
    enum schema_access access = schema_access_at(options, server, &connection);
    if (access == SCHEMA_READY) {
        access = connection_probe(connection) == STATUS_OK ? SCHEMA_READY : SCHEMA_AWAY;
        connection_close(connection);
    }
    return access;
}

/* Otherwise connections to the previous server would stay open until somebody needs their places. */
static void close_idle(struct pool *pool) {
    for (size_t i = 0; i < pool->idle_count; i++) {
        connection_close(pool->idle[i]);
        pool->idle[i] = NULL;
    }
}

static void log_server(const struct pool *pool) {
    size_t servers = connection_servers(pool->options->config);
    if (servers == 1) {
        log_line(LOG_INFO, "database: reachable again");
    } else if (!pool->looking || pool->server > 0) {
        log_line(LOG_INFO, "database: reachable%s: server %zu of %zu in [database]", pool->looking ? "" : " again",
                 pool->server + 1, servers);
    }
}

/* Looks for a healthy server among the first `count`. If there is one, the pool is up, and all of its existing
 * connections are outdated. Otherwise says why the last of them cannot be used. */
static enum schema_access find_pool_server(struct pool *pool, size_t count) {
    size_t server = 0;
    enum schema_access access = SCHEMA_AWAY;
    pthread_mutex_unlock(&pool->lock);
    while (server < count && (access = try_server(pool->options, server)) != SCHEMA_READY) {
        server++;
    }
    pthread_mutex_lock(&pool->lock);
    pool->returns_at = clock_monotonic() + WAIT_BEFORE_RETURN;
    if (server == count) {
        return access;
    }
    pool->server = server;
    pool->access = SCHEMA_READY;
    pool->generation++;
    pool->recoveries++;
    close_idle(pool);
    log_server(pool);
    log_trouble_ended();
    return SCHEMA_READY;
}

/* If the first of several servers is away, no request of a new process fails because of it. */
static void look_first(struct pool *pool, size_t servers) {
    enum schema_access access = find_pool_server(pool, servers);
    pool->looking = false;
    if (access != SCHEMA_READY) {
        pool_go_down(pool, access);
    }
    pool_signal_all(&pool->given_back);
}

/* Returns the place that was used longest ago of those to be connected ahead of their use. NULL: there is none. */
static struct connection **find_unconnected(const struct pool *pool) {
    for (size_t i = 0; pool->makes_ahead && i < pool->idle_count; i++) {
        if (!pool_is_live(pool, pool->idle[i])) {
            return &pool->idle[i];
        }
    }
    return NULL;
}

/* Returns false if the connection cannot be used: the server has closed it, or another one was lost meanwhile. */
static bool put_ahead(struct pool *pool, struct connection *connection, unsigned generation) {
    connection_set_generation(connection, generation);
    bool live = pool_is_live(pool, connection);
    struct connection **place = live ? find_unconnected(pool) : NULL;
    if (place != NULL) {
        struct connection *replaced = *place;
        *place = connection;
        connection = replaced;
    }
    connection_close(connection);
    return live;
}

/* Connects a place ahead of its use. Until then others may use the place. False: no connection can be made now. Those
 * that exist may work all the same, so the pool goes down only if a request needs another one. */
static bool connect_ahead(struct pool *pool) {
    size_t server = pool->server;
    unsigned generation = pool->generation;
    struct connection *connection;
    pthread_mutex_unlock(&pool->lock);
    bool connected = schema_access_at(pool->options, server, &connection) == SCHEMA_READY;
    pthread_mutex_lock(&pool->lock);
    bool made = connected && put_ahead(pool, connection, generation);
    if (made && pool->cannot_make) {
        log_trouble_ended();
    }
    pool->cannot_make = !made;
    return made;
}

/* How long the keeper may rest. Connections that the server has closed meanwhile are found then. `incomplete`: one
 * could not be made. */
static duration time_to_rest(const struct pool *pool, bool incomplete) {
    duration longest = incomplete ? WAIT_BETWEEN_CONNECTS : pool->makes_ahead ? MINUTE : HOUR;
    duration left = pool->server > 0 ? pool->returns_at - clock_monotonic() : longest;
    return left < longest ? (left > 0 ? left : 0) : longest;
}

/* A step while the pool is up: looks for an earlier server, or makes a connection, or rests. */
static void keep_up(struct pool *pool) {
    if (pool->server > 0 && clock_monotonic() >= pool->returns_at) {
        (void)find_pool_server(pool, pool->server);
        return;
    }
    bool incomplete = find_unconnected(pool) != NULL;
    bool made = incomplete && connect_ahead(pool);
    if (!made && !pool_is_down(pool) && !pool->ending) {
        (void)pool_wait(pool, &pool->keeper_wakes, time_to_rest(pool, incomplete));
    }
}

static void *keep_connection(void *of_pool) {
    struct pool *pool = of_pool;
    size_t servers = connection_servers(pool->options->config);
    pthread_mutex_lock(&pool->lock);
    if (pool->looking) {
        look_first(pool, servers);
    }
    while (!pool->ending) {
        if (!pool_is_down(pool)) {
            keep_up(pool);
            continue;
        }
        pool->access = find_pool_server(pool, servers);
        if (pool_is_down(pool) && !pool->ending) {
            (void)pool_wait(pool, &pool->keeper_wakes, WAIT_BETWEEN_PROBES);
        }
    }
    pool->keeper_has_ended = true;
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void keep_as_task(void *of_pool) {
    (void)keep_connection(of_pool);
}

/* Without a keeper the process would never connect, so it exits, and its supervisor starts it again. */
static void start_keeper_thread(struct pool *pool) {
    int error = pthread_create(&pool->keeper, NULL, keep_connection, pool);
    if (error != 0) {
        log_line(LOG_ERROR, "cannot start a thread: %s", strerror(error));
        exit(EXIT_FAILURE);
    }
}

void keeper_start(struct pool *pool) {
    pool->keeper_is_task = loop_is_open();
    if (pool->keeper_is_task) {
        task_start(keep_as_task, pool);
    } else {
        start_keeper_thread(pool);
    }
}

void keeper_end(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    pool_signal(&pool->keeper_wakes);
    pthread_mutex_unlock(&pool->lock);
    if (pool->keeper_is_task) {
        loop_run_until(&pool->keeper_has_ended);
    } else {
        pthread_join(pool->keeper, NULL);
    }
}
