/* What is asked before a migration begins, because one that began must not fail. Each refusal is STATUS_FAULT, logged.
 * For schema.c. */
#ifndef RECAUDO_STORE_SCHEMA_MIGRATION_CHECKS_H
#define RECAUDO_STORE_SCHEMA_MIGRATION_CHECKS_H

#include "base/arena.h"
#include "store/db/connection.h"

/* Refuses a table, or view, that is there already, though a migration is to make one of this name. */
enum status migration_check_name(struct connection *connection, struct text table);

/* Refuses a database of this version (0: without one) in which the script would meet tables, views, routines or
 * triggers that are not ours, or wait for a forgotten transaction. */
enum status migration_check_database(struct connection *connection, unsigned version, struct text script,
                                     struct arena *arena);

/* Refuses a server that would refuse a part of the migration midway. Also asked before one goes on. */
enum status migration_check_server(struct connection *connection);

/* Refuses an owner who lacks a right that the migration, or what follows it, needs midway, and accounts that are not
 * there to be given theirs. Also asked before one goes on. */
enum status migration_check_rights(struct connection *connection, struct text account_host, struct arena *arena);

#endif
