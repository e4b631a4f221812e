#include "base/arena.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdarg.h>

/* In bytes. Printed text is usually shorter than USUAL_PRINT and is then formatted only once. */
enum { FIRST_BLOCK = 32 * 1024, USUAL_PRINT = 512 };

struct block {
    struct block *next;
    size_t size;
    size_t used;
    alignas(max_align_t) unsigned char bytes[];
};

struct arena {
    struct block *current;
};

static struct block *block_create(size_t size, struct block *next) {
    struct block *block = memory_needed(malloc(sizeof *block + size));
    block->next = next;
    block->size = size;
    block->used = 0;
    return block;
}

struct arena *arena_create(void) {
    struct arena *arena = memory_needed(malloc(sizeof *arena));
    arena->current = block_create(FIRST_BLOCK, NULL);
    return arena;
}

void arena_reset(struct arena *arena) {
    while (arena->current->next != NULL) {
        struct block *next = arena->current->next;
        free(arena->current);
        arena->current = next;
    }
    arena->current->used = 0;
}

void arena_destroy(struct arena *arena) {
    if (arena != NULL) {
        arena_reset(arena);
        free(arena->current);
        free(arena);
    }
}

void *arena_alloc(struct arena *arena, size_t size) {
    size_t rounded = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (rounded < size) {
        abort();
    }
    if (arena->current->size - arena->current->used < rounded) {
        arena->current = block_create(rounded > FIRST_BLOCK ? rounded : FIRST_BLOCK, arena->current);
    }
    void *memory = arena->current->bytes + arena->current->used;
    arena->current->used += rounded;
    return memset(memory, 0, rounded);
}

void *arena_enlarge(struct arena *arena, const void *from, size_t used, size_t size) {
    void *larger = arena_alloc(arena, size);
    if (used > 0) {
        memcpy(larger, from, used);
    }
    return larger;
}

struct text arena_copy(struct arena *arena, struct text from) {
    return (struct text){arena_enlarge(arena, from.at, from.size, from.size + 1), from.size};
}

struct text arena_vprint(struct arena *arena, const char *format, va_list arguments) {
    char room[USUAL_PRINT];
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(room, sizeof room, format, arguments);
    if (size < 0) {
        abort();
    }
    char *to = room;
    if ((size_t)size >= sizeof room) {
        to = arena_alloc(arena, (size_t)size + 1);
        vsnprintf(to, (size_t)size + 1, format, again);
    }
    va_end(again);
    return to == room ? arena_copy(arena, (struct text){room, (size_t)size}) : (struct text){to, (size_t)size};
}

struct text arena_print(struct arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    struct text printed = arena_vprint(arena, format, arguments);
    va_end(arguments);
    return printed;
}
