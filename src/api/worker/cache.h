/*
 * A cache of values that requests need often, such as credentials and merchants. Values are at most 4 seconds old, so
 * an operator's change takes effect within 5. The number of values is bounded, and they are wiped when they are
 * removed. For the one thread of a worker; no function waits.
 */
#ifndef RECAUDO_API_WORKER_CACHE_H
#define RECAUDO_API_WORKER_CACHE_H

#include "base/clock.h"
#include "base/text.h"

struct cache;

/* Returns the key for a number, such as an id. It points to *number. */
static inline struct text cache_key(const uint64_t *number) {
    return (struct text){(const char *)number, sizeof *number};
}

struct cache *cache_create(size_t value_size);
void cache_destroy(struct cache *cache);

/* Copies the value of `key` to *value. False: there is none, or it is too old. */
MUST_USE bool cache_get(struct cache *cache, struct text key, void *value);

/* Whether a value of `key` is here, however old. */
MUST_USE bool cache_knows(const struct cache *cache, struct text key);

/* Stores a copy of *value. `asked_at` is the monotonic time just before it was read, from which its age counts. */
void cache_put(struct cache *cache, struct text key, duration asked_at, const void *value);

#endif
