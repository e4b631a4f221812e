/*
 * An arena: memory for one request or one delivery, allocated piece by piece and freed all at once.
 *
 * The loop that serves requests owns the arena and resets it in one place. A pointer from the arena is valid until
 * then. When memory runs out, the process aborts and the supervisor starts another. An arena belongs to one thread.
 */
#ifndef RECAUDO_BASE_ARENA_H
#define RECAUDO_BASE_ARENA_H

#include "base/text.h"

#include <stdarg.h>

struct arena;

struct arena *arena_create(void);

/* `arena` may be NULL. */
void arena_destroy(struct arena *arena);

/* Frees everything allocated from the arena. It keeps its first block, so a loop allocates from the system only for
 * unusually large requests. */
void arena_reset(struct arena *arena);

/* Returns zeroed memory, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);

/* Returns `size` bytes, of which the first `used` are copied from `from` and the others are zero. `from` stays valid.
 */
void *arena_enlarge(struct arena *arena, const void *from, size_t used, size_t size);

/* Returns a copy, followed by a NUL that its size does not count. */
struct text arena_copy(struct arena *arena, struct text from);

/* Returns formatted text, followed by a NUL. */
struct text arena_print(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
struct text arena_vprint(struct arena *arena, const char *format, va_list arguments) PRINTF_LIKE(2, 0);

#endif
