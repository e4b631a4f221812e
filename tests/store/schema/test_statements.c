#include "store.h"

#include "statement_cases.h"

START_TEST(has_a_case) {
    bool found = false;
    for (size_t i = 0; i < STATEMENT_CASE_COUNT; i++) {
        found = found || STATEMENT_CASES[i].statement == (enum statement)_i;
    }
    ck_assert_msg(found, "%s is not in statement_cases.c", sql_statement_name((enum statement)_i));
}
END_TEST

static void check_run(MYSQL_STMT *statement, const char *name, const char *when) {
    unsigned error = mysql_stmt_errno(statement);
    ck_assert_msg(error == 0 || error == 1452, "%s, %s: %s", name, when,
                  mysql_stmt_error(statement)); /* 1452: the parent row is not there */
}

/* Prepares and runs each statement on empty tables, under each account whose program uses it, to show that the grants
 * are enough. Runs it twice, because programs keep prepared statements. */
START_TEST(runs_under_the_accounts_that_use_it) {
    const struct statement_case *one = &STATEMENT_CASES[_i];
    for (enum db_account account = OWNER; account < READER; account++) {
        if (statement_case_has(one, account)) {
            MYSQL *mysql = database_login(account);
            mysql_autocommit(mysql, 0);
            MYSQL_STMT *statement = statement_case_run(mysql, "", one);
            check_run(statement, sql_statement_name(one->statement), "the first time");
            mysql_stmt_free_result(statement);
            mysql_rollback(mysql);
            mysql_stmt_execute(statement);
            check_run(statement, sql_statement_name(one->statement), "again");
            mysql_stmt_close(statement);
            mysql_close(mysql);
        }
    }
}
END_TEST

START_TEST(has_a_name_and_a_text) {
    ck_assert_uint_gt(strlen(sql_statement_name((enum statement)_i)), 0);
    ck_assert_uint_gt(strlen(sql_statement_text((enum statement)_i)), 0);
}
END_TEST

TCase *statements_tests(void) {
    TCase *tests = database_case("statements");
    tcase_add_loop_test(tests, has_a_name_and_a_text, 0, STATEMENT_COUNT);
    tcase_add_loop_test(tests, has_a_case, 0, STATEMENT_COUNT);
    tcase_add_loop_test(tests, runs_under_the_accounts_that_use_it, 0, (int)STATEMENT_CASE_COUNT);
    return tests;
}
