/*
 * Calls of the functions that the schema's owner wrote (sql/foundation.sql): a statement `SELECT function(...)`, whose
 * value is the number of rows that the function wrote. For the files of src/store.
 */
#ifndef RECAUDO_STORE_DB_ROUTINE_H
#define RECAUDO_STORE_DB_ROUTINE_H

#include "store/db/sql.h"

/* Reads the value and ends the statement, whose parameters are given. *written: 0 on an error. */
enum status routine_count(struct sql *sql, uint64_t *written);

/* The same for a guarded function. STATUS_CHANGED: it wrote nothing. */
enum status routine_run(struct sql *sql);

/* Reads the value of a function that returns which outcome of an enum it had, and ends the statement. `last` is the
 * greatest of them. STATUS_FAULT, logged: it is none of them. *outcome: 0 on an error. */
enum status routine_outcome(struct sql *sql, uint64_t last, uint64_t *outcome);

/* Calls a function whose only parameter is the size of a batch, in a transaction of its own, again after STATUS_AGAIN.
 */
enum status routine_run_batch(struct connection *connection, enum statement statement, uint64_t batch,
                              uint64_t *written);

#endif
