/*
 * What requests need again and again and may be 4 seconds old, so that what an operator changes takes effect within 5:
 * networks' credentials, merchants. Holds a bounded number of values, wiped at the end. Safe for many threads.
 */
#ifndef RECAUDO_API_WORKER_CACHE_H
#define RECAUDO_API_WORKER_CACHE_H

#include "base/clock.h"
#include "base/text.h"

struct cache;

struct cache *cache_create(size_t value_size);
void cache_destroy(struct cache *cache);

/* Copies the value of `key` out. False when there is none, or none young enough. */
MUST_USE bool cache_get(struct cache *cache, struct text key, void *value);

/* `asked_at`: when the value began to be read, by the monotonic clock, so that it never seems younger than it is. */
void cache_put(struct cache *cache, struct text key, duration asked_at, const void *value);

#endif
