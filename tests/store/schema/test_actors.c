#include "store.h"

#include <inttypes.h>

/* Whom an event names as the actor. The programs' accounts act for whoever changed the row before; all other accounts
 * act for themselves. */

static const enum db_account PROGRAMS[] = {WORKER, DISPATCHER, DELIVERER, OPERATOR, CONSOLE};
static const char *const NAMES[] = {"recaudo_worker", "recaudo_dispatcher", "recaudo_deliverer", "recaudo_operator",
                                    "recaudo_console"};

/* No change sets changed_by, so the actor is the account itself or "test". */
static const struct {
    const char *change, *subject;
} CHANGES[] = {
    {"UPDATE orders SET description = 'B'", "order"},
    {"UPDATE orders SET state = 'VENCIDA'", "order"},
    {"UPDATE transactions SET teller = 'B'", "transaction"},
    {"UPDATE notifications SET state = 'exhausted'", "notification"},
    {"UPDATE networks SET rate_limit = 1, rate_burst = 1", "network"},
};

static void set_up(void) {
    uint64_t order = new_order(.reference = "1");
    new_transaction(.order_id = order);
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = 1, status = 'approved',"
                 " state = 'pending', amount = 5, payment_means = '', changed_by = 'test'",
                 order);
}

/* Grants the account rights for this test only; log_out revokes them. */
static MYSQL *log_in_with_rights(size_t program) {
    database_run("GRANT SELECT, INSERT, UPDATE ON %s.* TO %s@localhost", config.database.name, NAMES[program]);
    return database_login(PROGRAMS[program]);
}

static void log_out(MYSQL *mysql, size_t program) {
    mysql_close(mysql);
    database_run("REVOKE SELECT, INSERT, UPDATE ON %s.* FROM %s@localhost", config.database.name, NAMES[program]);
}

START_TEST(a_program_acts_for_who_was_there_before) {
    MYSQL *mysql = log_in_with_rights((size_t)_i);
    for (size_t i = 0; i < COUNT_OF(CHANGES); i++) {
        ck_assert_uint_eq(database_error(mysql, "%s", CHANGES[i].change), 0);
        ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', subject, actor, db_account) FROM event_log"
                                       " WHERE subject = '%s' ORDER BY id DESC LIMIT 1",
                                       CHANGES[i].subject),
                         arena_print(arena, "%s test %s@localhost", CHANGES[i].subject, NAMES[_i]).at);
    }
    log_out(mysql, (size_t)_i);
}
END_TEST

/* The ledger covers what programs write. Only changes by hand, by the owner or other accounts, get an event. */
START_TEST(what_programs_write_in_an_account_is_in_the_ledger) {
    sample_account("1020");
    uint64_t events = database_number("SELECT COUNT(*) FROM event_log");
    MYSQL *mysql = log_in_with_rights((size_t)_i);
    ck_assert_uint_eq(database_error(mysql, "UPDATE accounts SET balance = 5, changed_by = 'x'"), 0);
    log_out(mysql, (size_t)_i);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM event_log"), events);
}
END_TEST

/* They move it with each attempt; what a merchant is told of is another matter. */
START_TEST(when_programs_try_again_is_no_event) {
    static const char COUNT[] = "SELECT COUNT(*) FROM event_log WHERE subject = 'notification' AND what = 'changed'";
    uint64_t events = database_number(COUNT);
    MYSQL *mysql = log_in_with_rights((size_t)_i);
    ck_assert_uint_eq(database_error(mysql, "UPDATE notifications SET due_at = due_at + INTERVAL 1 HOUR"), 0);
    ck_assert_uint_eq(database_number(COUNT), events);
    ck_assert_uint_eq(database_error(mysql, "UPDATE notifications SET payment_means = 'x'"), 0);
    ck_assert_uint_eq(database_number(COUNT), events + 1);
    log_out(mysql, (size_t)_i);
    database_run("UPDATE notifications SET due_at = due_at + INTERVAL 1 HOUR");
    ck_assert_uint_eq(database_number(COUNT), events + 2);
}
END_TEST

