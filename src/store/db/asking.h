/*
 * What is asked of the server through the client library: calls that wait for its answer. On a task (base/loop/task.h)
 * only the task waits, and not after the moment until which the connection is lent: then the call fails as if the
 * connection had been lost. Elsewhere the thread waits.
 *
 * Each returns what the library's function of that name does. Only for this folder and store/schema.
 */
#ifndef RECAUDO_STORE_DB_ASKING_H
#define RECAUDO_STORE_DB_ASKING_H

#include "store/db/connection_private.h"

struct server_address {
    const char *host, *user, *password, *database, *socket;
    unsigned port;
    unsigned long flags;
};

/* After it the loop watches the connection, until ask_end; to be called before the library closes it. */
bool ask_connect(struct connection *connection, const struct server_address *to);
void ask_end(struct connection *connection);

int ask_query(struct connection *connection, const char *text, size_t size);
int ask_next_result(struct connection *connection);
MYSQL_RES *ask_store_result(struct connection *connection);
int ask_prepare(struct connection *connection, MYSQL_STMT *statement, const char *text);
int ask_execute(struct connection *connection, MYSQL_STMT *statement);
int ask_fetch(struct connection *connection, MYSQL_STMT *statement);
void ask_free_result(struct connection *connection, MYSQL_STMT *statement);

#endif
