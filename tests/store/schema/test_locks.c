#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* Functions lock a row before they judge it. While another transaction has the row locked, the call waits, then judges
 * the result, even if it would write nothing. Without the lock, each of these calls would return at once. */

#define ASK "approval_ask('notify_url', @merchant, 'http://c/', NULL, 0, '', 'eva')"

static const struct {
    const char *held; /* locked by another transaction */
    const char *call;
    const char *answer; /* if nothing is locked */
} CALLS[] = {
    {"network_rooms WHERE currency = 'COP' AND part = 3", "network_remit(@network, 'COP', 1000, '', 'eva')", "2"},
    {"network_rooms WHERE currency = 'USD' AND part = 3", "network_limit_set_now(@network, 'USD', 5, 5, 'eva')", "0"},
    {"network_rooms WHERE currency = 'USD' AND part = 3",
     "network_limit_set(@network, 'USD', 5, 5, history_end('network', @network), 'eva')", "0"},
    {"settlements WHERE is_open = 1", "settlement_close(0, 'eva', NULL, NULL, NULL)", "0"},
    {"settlements WHERE is_open = 1", "settlement_collect(0)", "0"},
    {"approvals", "approval_answer(@approval, TRUE, '', 'operator:eva')", "3"},
    {"merchants", "approval_answer(@approval, TRUE, '', 'operator:ivo')", "4"},
    {"network_rooms WHERE currency = 'COP' AND part = 3", "approval_answer(@limits, TRUE, '', 'operator:ivo')", "4"},
    {"merchants", ASK, "0"},
    {"orders", "order_claim(@paid, '', 'operator:eva')", "3"},
    {"orders WHERE id = @held", "order_finalise(@held, 'eva')", "1"},
    {"orders WHERE id = @held", "order_expire(@held)", "0"},
    {"transactions WHERE order_id = @open", "order_finalise(@open, 'eva')", "0"},
    {"transactions WHERE id = @top_up", "top_up_finalise(@top_up, 'eva')", "0"},
};

static MYSQL *other, *mysql;

/* Inserts an order whose claim waits for approval, one whose window has closed, one and a top-up whose windows are
 * open, a merchant whose notify_url was changed while another waits for approval, and a network whose limits in one
 * currency were changed likewise, and lack a portion in another. */
static void set_up(void) {
    uint64_t merchant = new_merchant(.notify_url = "'http://a/'"), network = sample_network(NULL);
    uint64_t paid = new_order(.merchant_id = merchant, .reference = "1"), held = new_order(.reference = "2");
    uint64_t open = new_order(.reference = "3");
    confirmed_payment(held, "45000", AN_HOUR_AGO);
    confirmed_payment(open, "45000", IN_AN_HOUR);
    uint64_t top_up =
        new_transaction(.account_id = sample_account("1020"), .state = "'CONFIRMADA'", .window_ends_at = IN_AN_HOUR);
    approve(paid, confirmed_payment(paid, "45000", AN_HOUR_AGO));
    const char *names = arena_print(arena,
                                    "SET @merchant = %" PRIu64 ", @network = %" PRIu64 ", @paid = %" PRIu64
                                    ", @held = %" PRIu64 ", @open = %" PRIu64 ", @top_up = %" PRIu64,
                                    merchant, network, paid, held, open, top_up)
                            .at;
    database_run("%s; INSERT INTO dual_changes SET kind = 'notify_url';"
                 " INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 1",
                 names);
    database_run("SET @approval = approval_ask('notify_url', @merchant, 'http://b/', NULL, 0, '', 'operator:eva')");
    database_run("DO order_claim(@paid, '', 'operator:eva'); DELETE FROM dual_changes;"
                 " UPDATE merchants SET notify_url = 'http://c/'");
    database_run("DO network_limit_begin(@network, 'COP'), network_limit_begin(@network, 'USD');"
                 " INSERT INTO dual_changes SET kind = 'limits'; DO network_limit_set(@network, 'COP', 700, 700,"
                 " history_end('network', @network), 'operator:eva'); DELETE FROM dual_changes;"
                 " SET @limits = (SELECT MAX(id) FROM approvals)");
    database_run("DO network_limit_set_now(@network, 'COP', 500, 500, 'eva');"
                 " DELETE FROM network_rooms WHERE currency = 'USD' AND part = 7");
    other = database_login(OWNER);
    mysql = database_login(OWNER);
    names = arena_print(arena, "%s, %s, innodb_lock_wait_timeout = 0, tx_isolation = 'READ-COMMITTED'", names,
                        database_text("SELECT CONCAT('@approval = ', @approval, ', @limits = ', @limits)"))
                .at;
    ck_assert_uint_eq(database_error(other, "%s", names), 0);
    ck_assert_uint_eq(database_error(mysql, "%s", names), 0);
}

static void tear_down(void) {
    mysql_close(other);
    mysql_close(mysql);
    database_run("DELETE FROM dual_changes; DELETE FROM dual_control");
}

