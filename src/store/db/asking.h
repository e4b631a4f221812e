/*
 * Calls of the client library that wait for the server's answer. On a task (base/loop/task.h) only the task waits. If
 * no answer comes before the connection's loan ends (connection_lend), the call fails as if the connection had been
 * lost. Outside a task the thread waits.
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

/* ask_connect also registers the connection with the loop. Call ask_end before the library closes the connection. */
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
