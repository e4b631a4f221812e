/* Whether the primary of several servers acknowledges only what a replica has. */
#ifndef RECAUDO_STORE_OPERATION_REPLICATION_H
#define RECAUDO_STORE_OPERATION_REPLICATION_H

#include "base/config/config.h"
#include "base/text.h"
#include "store/db/connection.h"

enum replication {
    REPLICATION_NONE, /* [database] host names one server, or the servers are a Galera cluster */
    REPLICATION_WAITS,
    REPLICATION_OFF,   /* it acknowledges alone: semi-synchronous replication is off, or waited for its time-out */
    REPLICATION_ALONE, /* no replica is connected that acknowledges */
};

/* Needs no right. */
enum status replication_look(struct connection *connection, const struct config *config, enum replication *out);

/* What is wrong, and what to do. Empty: nothing. */
struct text replication_problem(enum replication replication);

#endif
