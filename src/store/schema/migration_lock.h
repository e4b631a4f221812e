/* One migration at a time. For schema.c. */
#ifndef RECAUDO_STORE_SCHEMA_MIGRATION_LOCK_H
#define RECAUDO_STORE_SCHEMA_MIGRATION_LOCK_H

#include "base/arena.h"
#include "store/db/connection.h"

/*
 * Takes the server's lock for as long as the connection's session lives. A program that is killed leaves a session that
 * works on what it was sent, and the lock with it.
 * STATUS_AGAIN, logged: another session has the lock. STATUS_FAULT, logged: the server is read only.
 */
enum status migration_lock_take(struct connection *connection);

/* In a statement: how many servers a cluster has, by the addresses of its members (wsrep_incoming_addresses). An
 * arbitrator (garbd) has none; a server that knows none of its own has AUTO. */
#define SQL_SERVERS_AT(addresses) "CHAR_LENGTH(REGEXP_REPLACE(REGEXP_REPLACE(" addresses ", '[^,]+', '1'), ',', ''))"

/*
 * For a migration that began and did not end, in a cluster (Galera), whose servers do not share the lock: STATUS_OK if
 * none runs through another server; `config` names them.
 * STATUS_AGAIN, logged: one runs; this one's lock is given back. STATUS_FAULT, logged: a server of the cluster could
 * not be asked.
 */
enum status migration_lock_ask_cluster(struct connection *connection, const struct config *config, struct arena *arena);

#endif
