/* The private database of the store tests, as tests/with-mariadb gives it, and the owner's plain look at it. */
#ifndef RECAUDO_TESTS_STORE_DATABASE_H
#define RECAUDO_TESTS_STORE_DATABASE_H

#include <mysql.h>

#include "base/arena.h"
#include "store/db/connection.h"
#include "unit/assert_text.h"

enum db_account { OWNER, WORKER, DISPATCHER, DELIVERER, OPERATOR, READER, CONSOLE, ACCOUNT_COUNT };

/* RECAUDO_CONFIG. Made by database_prepare, for all tests. */
extern struct config config;

/* Each test's own: memory, and a connection of the program's as the owner. */
extern struct arena *arena;
extern struct connection *owner;

/* Once, before the first test: reads the configuration and migrates. */
void database_prepare(void);

/* A test case each of whose tests begins with empty tables; one whose tests share rows that `fill` makes and `empty`
 * removes. */
TCase *database_case(const char *name);
TCase *database_filled_case(const char *name, void (*fill)(void), void (*empty)(void));

/* A connection of the program's, as the programs open it. `of` may be config or a changed copy. */
enum status database_open(const struct config *of, enum db_account account, bool any_schema, struct connection **out);
struct connection *database_connect(enum db_account account);

/* A plain connection. */
MYSQL *database_login(enum db_account account);

/* Runs SQL, made like printf does, as the owner. The test fails when it does. */
void database_run(const char *format, ...) PRINTF_LIKE(1, 2);

/* Runs SQL on a plain connection; the error's number, 0 when it worked. */
unsigned database_error(MYSQL *mysql, const char *format, ...) PRINTF_LIKE(2, 3);

/* First column of the first row, as the owner sees it. The text lives until the test ends; NULL: NULL or no row. */
const char *database_text(const char *format, ...) PRINTF_LIKE(1, 2);
uint64_t database_number(const char *format, ...) PRINTF_LIKE(1, 2);

/* The server's error says that the account lacks a privilege. */
bool database_is_denial(unsigned error);

/* Number of the connection at the server. */
unsigned long database_thread_id(struct connection *connection);

/* Ends the server's side of a connection and waits until it is gone. */
void database_kill(unsigned long thread_id);

/* Asks until the query gives a number other than 0; the test fails when it takes more than 10 s. */
void database_wait_for(const char *query);

/* True when a statement waits for a row's lock. */
#define SOMEBODY_WAITS                                                                                                 \
    "SELECT variable_value FROM information_schema.global_status"                                                      \
    " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'"

/* What a trigger keeps goes with the whole table; a number is never given again. */
#define EMPTY_TABLE(table)                                                                                             \
    "SET foreign_key_checks = 0, @next = (SELECT COALESCE(MAX(id), 0) + 1 FROM " table "); TRUNCATE TABLE " table ";"  \
    "EXECUTE IMMEDIATE CONCAT('ALTER TABLE " table " AUTO_INCREMENT = ', @next); SET foreign_key_checks = 1"

#endif
