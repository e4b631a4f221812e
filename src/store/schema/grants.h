/* The grants of the programs' accounts: exactly those of sql/grants.sql. */
#ifndef RECAUDO_STORE_SCHEMA_GRANTS_H
#define RECAUDO_STORE_SCHEMA_GRANTS_H

#include "base/arena.h"
#include "store/db/connection.h"

/*
 * Gives the six accounts at `account_host` the grants of grants.sql, then takes from them, at whichever host they are,
 * what else they have: globally and in this schema (tables, columns, routines, roles). Nothing that grants.sql has is
 * missing at any moment. The connection's account must be able to create users and to read the schema `mysql`.
 * *revoked: one line for each REVOKE.
 */
enum status grants_apply(struct connection *connection, struct text account_host, struct arena *arena,
                         struct text *revoked);

#endif
