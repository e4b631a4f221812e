/* How several servers wait for each other: whether the primary acknowledges a commit only once a replica has it, and
 * how long a server of a Galera cluster waits until it has what the others have committed. */
#ifndef RECAUDO_STORE_OPERATION_REPLICATION_H
#define RECAUDO_STORE_OPERATION_REPLICATION_H

#include "base/arena.h"
#include "base/config/config.h"
#include "base/text.h"
#include "store/db/connection.h"

enum replication {
    REPLICATION_NONE, /* [database] host names one server, or the servers are a Galera cluster */
    REPLICATION_WAITS,
    REPLICATION_OFF, /* it acknowledges without a replica: semi-synchronous replication is off, or its wait timed out */
    REPLICATION_ALONE, /* no replica that acknowledges is connected */
};

/* Reads the state; needs no right. */
enum status replication_look(struct connection *connection, const struct config *config, enum replication *out);

/* Returns what is wrong, and the remedy; empty if nothing is. */
struct text replication_problem(enum replication replication);

/* *out: repl.causal_read_timeout of the server; 0: as for REPLICATION_NONE of one server, or there is no cluster. */
enum status replication_causal_wait(struct connection *connection, const struct config *config, duration *out);

/* Returns why programs would stay with a server that lags instead of using the next one, and the remedy; empty if they
 * would not. In the arena. */
struct text replication_short_wait(duration causal_wait, const struct config *config, struct arena *arena);

#endif
