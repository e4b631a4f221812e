/*
 * Calls of stored functions (sql/foundation.sql) by a statement `SELECT function(...)`, whose value is the number of
 * rows that the function wrote. For the files of src/store.
 */
#ifndef RECAUDO_STORE_DB_ROUTINE_H
#define RECAUDO_STORE_DB_ROUTINE_H

#include "store/db/sql.h"

/* Runs the statement, whose parameters are bound, reads the value and ends the statement. *written: 0 on an error. */
enum status routine_count(struct sql *sql, uint64_t *written);

/* The same for a function whose value tells the caller nothing. */
enum status routine_call(struct sql *sql);

/* The same for a guarded function. STATUS_CHANGED: it wrote nothing. */
enum status routine_run(struct sql *sql);

/* The same for a function that returns one of the outcomes of an enum, of which `last` is the greatest. *outcome: 0 on
 * an error. STATUS_FAULT, logged: the value is not in the enum. */
enum status routine_outcome(struct sql *sql, uint64_t last, uint64_t *outcome);

/* One row at a time: writes it, and logs that the database refuses it. `rows`: what they are, for the log. */
struct routine_single {
    enum status (*write)(struct connection *connection, uint64_t id);
    void (*log_refusal)(uint64_t id);
    const char *rows;
};

/* A walk over all rows that are due when it begins, in steps; begins as {0}. */
struct routine_walk {
    instant began; /* by the database's clock; 0: no row was found yet */
    instant due;   /* where the last step ended: when its last row was due, and that row's number */
    uint64_t number;
    uint64_t written, refused; /* by all steps */
    bool has_ended;
};

/*
 * A step of a walk for use after the database has refused a batch: writes up to `most` rows, each in a transaction of
 * its own. Rows that are refused, and rows that another session has locked or written meanwhile, wait for the next
 * walk. Returns STATUS_OK in spite of both; STATUS_AGAIN: the server is read-only, and the step ended there. Logs the
 * first refused rows by their ids, and at the end how many more there are.
 *
 * `due` lists the rows after a place, by when they are due and by number. Its parameters are when the walk began
 * (sql_bound), the place's `due`, twice, its `number`, and `most`. Its columns are the id that `single` takes, when the
 * row is due, its number, and the time.
 */
enum status routine_run_each(struct connection *connection, enum statement due, uint64_t most,
                             const struct routine_single *single, struct routine_walk *walk);

/* Calls a function whose only parameter is the size of a batch, in a transaction of its own. Retries as
 * sql_transact. */
enum status routine_run_batch(struct connection *connection, enum statement statement, uint64_t batch,
                              uint64_t *written);

#endif
