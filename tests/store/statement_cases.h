/* Every statement of the program, the accounts that run it, and the values to try it with. */
#ifndef RECAUDO_TESTS_STORE_STATEMENT_CASES_H
#define RECAUDO_TESTS_STORE_STATEMENT_CASES_H

#include "database.h"
#include "store/db/statements.h"

enum {
    CASE_VALUES_MAX = 24,
    AS_OWNER = 1,
    AS_WORKER = 2,
    AS_DISPATCHER = 4,
    AS_DELIVERER = 8,
    AS_OPERATOR = 16,
    AS_CONSOLE = 32
};

/* A value that begins with # is a number, with @ an instant; - is NULL; all others are text. They fit the rows of
 * large_data.h. */
struct statement_case {
    enum statement statement;
    unsigned accounts; /* a set */
    const char *values[CASE_VALUES_MAX];
};

extern const struct statement_case STATEMENT_CASES[];
extern const size_t STATEMENT_CASE_COUNT;

/* Whether the account runs the statement. */
bool statement_case_has(const struct statement_case *of, enum db_account account);

/*
 * Prepares the statement's text with the prefix `before` (such as EXPLAIN), binds the values and executes it. The rows
 * are not fetched yet. The caller closes the returned statement, whose error number is 0 on success.
 */
MYSQL_STMT *statement_case_run(MYSQL *mysql, const char *before, const struct statement_case *of);

#endif
