/* 64-bit FNV-1a, for hash tables whose keys an attacker cannot choose, or where a collision costs little. */
#ifndef RECAUDO_BASE_HASH_H
#define RECAUDO_BASE_HASH_H

#include "base/text.h"

#define HASH_START UINT64_C(14695981039346656037)

/* Continues `hash` (HASH_START at first) with these bytes. Returns the new hash. */
static inline uint64_t hash_add(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static inline uint64_t hash_add_text(uint64_t hash, struct text text) {
    return hash_add(hash, text.at, text.size);
}

#endif
