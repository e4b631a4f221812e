#include "store/pool/pool.h"

#include "base/condition.h"
#include "base/loop/loop.h"
#include "base/memory.h"

#include <assert.h>

#define WAIT_FOR_A_CONNECTION SECOND
#define WAIT_BETWEEN_PROBES   (200 * MILLISECOND)
#define WAIT_BEFORE_RETURN    (5 * SECOND)

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
    struct connection **idle; /* a stack: the one used last is used next; NULL: not connected */
    size_t idle_count, size;
    size_t promised; /* idle ones promised to woken tasks; later arrivals wait behind these */
    /*
     * Incremented when a connection is lost. All connections of an earlier generation, including those lent at that
     * moment, are replaced before they are used again.
     */
    unsigned generation;
    unsigned recoveries;       /* how often the pool has come up again */
    size_t server;             /* the one in use; not the first only while no earlier one is healthy */
    enum schema_access access; /* not SCHEMA_READY: the pool is down */
    bool looking;              /* at the start, for the first healthy one of several servers; meanwhile all wait */
    bool ending;
    struct pool_use *use, unwatched;
};

/* Returns true if a task was woken; false after a time-out, and always on a thread. */
static bool wait_on_signal(struct pool *pool, struct signal *signal, duration wait) {
    if (task_running() == NULL) {
        (void)condition_wait(&signal->threads, &pool->lock, wait);
        return false;
    }
    pthread_mutex_unlock(&pool->lock);
    bool woken = task_wait(&signal->tasks, clock_monotonic() + wait);
    pthread_mutex_lock(&pool->lock);
    return woken;
}

static void send_signal(struct signal *signal) {
    task_wake_first(&signal->tasks);
    pthread_cond_signal(&signal->threads);
}

static bool is_down(const struct pool *pool) {
    return pool->access != SCHEMA_READY;
}

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

static void go_down(struct pool *pool, enum schema_access access) {
    static const char *const WHY[] = {
        [SCHEMA_AWAY] = "unreachable; nothing is read or written until it answers",
        [SCHEMA_REFUSED] = "it refuses our login; nothing is read or written until it accepts it (see the line before)",
        [SCHEMA_OTHER] = "its schema is not this program's; nothing is read or written until they match"};
    if (!is_down(pool)) {
        log_line(LOG_ERROR, "database: %s", WHY[access]);
        pool->access = access;
        send_signal(&pool->keeper_wakes);
        pool->promised = 0;
        task_wake_all(&pool->given_back.tasks);
        pthread_cond_broadcast(&pool->given_back.threads);
    }
}

/* If the first of several servers is away, no request of a new process fails because of it. */
static void look_first(struct pool *pool, size_t servers) {
    enum schema_access access = find_pool_server(pool, servers);
    pool->looking = false;
    if (access != SCHEMA_READY) {
        go_down(pool, access);
    }
    task_wake_all(&pool->given_back.tasks);
    pthread_cond_broadcast(&pool->given_back.threads);
}

