/*
 * One connection to MariaDB, and the statements prepared on it.
 *
 * Every connection: UTC, strict SQL mode, READ COMMITTED, lock waits of 4 s, autocommit, matched rows counted (CLIENT_FOUND_ROWS), never
 * reconnected behind our back. Used by one thread at a time.
 */
#ifndef RECAUDO_STORE_CONNECTION_H
#define RECAUDO_STORE_CONNECTION_H

#include "base/config.h"
#include "base/status.h"

struct connection;

struct connection_options {
    const struct config *config;          /* must outlive the connections */
    const struct account_config *account; /* one of config->database */
    bool any_schema;                      /* do not compare the schema's version (for `db migrate` and `db status`) */
};

/* Connects. STATUS_OK; STATUS_AWAY: no database there; STATUS_FAULT: refused, or a schema this program does not know. Logs why. */
enum status connection_open(const struct connection_options *options, struct connection **out);

void connection_close(struct connection *connection);

/* False when the connection was lost: close it. */
bool connection_is_usable(const struct connection *connection);

/* False when the server has closed it, or says something unasked, while nothing ran on it. Costs no round trip. */
bool connection_is_quiet(const struct connection *connection);

/* A transaction is open on it. */
bool connection_in_transaction(const struct connection *connection);

/* Asks the server something that only a working one answers. STATUS_OK or STATUS_AWAY. */
enum status connection_probe(struct connection *connection);

#endif