/* Events take the reason only in sessions of the console's and the operator's account. */
START_TEST(a_reason_is_an_operators) {
    static const char *const TOLD[] = {"", "", "", "; why", "; why"};
    MYSQL *mysql = log_in_with_rights((size_t)_i);
    ck_assert_uint_eq(database_error(mysql, "SET @recaudo_reason = 'why'; UPDATE orders SET state = 'VENCIDA',"
                                            " state_reason = 'late'; UPDATE notifications SET state = 'exhausted'"),
                      0);
    log_out(mysql, (size_t)_i);
    ck_assert_str_eq(database_text("SELECT reason FROM event_log WHERE subject = 'order' AND what = 'state'"
                                   " ORDER BY id DESC LIMIT 1"),
                     arena_print(arena, "late%s", TOLD[_i]).at);
    ck_assert_ptr_null(database_text("SELECT reason FROM event_log WHERE subject = 'notification' ORDER BY id DESC"
                                     " LIMIT 1"));
}
END_TEST

START_TEST(a_long_reason_is_cut) {
    MYSQL *mysql = log_in_with_rights(3);
    ck_assert_uint_eq(database_error(mysql, "SET @recaudo_reason = REPEAT('a', 249);"
                                            " UPDATE orders SET state = 'VENCIDA', state_reason = 'late'"),
                      0);
    log_out(mysql, 3);
    ck_assert_str_eq(database_text("SELECT CONCAT(LEFT(reason, 6), LENGTH(reason)) FROM event_log"
                                   " WHERE subject = 'order' ORDER BY id DESC LIMIT 1"),
                     "late; 250");
}
END_TEST

#define LONG_NAME "recaudo-guest-with-a-name-that-is-as-long-as-the-server-takes-one-0123456789-012"

/* Each event names the actor; no name is too long for it. */
static const char *const BY_A_LONG_NAME[] = {
    "UPDATE orders SET description = 'B'",
    "UPDATE orders SET state = 'VENCIDA'",
    "UPDATE transactions SET teller = 'B'",
    "UPDATE notifications SET state = 'exhausted'",
    "UPDATE networks SET rate_limit = 1, rate_burst = 1",
    "UPDATE accounts SET balance = 5",
    "UPDATE settings SET cancel_window = 5",
    "INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 5",
    "UPDATE dual_control SET above = 6",
    "DELETE FROM dual_control",
    "INSERT INTO dual_changes SET kind = 'limits'",
    "DELETE FROM dual_changes",
    "INSERT INTO countries VALUES (344, 'Chile', 'USD', 'UTC')",
    "UPDATE countries SET name = 'B' WHERE code = 344",
    "DELETE FROM countries WHERE code = 344",
};

START_TEST(a_long_name_is_cut) {
    MYSQL *mysql = mysql_init(NULL);
    database_run("DELETE FROM dual_control; DELETE FROM dual_changes; CREATE OR REPLACE USER '" LONG_NAME
                 "'@localhost");
    database_run("GRANT ALL ON %s.* TO '" LONG_NAME "'@localhost", config.database.name);
    sample_account("1020");
    ck_assert_ptr_nonnull(mysql_real_connect(mysql, config.database.host, LONG_NAME, "", config.database.name,
                                             (unsigned)config.database.port, config.database.socket, 0));
    ck_assert_uint_eq(database_error(mysql, "SET sql_mode = 'STRICT_ALL_TABLES'"), 0);
    for (size_t i = 0; i < COUNT_OF(BY_A_LONG_NAME); i++) {
        unsigned error = database_error(mysql, "%s", BY_A_LONG_NAME[i]);
        ck_assert_msg(error == 0, "%s gives %u %s", BY_A_LONG_NAME[i], error, mysql_error(mysql));
        ck_assert_str_eq(database_text("SELECT actor FROM event_log ORDER BY id DESC LIMIT 1"),
                         database_text("SELECT LEFT('db:" LONG_NAME "', 80)"));
    }
    mysql_close(mysql);
    database_run("DROP USER '" LONG_NAME "'@localhost; UPDATE settings SET cancel_window = 30000000");
}
END_TEST

TCase *actors_tests(void) {
    TCase *tests = database_case("actors");
    tcase_add_checked_fixture(tests, set_up, NULL);
    add_table_test(tests, a_program_acts_for_who_was_there_before, PROGRAMS);
    add_table_test(tests, what_programs_write_in_an_account_is_in_the_ledger, PROGRAMS);
    add_table_test(tests, when_programs_try_again_is_no_event, PROGRAMS);
    add_table_test(tests, a_reason_is_an_operators, PROGRAMS);
    tcase_add_test(tests, a_long_reason_is_cut);
    tcase_add_test(tests, a_long_name_is_cut);
    return tests;
}