START_TEST(what_is_judged_is_locked) {
    ck_assert_uint_eq(database_error(other, "BEGIN; SELECT * FROM %s FOR UPDATE", CALLS[_i].held), 0);
    unsigned error = database_error(mysql, "SET @answer = %s", CALLS[_i].call);
    ck_assert_msg(error == ER_LOCK_WAIT_TIMEOUT, "%s gives %u", CALLS[_i].call, error);
    ck_assert_uint_eq(database_error(other, "ROLLBACK"), 0);
    ck_assert_str_eq(database_text("SELECT %s", CALLS[_i].call), CALLS[_i].answer);
}
END_TEST

/* Of one row each, while another transaction has all others locked. */
static const struct {
    const char *others, *call;
} SINGLY[] = {
    {"transactions WHERE NOT order_id <=> @held", "order_finalise(@held, 'eva')"},
    {"orders WHERE id <> @held", "order_finalise(@held, 'eva')"},
    {"transactions WHERE id <> @top_up", "top_up_finalise(@top_up, 'eva')"},
    {"orders WHERE id <> @open", "order_expire(@open)"},
};

START_TEST(nothing_else_is_waited_for) {
    ck_assert_uint_eq(database_error(other, "BEGIN; SELECT * FROM %s FOR UPDATE", SINGLY[_i].others), 0);
    ck_assert_uint_eq(database_error(mysql, "SET @answer = %s", SINGLY[_i].call), 0);
    ck_assert_uint_eq(database_error(other, "ROLLBACK"), 0);
}
END_TEST

/* An import keeps the newest events locked until it commits. */
#define NOTE_FULL                                                                                                      \
    "INSERT INTO last_done (what, host, at)"                                                                           \
    " VALUES ('full', LEFT(@@hostname, 64), UTC_TIMESTAMP(6) - INTERVAL 2 MINUTE)"
static const char *const WRITES[] = {
    "DO 0",
    NOTE_FULL,
    NOTE_FULL
    "; INSERT INTO event_log SET subject = 'order', subject_id = 2, what = 'x', actor = 'x', at = '2020-01-01'",
};

START_TEST(no_write_is_tried_on_the_newest_event) {
    database_run("%s", WRITES[_i]);
    ck_assert_uint_eq(database_error(other,
                                     "BEGIN; INSERT INTO event_log SET subject = 'order', subject_id = 1, what = 'x',"
                                     " actor = 'x', at = UTC_TIMESTAMP(6)"),
                      0);
    ck_assert_uint_eq(database_error(mysql, "SET @answer = write_try()"), 0);
    ck_assert_uint_eq(database_error(other, "ROLLBACK"), 0);
    database_run("DELETE FROM last_done WHERE what = 'full'");
}
END_TEST

START_TEST(nobody_waits_for_the_newest_event) {
    ck_assert_uint_eq(database_error(other,
                                     "BEGIN; INSERT INTO event_log SET subject = 'order', subject_id = 1, what = 'x',"
                                     " actor = 'x', at = UTC_TIMESTAMP(6)"),
                      0);
    ck_assert_uint_eq(database_error(mysql, "BEGIN; SET @answer = %s; ROLLBACK", CALLS[_i].call), 0);
    ck_assert_uint_eq(database_error(other, "ROLLBACK"), 0);
}
END_TEST

/* What approval_lock must lock for each kind of change; it must lock nothing else. */
static const struct {
    const char *kind, *subject, *locks;
} REPLACED[] = {
    {"claim", "@paid", "orders WHERE id = @paid"},
    {"limits", "@network", "network_rooms WHERE network_id = @network AND currency = 'COP' AND part = 15"},
    {"network_secret", "@network", "networks WHERE id = @network"},
    {"merchant_secret", "@merchant", "merchants WHERE id = @merchant"},
    {"notification_secret", "@merchant", "merchants WHERE id = @merchant"},
    {"notify_url", "@merchant", "merchants WHERE id = @merchant"},
};

START_TEST(what_would_be_replaced_is_locked) {
    ck_assert_uint_eq(
        database_error(other, "BEGIN; CALL approval_lock('%s', %s, 'COP')", REPLACED[_i].kind, REPLACED[_i].subject),
        0);
    for (size_t i = 0; i < COUNT_OF(REPLACED); i++) {
        bool same = strcmp(REPLACED[i].locks, REPLACED[_i].locks) == 0;
        ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM (SELECT 1 FROM %s FOR UPDATE SKIP LOCKED) AS free",
                                          REPLACED[i].locks),
                          same ? 0 : 1);
    }
}
END_TEST

TCase *locks_tests(void) {
    TCase *tests = database_case("locks");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, what_is_judged_is_locked, CALLS);
    add_table_test(tests, nothing_else_is_waited_for, SINGLY);
    add_table_test(tests, nobody_waits_for_the_newest_event, CALLS);
    add_table_test(tests, no_write_is_tried_on_the_newest_event, WRITES);
    add_table_test(tests, what_would_be_replaced_is_locked, REPLACED);
    return tests;
}
