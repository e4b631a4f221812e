#include "api/worker/cache.h"

#include "base/hash.h"
#include "base/memory.h"

#define REMEMBERED_FOR (4 * SECOND)

enum { SLOTS = 256, KEY_BYTES_MAX = 200 };

struct entry {
    char key[KEY_BYTES_MAX];
    size_t key_size; /* 0: empty slot */
    duration asked_at;
};

/* Direct-mapped: two keys in one slot evict each other, which only costs a round trip. */
struct cache {
    size_t value_size;
    struct entry entries[SLOTS];
    unsigned char values[];
};

struct cache *cache_create(size_t value_size) {
    struct cache *cache = memory_zeroed(1, sizeof *cache + SLOTS * value_size);
    cache->value_size = value_size;
    return cache;
}

void cache_destroy(struct cache *cache) {
    explicit_bzero(cache, sizeof *cache + SLOTS * cache->value_size);
    free(cache);
}

static size_t slot_of(struct text key) {
    return hash_add_text(HASH_START, key) % SLOTS;
}

bool cache_knows(const struct cache *cache, struct text key) {
    const struct entry *entry = &cache->entries[slot_of(key)];
    return entry->key_size > 0 && text_equal(key, (struct text){entry->key, entry->key_size});
}

bool cache_get(struct cache *cache, struct text key, void *value) {
    size_t slot = slot_of(key);
    bool found = cache_knows(cache, key) && clock_monotonic() - cache->entries[slot].asked_at < REMEMBERED_FOR;
    if (found) {
        memcpy(value, cache->values + slot * cache->value_size, cache->value_size);
    }
    return found;
}

void cache_put(struct cache *cache, struct text key, duration asked_at, const void *value) {
    if (key.size == 0 || key.size > KEY_BYTES_MAX) {
        return;
    }
    size_t slot = slot_of(key);
    struct entry *entry = &cache->entries[slot];
    memcpy(entry->key, key.at, key.size);
    entry->key_size = key.size;
    entry->asked_at = asked_at;
    memcpy(cache->values + slot * cache->value_size, value, cache->value_size);
}
