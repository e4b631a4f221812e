#include "store/pool/cutter.h"

#include "base/condition.h"
#include "base/memory.h"

struct watched {
    struct connection *connection; /* NULL: free */
    duration until;
};

struct cutter {
    pthread_mutex_t lock;
    pthread_cond_t wakes;
    pthread_t thread;
    struct watched *places;
    size_t size, count;
    bool asleep, ending;
};

static void cut_overdue(struct cutter *cutter) {
    duration now = clock_monotonic();
    for (size_t i = 0; i < cutter->size; i++) {
        struct watched *watched = &cutter->places[i];
        if (watched->connection != NULL && now >= watched->until) {
            connection_cut(watched->connection);
            watched->until = INT64_MAX;
        }
    }
}

static void *run_cutter(void *of_cutter) {
    struct cutter *cutter = of_cutter;
    pthread_mutex_lock(&cutter->lock);
    while (!cutter->ending) {
        cutter->asleep = cutter->count == 0;
        if (cutter->asleep) {
            pthread_cond_wait(&cutter->wakes, &cutter->lock);
            cutter->asleep = false;
        } else {
            condition_wait(&cutter->wakes, &cutter->lock, CUTTER_LATE);
            cut_overdue(cutter);
        }
    }
    pthread_mutex_unlock(&cutter->lock);
    return NULL;
}

struct cutter *cutter_create(size_t size) {
    struct cutter *cutter = memory_zeroed(1, sizeof *cutter);
    struct watched *places = memory_zeroed(size, sizeof *places);
    cutter->places = places;
    cutter->size = size;
    pthread_mutex_init(&cutter->lock, NULL);
    condition_init(&cutter->wakes);
    if (pthread_create(&cutter->thread, NULL, run_cutter, cutter) != 0) {
        abort();
    }
    return cutter;
}

void cutter_destroy(struct cutter *cutter) {
    pthread_mutex_lock(&cutter->lock);
    cutter->ending = true;
    pthread_cond_signal(&cutter->wakes);
    pthread_mutex_unlock(&cutter->lock);
    pthread_join(cutter->thread, NULL);
    pthread_cond_destroy(&cutter->wakes);
    pthread_mutex_destroy(&cutter->lock);
    free(cutter->places);
    free(cutter);
}

void cutter_watch(struct cutter *cutter, struct connection *connection, duration until) {
    pthread_mutex_lock(&cutter->lock);
    size_t at = 0;
    while (cutter->places[at].connection != NULL) {
        at++;
    }
    cutter->places[at] = (struct watched){connection, until};
    cutter->count++;
    if (cutter->asleep) {
        pthread_cond_signal(&cutter->wakes);
    }
    pthread_mutex_unlock(&cutter->lock);
}

void cutter_forget(struct cutter *cutter, const struct connection *connection) {
    pthread_mutex_lock(&cutter->lock);
    for (size_t i = 0; i < cutter->size; i++) {
        if (cutter->places[i].connection == connection) {
            cutter->places[i].connection = NULL;
            cutter->count--;
        }
    }
    pthread_mutex_unlock(&cutter->lock);
}
