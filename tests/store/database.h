/* The private database of the store tests, set up by tests/with-mariadb, and plain connections to it. */
#ifndef RECAUDO_TESTS_STORE_DATABASE_H
#define RECAUDO_TESTS_STORE_DATABASE_H

#include <mysql.h>

#include "base/arena.h"
#include "store/db/connection.h"
#include "unit/assert_text.h"

enum db_account { OWNER, WORKER, DISPATCHER, DELIVERER, OPERATOR, READER, CONSOLE, ACCOUNT_COUNT };

/* Read from RECAUDO_CONFIG by database_prepare, for all tests. */
extern struct config config;

/* Each test has its own memory, and its own connection of the program's kind, as the owner. */
extern struct arena *arena;
extern struct connection *owner;

/* Reads the configuration and migrates. Call it once, before the first test. */
void database_prepare(void);

/* Create a test case. database_case empties the tables before each test; the tests of the other share rows that `fill`
 * inserts and `empty` removes. */
TCase *database_case(const char *name);
TCase *database_filled_case(const char *name, void (*fill)(void), void (*empty)(void));

/* Opens a connection as the programs do. `of` is config or a changed copy. */
enum status database_open(const struct config *of, enum db_account account, bool any_schema, struct connection **out);
struct connection *database_connect(enum db_account account);

/* Opens a plain connection of the client library. */
MYSQL *database_login(enum db_account account);

/* Runs SQL, formatted like printf, as the owner. Fails the test on an error. */
void database_run(const char *format, ...) PRINTF_LIKE(1, 2);

/* Runs SQL on a plain connection. Returns the error's number, 0 on success. */
unsigned database_error(MYSQL *mysql, const char *format, ...) PRINTF_LIKE(2, 3);

/* Returns the first column of the first row, read as the owner. NULL: NULL or no row. The text is valid until the test
 * ends. */
const char *database_text(const char *format, ...) PRINTF_LIKE(1, 2);
uint64_t database_number(const char *format, ...) PRINTF_LIKE(1, 2);

/* Returns the instant that this expression of SQL gives. */
instant database_instant(const char *sql);

/* Sends a query without awaiting its answer. */
void database_send(MYSQL *mysql, const char *query);

/* Awaits the answer and returns the first column of its first row. If the server refused the query because a row has
 * changed since it was read (MariaDB 11.8, innodb_snapshot_isolation), sends it once more, as the programs do. */
const char *database_answer(MYSQL *mysql, const char *query);

/* Whether the server's error means that the account lacks a privilege. */
bool database_is_denial(unsigned error);

/* Lets the connection's clock stand still at this moment, which is SQL: UTC_TIMESTAMP and what goes by it. */
void database_stop_clock(struct connection *connection, const char *moment);

/* Returns the server's number of the connection. */
unsigned long database_thread_id(struct connection *connection);

/* Kills the connection at the server and waits until it is gone. */
void database_kill(unsigned long thread_id);

/* Repeats the query until it returns a number other than 0. Fails the test after 30 s. */
void database_wait_for(const char *query);

/* True if a statement waits for a row lock. */
#define SOMEBODY_WAITS                                                                                                 \
    "SELECT variable_value FROM information_schema.global_status"                                                      \
    " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'"

/* TRUNCATE also removes rows that a trigger protects. The auto-increment counter is restored, so that no id is used
 * twice. */
#define EMPTY_TABLE(table)                                                                                             \
    "SET foreign_key_checks = 0, @next = (SELECT COALESCE(MAX(id), 0) + 1 FROM " table "); TRUNCATE TABLE " table ";"  \
    "EXECUTE IMMEDIATE CONCAT('ALTER TABLE " table " AUTO_INCREMENT = ', @next); SET foreign_key_checks = 1"

#endif
