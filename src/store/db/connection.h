/*
 * One connection to MariaDB, and the statements prepared on it.
 *
 * Every connection: UTC, strict SQL mode, READ COMMITTED, bounded lock waits, autocommit, matched rows counted
 * (CLIENT_FOUND_ROWS), no automatic reconnect. One thread or task uses it at a time. On a task, only the task waits for
 * the server.
 */
#ifndef RECAUDO_STORE_DB_CONNECTION_H
#define RECAUDO_STORE_DB_CONNECTION_H

#include "base/config/config.h"
#include "base/status.h"

struct connection;

struct connection_options {
    const struct config *config;          /* must outlive the connections */
    const struct account_config *account; /* one of config->database */
    unsigned lock_wait;                   /* seconds that a statement waits for a lock; 0: CONNECTION_LOCK_WAIT */
};

enum { CONNECTION_LOCK_WAIT = 4 };

/* Returns how many servers the configuration names; 1 with a socket. The first is preferred while it accepts writes. */
size_t connection_servers(const struct config *config);

/*
 * Connects to server number `server`, whatever its schema's version; programs that use the schema call schema_connect
 * (store/schema/schema.h). Logs failures.
 * STATUS_AWAY: no database there, or one of several servers that does not accept writes (a replica, a Galera node
 * without its cluster).
 * STATUS_FAULT: the login was refused, or a file that it needs cannot be used.
 */
enum status connection_open_at(const struct connection_options *options, size_t server, struct connection **out);

/* Connects to the first server that accepts writes. On failure returns the last server's status, as above. */
enum status connection_open(const struct connection_options *options, struct connection **out);

/* Returns the connection's server; 0 is the first. */
size_t connection_server(const struct connection *connection);

void connection_close(struct connection *connection);

/* Returns false if the connection was lost. Close it then. */
bool connection_is_usable(const struct connection *connection);

/* Returns false if the server has closed the idle connection or sent something unasked. Costs no round trip. */
bool connection_is_quiet(const struct connection *connection);

/*
 * The generation to which a connection belongs; 0 at first. The pool sets it on connecting and compares it when the
 * connection is taken again (store/pool/pool.c).
 */
void connection_set_generation(struct connection *connection, unsigned generation);
unsigned connection_generation(const struct connection *connection);

/*
 * Sets two limits on clock_monotonic, both at first INT64_MAX (no limit). After `tries_until` nothing is retried on the
 * connection. On a task (base/loop/task.h), a statement that is unanswered at `until` fails as if the connection had
 * been lost.
 */
void connection_lend(struct connection *connection, duration tries_until, duration until);

/* Returns false once the time for retries (connection_lend) is over. */
bool connection_may_try_again(const struct connection *connection);

/* After STATUS_AGAIN of a statement or sql_transact: returns true if the server is read-only, so that it refuses other
 * writes too. */
bool connection_met_read_only(const struct connection *connection);

/* Returns true if a transaction is open on the connection. */
bool connection_in_transaction(const struct connection *connection);

/* Sends a statement that only a working server answers. STATUS_OK or STATUS_AWAY. */
enum status connection_probe(struct connection *connection);

#endif
