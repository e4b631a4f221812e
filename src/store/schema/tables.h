/* The columns, keys and constraints of the schema's tables. For the schema's owner, who alone sees all. */
#ifndef RECAUDO_STORE_SCHEMA_TABLES_H
#define RECAUDO_STORE_SCHEMA_TABLES_H

#include "base/arena.h"
#include "store/db/connection.h"

/*
 * *missing: what sql/ makes and the database has not, "orders UNIQUE KEY token, TABLE payment_counts"; what was altered
 * is among it. *added: what is in those tables and sql/ does not make, keys that are not unique left out: they refuse
 * nothing. Empty: nothing is. Compared are the type of each column, whether it may be NULL and how it is generated; the
 * columns of each key, and whether statements may use it; what each constraint demands, but for its parentheses; and
 * the engine. Not compared are defaults and comments, and tables that sql/ does not make. In the arena.
 */
enum status tables_compare(struct connection *connection, struct arena *arena, struct text *missing,
                           struct text *added);

#endif
