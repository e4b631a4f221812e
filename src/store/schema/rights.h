/* Rights in sql/grants.sql that an account does not have: they were revoked, or were lost with a dropped function. */
#ifndef RECAUDO_STORE_SCHEMA_RIGHTS_H
#define RECAUDO_STORE_SCHEMA_RIGHTS_H

#include "base/arena.h"
#include "store/db/connection.h"

/*
 * *missing: the missing rights of all accounts at `account_host`, "INSERT on attempts for recaudo_deliverer, UPDATE
 * (state) on notifications for recaudo_deliverer, FUNCTION payments_confirm for recaudo_worker"; of more than eight the
 * first, "and 5 more"; empty if there are none. In the arena. For the schema's owner, who must be allowed to read the
 * schema mysql.
 */
enum status rights_missing(struct connection *connection, struct text account_host, struct arena *arena,
                           struct text *missing);

/* *accounts: the accounts that may drop the schema's triggers, and so its rules, such as
 * "'recaudo_backup'@'localhost'"; empty: none. Without the owner and accounts with rights on all schemas. In the arena.
 * For the owner. */
enum status rights_on_triggers(struct connection *connection, struct arena *arena, struct text *accounts);

/* What rights_missing does, for the workers, on their own connection. Covers what requests need, not what /readyz and
 * /metrics read. */
enum status rights_missing_for_requests(struct connection *connection, struct arena *arena, struct text *missing);

/* Logs which rights are missing for requests, and the remedy. */
void rights_tell_missing(struct text missing);

#endif
