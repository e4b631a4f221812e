/* The ids that the database gives to new rows (view id_counters). For the schema's owner. */
#ifndef RECAUDO_STORE_SCHEMA_ID_COUNTERS_H
#define RECAUDO_STORE_SCHEMA_ID_COUNTERS_H

#include "base/arena.h"
#include "store/db/connection.h"

struct id_counter {
    struct text table;
    uint64_t next;     /* the next row's id, or one near it where servers take turns (auto_increment_increment) */
    uint64_t greatest; /* half of what the column can hold */
};

/* Lists every table that numbers its rows, by name. The array lies in the arena. */
enum status id_counters_list(struct connection *connection, struct arena *arena, struct id_counter **out,
                             size_t *count);

/*
 * Advances every counter by `margin` (at least 1).
 * STATUS_FAULT: a column has no room for that (logged; no counter moved), or the account does not own the tables.
 */
enum status id_counters_skip(struct connection *connection, uint64_t margin, struct arena *arena);

#endif
