/*
 * Allocation that cannot fail: these functions abort the process when memory runs out (doc/architecture.md, "Memory").
 * The caller owns the result and frees it with free().
 */
#ifndef RECAUDO_BASE_MEMORY_H
#define RECAUDO_BASE_MEMORY_H

#include "base/base.h"

/* Returns `made`, the result of an allocating function; aborts if it is NULL. */
MUST_USE static inline void *memory_needed(void *made) {
    if (made == NULL) {
        abort();
    }
    return made;
}

/* Returns `count` elements of `size` bytes, all zero. */
MUST_USE static inline void *memory_zeroed(size_t count, size_t size) {
    return memory_needed(calloc(count, size));
}

/* Resizes `array`, which may be NULL, to `count` elements of `size` bytes. New elements are undefined. */
MUST_USE static inline void *memory_grown(void *array, size_t count, size_t size) {
    return memory_needed(reallocarray(array, count, size));
}

#endif
