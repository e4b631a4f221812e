/* The rights that sql/grants.sql gives and an account has not: they were revoked, or went with a function that was
 * dropped. */
#ifndef RECAUDO_STORE_SCHEMA_RIGHTS_H
#define RECAUDO_STORE_SCHEMA_RIGHTS_H

#include "base/arena.h"
#include "store/db/connection.h"

/*
 * *missing: of all accounts at `account_host`, "INSERT on attempts for recaudo_deliverer, UPDATE (state) on
 * notifications for recaudo_deliverer, FUNCTION payment_confirm for recaudo_worker"; empty: none is. In the arena. For
 * the schema's owner, who must be allowed to read the schema mysql.
 */
enum status rights_missing(struct connection *connection, struct text account_host, struct arena *arena,
                           struct text *missing);

/* Of the workers, whose connection this is, and only what requests need: not what /readyz and /metrics read. */
enum status rights_missing_for_requests(struct connection *connection, struct arena *arena, struct text *missing);

/* Logs what is missing for requests, and the remedy. */
void rights_tell_missing(struct text missing);

#endif
