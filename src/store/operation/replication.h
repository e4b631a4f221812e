/* Whether the primary of several servers acknowledges a commit only once a replica has it. */
#ifndef RECAUDO_STORE_OPERATION_REPLICATION_H
#define RECAUDO_STORE_OPERATION_REPLICATION_H

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

#endif
