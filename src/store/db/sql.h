/*
 * Running a prepared statement: begin, bind the parameters in order, run, read the columns in order. For the files of
 * src/store.
 *
 *     struct sql *sql = sql_begin(connection, SQL_network_find);
 *     sql_text(sql, name);
 *     enum status status = sql_first(sql);
 *     if (status == STATUS_OK) { id = sql_get_number(sql); ... }
 *     sql_end(sql);
 *
 * Errors of the server become
 *     STATUS_CLASH   unique key
 *     STATUS_AGAIN   deadlock, lock wait, certification: nothing of the statement remains
 *     STATUS_LIMIT   the database found a network at its money limit
 *     STATUS_FULL    no room on the server's disk
 *     STATUS_AWAY    the statement was not sent
 *     STATUS_UNSURE  sent, no answer
 *     STATUS_FAULT   any other
 * The last four are logged here. Nothing else may run on the connection between sql_begin and sql_end.
 */
#ifndef RECAUDO_STORE_DB_SQL_H
#define RECAUDO_STORE_DB_SQL_H

#include "base/arena.h"
#include "domain/money.h"
#include "store/db/connection.h"
#include "store/db/statements.h"

/* In a statement: the age of an instant in microseconds. Never less than 0, even if the server's clock was set back. */
#define SQL_AGE(at) "GREATEST(0, TIMESTAMPDIFF(MICROSECOND, " #at ", UTC_TIMESTAMP(6)))"

/* In a statement: false if the instant was written before the clock was set back. Allows a minute, because another
 * server of a cluster may be ahead. */
#define SQL_IS_PAST(at) #at " < UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE"

/* Whether the server takes no writes: it is set so, or InnoDB was started to be read only, or to save a damaged
 * database. */
#define SQL_READ_ONLY "(@@GLOBAL.read_only OR @@innodb_read_only OR @@innodb_force_recovery > 4)"

/* Begins a statement that does not wait for locks, but fails with STATUS_AGAIN at once. */
#define SQL_WITHOUT_WAITING "SET STATEMENT innodb_lock_wait_timeout = 0, lock_wait_timeout = 0 FOR "

struct sql;

struct sql *sql_begin(struct connection *connection, enum statement statement);
void sql_end(struct sql *sql);

/* Returns the statement's name in the log; a constant. */
const char *sql_name(const struct sql *sql);

/* Bind the next parameter. The memory that a value points to must live until the statement has run. */
void sql_text(struct sql *sql, struct text value);
void sql_text_or_null(struct sql *sql, struct text value); /* empty: NULL */
void sql_number(struct sql *sql, uint64_t value);
void sql_number_or_null(struct sql *sql, uint64_t value); /* 0: NULL */
void sql_money(struct sql *sql, struct money value);
void sql_instant(struct sql *sql, instant value);
void sql_bound(struct sql *sql, instant bound); /* 0: later than all */
void sql_bytes(struct sql *sql, const void *bytes, size_t size);

/* Runs a statement without rows. *matched: how many rows its WHERE found (may be NULL). */
enum status sql_run(struct sql *sql, uint64_t *matched);

/* Runs a statement without rows, as sql_run, and ends it. */
enum status sql_run_and_end(struct sql *sql);

/* Runs a statement and reads its first row. STATUS_NONE: there is none. */
enum status sql_first(struct sql *sql);

/* Reads the next row. STATUS_NONE: there is none. */
enum status sql_next(struct sql *sql);

/* Ends a statement whose rows were read until `status`. Returns STATUS_OK for STATUS_NONE, because the list is complete
 * then, otherwise `status`. */
enum status sql_end_list(struct sql *sql, enum status status);

/* Ends a statement whose only row was read if `status` is STATUS_OK. Outside a transaction the server commits before it
 * sends the end of the rows, so this waits for that end: only then is the write certain. Returns as sql_end_list. */
enum status sql_end_single(struct sql *sql, enum status status);

/* Read the row's columns, each once, in order. NULL gives 0 or an empty text. Texts are copied into the arena. */
uint64_t sql_get_number(struct sql *sql);
struct money sql_get_money(struct sql *sql);
instant sql_get_instant(struct sql *sql);
struct text sql_get_text(struct sql *sql, struct arena *arena);

/* Returns true if the next column is NULL; does not advance. */
bool sql_is_null(const struct sql *sql);

/* Returns the id of the row that the last INSERT made. */
uint64_t sql_inserted_id(const struct sql *sql);

/* Returns the limit that caused the last STATUS_LIMIT on the connection, such as "the limit of the day in COP". */
const char *sql_reached_limit(const struct connection *connection);

/* Returns true if `key` is the unique key that the last STATUS_CLASH named. */
bool sql_clashed_on(const struct sql *sql, const char *key);

/*
 * Runs `unit` in a transaction. Commits if it returns STATUS_OK, otherwise rolls back. Retries after STATUS_AGAIN, up
 * to 5 runs in all, only while connection_may_try_again, and not if the server is read-only. The unit may therefore run
 * several times and must not keep anything from an earlier run. STATUS_UNSURE: COMMIT failed, and its outcome is
 * unknown.
 */
enum status sql_transact(struct connection *connection,
                         enum status (*unit)(struct connection *connection, void *context), void *context);

/* Runs text of several statements unchanged, for DDL. STATUS_OK or STATUS_FAULT, logged with `what`. */
enum status sql_script(struct connection *connection, const char *what, struct text statements);

#endif
