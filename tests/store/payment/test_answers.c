#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* The life of a change that waits for approval: its transitions, and which columns keep their values in each. */

static MYSQL *mysql;

static const char *const STATES[] = {"waiting", "making", "approved", "refused"};
static const char *const WAYS[][2] = {{"waiting", "making"}, {"waiting", "refused"}, {"making", "approved"}};

static void set_up(void) {
    mysql = database_login(OWNER);
    ck_assert_uint_eq(database_error(mysql, "BEGIN; SET check_constraint_checks = 0"), 0);
}

/* Commits no approval, because approvals cannot be deleted. */
static void tear_down(void) {
    ck_assert_uint_eq(database_error(mysql, "ROLLBACK"), 0);
    mysql_close(mysql);
}

static void insert_change(const char *state) {
    ck_assert_uint_eq(
        database_error(mysql,
                       "INSERT INTO approvals SET kind = 'limits', subject_id = 1, seen = '1', amount = 5,"
                       " currency = 'COP', changes = '{}', sealed = 's', reason = 'r', asked_by = 'eva',"
                       " asked_at = '2026-01-01', expires_at = '2026-01-02', state = '%s',"
                       " answered_by = IF(state IN ('waiting', 'making'), NULL, 'ivo'),"
                       " answered_at = IF(state IN ('waiting', 'making'), NULL, " NOW ");"
                       " SET @id = LAST_INSERT_ID()",
                       state),
        0);
}

static unsigned go(const char *to, const char *with) {
    return database_error(mysql,
                          "UPDATE approvals SET state = '%s', answered_by = IF('%s' = 'making', NULL, 'ivo'),"
                          " answered_at = IF('%s' = 'making', NULL, " NOW ")%s WHERE id = @id",
                          to, to, to, with);
}

static bool is_a_way(const char *from, const char *to) {
    for (size_t i = 0; i < COUNT_OF(WAYS); i++) {
        if (strcmp(WAYS[i][0], from) == 0 && strcmp(WAYS[i][1], to) == 0) {
            return true;
        }
    }
    return false;
}

START_TEST(a_change_is_answered_once) {
    const char *from = STATES[(size_t)_i / COUNT_OF(STATES)], *to = STATES[(size_t)_i % COUNT_OF(STATES)];
    insert_change(from);
    unsigned error = go(to, "");
    ck_assert_msg(error == (is_a_way(from, to) ? 0 : ER_SIGNAL_EXCEPTION), "%s to %s gives %u", from, to, error);
}
END_TEST

static const char *const COLUMNS_THAT_STAY[] = {
    "id = id + 1000",
    "kind = 'claim'",
    "subject_id = 2",
    "seen = '2'",
    "amount = 6",
    "amount = NULL",
    "currency = 'USD'",
    "currency = NULL",
    "changes = 'x'",
    "changes = NULL",
    "sealed = 'x'",
    "reason = 'x'",
    "asked_by = 'x'",
    "asked_at = '2026-01-03'",
    "expires_at = '2026-01-03'",
};

START_TEST(the_answer_changes_nothing_else) {
    for (size_t way = 0; way < COUNT_OF(WAYS); way++) {
        insert_change(WAYS[way][0]);
        ck_assert_uint_eq(go(WAYS[way][1], arena_print(arena, ", %s", COLUMNS_THAT_STAY[_i]).at), ER_SIGNAL_EXCEPTION);
    }
}
END_TEST

/* The secret must be kept until it is stored as the party's. */
START_TEST(the_secret_goes_with_the_answer) {
    for (size_t way = 0; way < COUNT_OF(WAYS); way++) {
        bool making = strcmp(WAYS[way][1], "making") == 0;
        insert_change(WAYS[way][0]);
        ck_assert_uint_eq(go(WAYS[way][1], ", sealed = NULL"), making ? ER_SIGNAL_EXCEPTION : 0);
    }
}
END_TEST

TCase *answers_tests(void) {
    TCase *tests = database_case("answers");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, a_change_is_answered_once, 0, (int)(COUNT_OF(STATES) * COUNT_OF(STATES)));
    add_table_test(tests, the_answer_changes_nothing_else, COLUMNS_THAT_STAY);
    tcase_add_test(tests, the_secret_goes_with_the_answer);
    return tests;
}
