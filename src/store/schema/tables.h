/* The columns, keys and constraints of the schema's tables. For the schema's owner, because other accounts do not see
 * all of them. */
#ifndef RECAUDO_STORE_SCHEMA_TABLES_H
#define RECAUDO_STORE_SCHEMA_TABLES_H

#include "base/arena.h"
#include "store/db/connection.h"

/*
 * *missing: parts that sql/ creates and the database does not have, or has altered: "orders UNIQUE KEY token, TABLE
 * payment_counts". *added: parts of these tables that sql/ does not create, except keys that are not unique, because
 * those refuse nothing. Both empty if there are none, and in the arena.
 * Compares columns (type, NULL, default, how generated), keys (columns, whether statements may use them), constraints
 * (except parentheses), the engine, and whether there are partitions. Does not compare comments, and tables that sql/
 * does not create.
 */
enum status tables_compare(struct connection *connection, struct arena *arena, struct text *missing,
                           struct text *added);

/* *out: the database has a table, or view, of this name, as far as the account may see it. */
enum status table_exists(struct connection *connection, struct text name, bool *out);

#endif
