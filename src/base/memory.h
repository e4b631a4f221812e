/*
 * What the process cannot go on without: these abort when there is no memory (doc/architecture.md, "Memory"). free()
 * releases what they return.
 */
#ifndef RECAUDO_BASE_MEMORY_H
#define RECAUDO_BASE_MEMORY_H

#include "base/base.h"

/* Returns `made`, what a function that allocates has returned; aborts when that is NULL. */
MUST_USE static inline void *memory_needed(void *made) {
    if (made == NULL) {
        abort();
    }
    return made;
}

/* `count` elements of `size` bytes, all zero. */
MUST_USE static inline void *memory_zeroed(size_t count, size_t size) {
    return memory_needed(calloc(count, size));
}

/* The array with room for `count` elements of `size` bytes; NULL begins one. New elements are undefined. */
MUST_USE static inline void *memory_grown(void *array, size_t count, size_t size) {
    return memory_needed(reallocarray(array, count, size));
}

#endif
