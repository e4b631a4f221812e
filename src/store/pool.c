#include "store/pool.h"

#include <assert.h>
#include <pthread.h>

#define WAIT_FOR_A_CONNECTION SECOND
#define WAIT_BETWEEN_PROBES   (200 * MILLISECOND)

struct slot {
    struct connection *connection; /* NULL: not connected */
    unsigned generation;           /* of the pool, when it was connected */
};

struct pool {
    const struct connection_options *options;
    pthread_mutex_t lock;
    pthread_cond_t given_back, keeper_wakes;
    pthread_t keeper;
    struct slot *idle; /* a stack: the one used last is used next */
    size_t idle_count, size;
    unsigned generation; /* goes up when a connection is lost: the others of its time are then not to be trusted */
    bool down, ending;
};

static struct timespec deadline_in(duration wait) {
    duration at = clock_monotonic() + wait;
    return (struct timespec){.tv_sec = at / SECOND, .tv_nsec = at % SECOND * 1000};
}

/* Connects and asks; on success the pool is up and has one more idle connection of the new generation. */
static bool try_to_come_back(struct pool *pool) {
    struct connection *connection;
    pthread_mutex_unlock(&pool->lock);
    enum status status = connection_open(pool->options, &connection);
    if (status == STATUS_OK && connection_probe(connection) != STATUS_OK) {
        connection_close(connection);
        status = STATUS_AWAY;
    } else if (status == STATUS_OK) {
        connection_close(connection);
    }
    pthread_mutex_lock(&pool->lock);
    return status == STATUS_OK;
}

static void *keep(void *of_pool) {
    struct pool *pool = of_pool;
    pthread_mutex_lock(&pool->lock);
    while (!pool->ending) {
        if (!pool->down) {
            pthread_cond_wait(&pool->keeper_wakes, &pool->lock);
        } else if (try_to_come_back(pool)) {
            pool->down = false;
            pool->generation++;
            log_line(LOG_INFO, "database: back");
            log_trouble_ended();
        } else if (!pool->ending) {
            struct timespec until = deadline_in(WAIT_BETWEEN_PROBES);
            pthread_cond_timedwait(&pool->keeper_wakes, &pool->lock, &until);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct pool *pool_create(const struct connection_options *options, size_t connections) {
    struct pool *pool = calloc(1, sizeof *pool);
    struct slot *idle = calloc(connections, sizeof *idle);
    if (pool == NULL || idle == NULL) {
        abort();
    }
    pool->options = options;
    pool->idle = idle;
    pool->size = connections;
    pool->idle_count = connections;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->given_back, &monotonic);
    pthread_cond_init(&pool->keeper_wakes, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&pool->keeper, NULL, keep, pool) != 0) {
        abort();
    }
    return pool;
}

void pool_destroy(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    pthread_cond_signal(&pool->keeper_wakes);
    pthread_mutex_unlock(&pool->lock);
    pthread_join(pool->keeper, NULL);
    assert(pool->idle_count == pool->size);
    for (size_t i = 0; i < pool->size; i++) {
        connection_close(pool->idle[i].connection);
    }
    pthread_cond_destroy(&pool->keeper_wakes);
    pthread_cond_destroy(&pool->given_back);
    pthread_mutex_destroy(&pool->lock);
    free(pool->idle);
    free(pool);
}

static void go_down(struct pool *pool) {
    if (!pool->down) {
        log_line(LOG_ERROR, "database: away; answering 0028 until it is back");
        pool->down = true;
        pthread_cond_signal(&pool->keeper_wakes);
        pthread_cond_broadcast(&pool->given_back);
    }
}

/* Waits for an idle slot. False when the pool is down or the wait was too long. */
static bool take_slot(struct pool *pool, struct slot *out) {
    struct timespec until = deadline_in(WAIT_FOR_A_CONNECTION);
    int waited = 0;
    while (!pool->down && pool->idle_count == 0 && waited == 0) {
        waited = pthread_cond_timedwait(&pool->given_back, &pool->lock, &until);
    }
    if (pool->down || pool->idle_count == 0) {
        return false;
    }
    *out = pool->idle[--pool->idle_count];
    return true;
}

static void put_slot(struct pool *pool, struct slot slot) {
    pool->idle[pool->idle_count++] = slot;
    pthread_cond_signal(&pool->given_back);
}

enum status pool_take(struct pool *pool, struct connection **out) {
    struct slot slot;
    pthread_mutex_lock(&pool->lock);
    bool taken = take_slot(pool, &slot);
    bool current = taken && slot.connection != NULL && slot.generation == pool->generation;
    pthread_mutex_unlock(&pool->lock);
    if (!taken) {
        return STATUS_AWAY;
    }
    if (current && connection_is_quiet(slot.connection)) {
        *out = slot.connection;
        return STATUS_OK;
    }
    connection_close(slot.connection);
    if (connection_open(pool->options, out) == STATUS_OK) {
        return STATUS_OK;
    }
    pthread_mutex_lock(&pool->lock);
    put_slot(pool, (struct slot){NULL, 0});
    go_down(pool);
    pthread_mutex_unlock(&pool->lock);
    return STATUS_AWAY;
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
    put_slot(pool, (struct slot){connection, pool->generation});
    pthread_mutex_unlock(&pool->lock);
}

bool pool_is_up(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    bool up = !pool->down;
    pthread_mutex_unlock(&pool->lock);
    return up;
}
