/* A pool whose server the tests can take away. */
#ifndef RECAUDO_TESTS_STORE_LINKED_POOL_H
#define RECAUDO_TESTS_STORE_LINKED_POOL_H

#include "database.h"
#include "store/pool/pool.h"

/*
 * The pool of a test, with two connections as the worker. `linked_options` may be changed before the first connection
 * is taken. It connects through a symbolic link to the server's socket. Without the link, and with its connections
 * killed, the pool sees the server as stopped.
 */
extern struct pool *linked_pool;
extern struct connection_options linked_options;

/* Fixture. */
void linked_pool_begin(void);
void linked_pool_end(void);

/* Returns the path of the link. */
const char *linked_pool_path(void);

/* From now on nobody can connect. Connections that exist go on. */
void linked_pool_close_door(void);

void linked_pool_bring_server_back(void);
void linked_pool_take_server_away(void);

struct connection *linked_pool_take(void);

/* Runs a statement on the connection. */
enum status linked_pool_use(struct connection *connection);

#endif
