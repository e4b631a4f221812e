/*
 * One connection to MariaDB, and the statements prepared on it.
 *
 * Every connection: UTC, strict SQL mode, READ COMMITTED, bounded lock waits, autocommit, matched rows counted
 * (CLIENT_FOUND_ROWS), never reconnected behind our back. Used by one thread or task at a time: on a task,
 * only the task waits for the server.
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

/* How many servers the configuration names; 1 with a socket. The first is preferred while it accepts writes. */
size_t connection_servers(const struct config *config);

/*
 * Connects to one of them, whatever version its schema has: whoever uses the schema calls schema_connect instead
 * (store/schema/schema.h). STATUS_OK; STATUS_AWAY: no database there, or one of several that does not accept writes (a
 * replica, a Galera node without its cluster); STATUS_FAULT: refused. Logs why.
 */
enum status connection_open_at(const struct connection_options *options, size_t server, struct connection **out);

/* Connects to the first one that accepts writes. As above; the status of the last one tried. */
enum status connection_open(const struct connection_options *options, struct connection **out);

/* The server of a connection: 0 is the first. */
size_t connection_server(const struct connection *connection);

void connection_close(struct connection *connection);

/* False when the connection was lost: close it. */
bool connection_is_usable(const struct connection *connection);

/* False when the server has closed it, or says something unasked, while nothing ran on it. Costs no round trip. */
bool connection_is_quiet(const struct connection *connection);

/*
 * A number that the pool gives a connection when it makes it, and reads when it gets it back: of which generation the
 * connection is (store/pool/pool.c). 0 at first.
 */
void connection_set_generation(struct connection *connection, unsigned generation);
unsigned connection_generation(const struct connection *connection);

/*
 * Whoever takes it over may begin tries on it until `tries_until`, a moment of clock_monotonic; INT64_MAX, as at first:
 * without end. On a task (base/loop/task.h), a statement that is unanswered at `until` fails as if the connection had
 * been lost.
 */
void connection_lend(struct connection *connection, duration tries_until, duration until);

/* False: the time for tries is over; what could be tried again is given up. */
bool connection_may_try_again(const struct connection *connection);

/* A transaction is open on it. */
bool connection_in_transaction(const struct connection *connection);

/* Asks the server something that only a working one answers. STATUS_OK or STATUS_AWAY. */
enum status connection_probe(struct connection *connection);

#endif
