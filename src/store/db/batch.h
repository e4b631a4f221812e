/* A batch of rows claimed for one database transaction. Their ids travel as one JSON array, so a whole batch costs a
 * few round trips. */
#ifndef RECAUDO_STORE_DB_BATCH_H
#define RECAUDO_STORE_DB_BATCH_H

#include "store/db/sql.h"

/* The batch's ids as a table, in a statement whose parameter is the array. An UPDATE joins to it with STRAIGHT_JOIN and
 * FORCE INDEX (PRIMARY); otherwise MariaDB scans small tables and locks all their rows. */
#define BATCH "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch"

/* Runs a statement whose parameters are bound, whose only column is an id and which returns at most `limit` rows. *ids
 * lies in the arena. STATUS_NONE: no row. */
enum status batch_read(struct sql *sql, uint64_t limit, struct arena *arena, struct text *ids, uint64_t *count);

/* The same for a statement whose only parameter is the limit. */
enum status batch_lock(struct connection *connection, enum statement statement, uint64_t limit, struct arena *arena,
                       struct text *ids, uint64_t *count);

/* Runs a statement whose only parameter is the array of ids. */
enum status batch_run(struct connection *connection, enum statement statement, struct text ids, uint64_t *matched);

#endif
