/* The numbers that the database gives to new rows (view id_counters). For the schema's owner. */
#ifndef RECAUDO_STORE_SCHEMA_ID_COUNTERS_H
#define RECAUDO_STORE_SCHEMA_ID_COUNTERS_H

#include "base/arena.h"
#include "store/db/connection.h"

struct id_counter {
    struct text table;
    uint64_t
        next; /* the id that the next row gets, or one near it where servers take turns (auto_increment_increment) */
};

/* Every table that numbers its rows, by name. The array is the arena's. */
enum status id_counters_list(struct connection *connection, struct arena *arena, struct id_counter **out,
                             size_t *count);

/*
 * Moves every counter on by `margin` (1 at least).
 * STATUS_FAULT: a column has no room for it (logged; nothing was moved), or the account does not own the tables.
 */
enum status id_counters_skip(struct connection *connection, uint64_t margin, struct arena *arena);

#endif