static void *keep_connection(void *of_pool) {
    struct pool *pool = of_pool;
    size_t servers = connection_servers(pool->options->config);
    pthread_mutex_lock(&pool->lock);
    if (pool->looking) {
        look_first(pool, servers);
    }
    while (!pool->ending) {
        if (is_down(pool)) {
            pool->access = find_pool_server(pool, servers);
            if (is_down(pool) && !pool->ending) {
                (void)wait_on_signal(pool, &pool->keeper_wakes, WAIT_BETWEEN_PROBES);
            }
        } else if (pool->server == 0) {
            (void)wait_on_signal(pool, &pool->keeper_wakes, HOUR);
        } else {
            (void)wait_on_signal(pool, &pool->keeper_wakes, WAIT_BEFORE_RETURN);
            if (!is_down(pool) && !pool->ending) {
                (void)find_pool_server(pool, pool->server);
            }
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
static void start_keeper(struct pool *pool) {
    int error = pthread_create(&pool->keeper, NULL, keep_connection, pool);
    if (error != 0) {
        log_line(LOG_ERROR, "cannot start a thread: %s", strerror(error));
        exit(EXIT_FAILURE);
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
    pool->keeper_is_task = loop_is_open();
    if (pool->keeper_is_task) {
        task_start(keep_as_task, pool);
    } else {
        start_keeper(pool);
    }
    return pool;
}

void pool_watch(struct pool *pool, struct pool_use *use) {
    pthread_mutex_lock(&pool->lock);
    pool->use = use;
    use->size = pool->size;
    pthread_mutex_unlock(&pool->lock);
}

void pool_destroy(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    send_signal(&pool->keeper_wakes);
    pthread_mutex_unlock(&pool->lock);
    if (pool->keeper_is_task) {
        loop_run_until(&pool->keeper_has_ended);
    } else {
        pthread_join(pool->keeper, NULL);
    }
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

/* Returns true if `idle`, a place's, is connected and need not be replaced. */
static bool is_up_to_date(const struct pool *pool, const struct connection *idle) {
    return idle != NULL && connection_generation(idle) == pool->generation && connection_server(idle) == pool->server;
}

bool pool_has_spare(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    bool is_free = !is_down(pool) && has_idle(pool) && is_up_to_date(pool, pool->idle[pool->idle_count - 1]);
    bool leaves_half = is_free && 2 * (pool->idle_count - pool->promised - 1) >= pool->size;
    pthread_mutex_unlock(&pool->lock);
    return leaves_half;
}

/* A woken task has a place, unless the pool has gone down. Nobody who arrives before it runs can overtake it. */
static void wait_for_place(struct pool *pool, duration until) {
    duration began_at = clock_monotonic();
    for (duration left = until - began_at; !is_down(pool) && !has_idle(pool) && left > 0;
         left = until - clock_monotonic()) {
        if (wait_on_signal(pool, &pool->given_back, left) && pool->promised > 0) {
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

/* Waits for an idle place; *out is NULL if the place is not connected. Returns false if the pool is down or the wait
 * was too long. */
static bool take_place(struct pool *pool, duration until, struct connection **out) {
    duration longest = clock_monotonic() + longest_wait(pool);
    if (!is_down(pool) && !has_idle(pool)) {
        wait_for_place(pool, until < longest ? until : longest);
    }
    if (is_down(pool) || !has_idle(pool)) {
        return false;
    }
    *out = pool->idle[--pool->idle_count];
    pool->use->in_use = pool->size - pool->idle_count;
    return true;
}

static void put_place(struct pool *pool, struct connection *connection) {
    pool->idle[pool->idle_count++] = connection;
    pool->use->in_use = pool->size - pool->idle_count;
    pool->promised += pool->given_back.tasks.first != NULL;
    send_signal(&pool->given_back);
}

/* An attempt that began before the pool last came up says nothing about the server now in use. */
static void note_failed_connect(struct pool *pool, enum schema_access access, unsigned recoveries) {
    pthread_mutex_lock(&pool->lock);
    put_place(pool, NULL);
    pool->use->refusals++;
    if (pool->recoveries == recoveries) {
        go_down(pool, access);
    }
    pthread_mutex_unlock(&pool->lock);
}

static enum status take_connection(struct pool *pool, duration until, struct connection **out) {
    struct connection *idle;
    pthread_mutex_lock(&pool->lock);
    bool taken = take_place(pool, until, &idle);
    size_t server = pool->server;
    unsigned generation = pool->generation, recoveries = pool->recoveries;
    bool current = taken && is_up_to_date(pool, idle);
    pool->use->refusals += !taken;
    pthread_mutex_unlock(&pool->lock);
    if (!taken) {
        return STATUS_AWAY;
    }
    if (current && connection_is_quiet(idle)) {
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
