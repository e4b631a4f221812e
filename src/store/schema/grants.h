/* The grants of the programs' accounts: exactly those of sql/grants.sql. */
#ifndef RECAUDO_STORE_SCHEMA_GRANTS_H
#define RECAUDO_STORE_SCHEMA_GRANTS_H

#include "base/arena.h"
#include "store/db/connection.h"

/*
 * Gives the six accounts at `account_host` the grants of grants.sql. Then revokes every other right that these accounts
 * have, at any host: global ones and those in this schema (tables, columns, routines, roles). A right in grants.sql is
 * never missing meanwhile. A missing account is an error; it is not created. The connection's account must be allowed
 * to create users and to read the schema `mysql`. *revoked: one line for each REVOKE.
 */
enum status grants_apply(struct connection *connection, struct text account_host, struct arena *arena,
                         struct text *revoked);

/* Tries whether the connection's account may do that, without a change that stays. STATUS_FAULT, logged: it may not. */
enum status grants_try(struct connection *connection, struct arena *arena);

/* *accounts: recaudo's accounts, at any host, that log in by password and have none, separated by commas; empty if
 * there are none. The connection's account must be allowed to read the schema `mysql`. */
enum status grants_without_password(struct connection *connection, struct arena *arena, struct text *accounts);

/* *accounts: those of sql/grants.sql that do not exist at this host; otherwise the same. */
enum status grants_without_account(struct connection *connection, struct text account_host, struct arena *arena,
                                   struct text *accounts);

#endif
