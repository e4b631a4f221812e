/*
 * An arena: memory for one request or one delivery, given out piece by piece and taken back all at once.
 *
 * The loop that serves requests owns it and resets it in one place; whoever receives a pointer from it may keep the
 * pointer until then. Running out of memory ends the process (the supervisor starts it again). Not for several threads.
 */
#ifndef RECAUDO_BASE_ARENA_H
#define RECAUDO_BASE_ARENA_H

#include "base/text.h"

struct arena;

struct arena *arena_create(void);
void arena_destroy(struct arena *arena);

/* Takes everything back. The first block is kept, so a loop allocates from the system only for unusually large
 * requests. */
void arena_reset(struct arena *arena);

/* Zeroed memory, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);

/* A copy, followed by a NUL that its size does not count. */
struct text arena_copy(struct arena *arena, struct text from);

/* Formatted text, followed by a NUL. */
struct text arena_print(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
