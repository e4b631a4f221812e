/* A batch of rows claimed for one database transaction: their ids travel as one JSON array, so that a whole batch costs
 * a few round trips. */
#ifndef RECAUDO_STORE_DB_BATCH_H
#define RECAUDO_STORE_DB_BATCH_H

#include "store/db/sql.h"

/* The table of the batch's ids, in a statement whose parameter is the array. An UPDATE joins to it with STRAIGHT_JOIN
 * and FORCE INDEX (PRIMARY): small tables are otherwise walked through, and locked, as a whole. */
#define BATCH "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch"

/* Runs a statement, its parameters given, whose only column is an id and which finds at most `limit` rows. STATUS_NONE:
 * no row. */
enum status batch_read(struct sql *sql, uint64_t limit, struct arena *arena, struct text *ids, uint64_t *count);

/* The same for a statement whose only parameter is the limit. */
enum status batch_lock(struct connection *connection, enum statement statement, uint64_t limit, struct arena *arena,
                       struct text *ids, uint64_t *count);

/* Runs a statement whose only parameter is the array of ids. */
enum status batch_run(struct connection *connection, enum statement statement, struct text ids, uint64_t *matched);

#endif
