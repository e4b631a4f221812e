#include "outbound/http_pool.h"

#include "base/memory.h"

#include <pthread.h>

struct member {
    struct http_client *client; /* NULL: not made yet */
    uint64_t place;             /* where it was used last; 0: nowhere */
};

/* The idle ones as a stack: the top was used last. Those not made yet lie at the bottom. */
struct http_pool {
    const struct address_guard *guard;
    const char *ca_file;
    pthread_mutex_t lock;
    size_t idle_count;
    struct member idle[];
};

struct http_pool *http_pool_create(const struct address_guard *guard, size_t size, const char *ca_file) {
    struct http_pool *pool = memory_zeroed(1, sizeof *pool + size * sizeof pool->idle[0]);
    pool->guard = guard;
    pool->ca_file = ca_file;
    pool->idle_count = size;
    pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

void http_pool_destroy(struct http_pool *pool) {
    for (size_t i = 0; i < pool->idle_count; i++) {
        http_client_destroy(pool->idle[i].client);
    }
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* The one used last for this place, else the bottom one: a new one, or the one that has been idle for longest. */
static size_t choose_client(const struct http_pool *pool, uint64_t place) {
    for (size_t i = pool->idle_count; i > 0; i--) {
        if (pool->idle[i - 1].place == place) {
            return i - 1;
        }
    }
    return 0;
}

struct http_client *http_pool_take(struct http_pool *pool, uint64_t place) {
    pthread_mutex_lock(&pool->lock);
    if (pool->idle_count == 0) {
        abort();
    }
    size_t chosen = choose_client(pool, place);
    struct http_client *client = pool->idle[chosen].client;
    pool->idle_count--;
    memmove(&pool->idle[chosen], &pool->idle[chosen + 1], (pool->idle_count - chosen) * sizeof pool->idle[0]);
    pthread_mutex_unlock(&pool->lock);
    return client == NULL ? http_client_create(pool->guard, 1, pool->ca_file) : client;
}

void http_pool_give(struct http_pool *pool, struct http_client *client, uint64_t place) {
    pthread_mutex_lock(&pool->lock);
    pool->idle[pool->idle_count++] = (struct member){client, place};
    pthread_mutex_unlock(&pool->lock);
}
