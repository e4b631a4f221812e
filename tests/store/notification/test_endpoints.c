#include "store.h"

#include "store/notification/endpoints.h"
#include "store/notification/stuck.h"

#include <inttypes.h>

/* An endpoint that keeps failing rests, each time for longer. And how stuck notifications are released. */

static struct connection *deliverer;
static uint64_t merchant, other;

static void set_up(void) {
    deliverer = database_connect(DELIVERER);
    merchant = new_merchant(.notify_url = "'http://a/'");
    other = new_merchant(.notify_url = "'http://b/'");
    database_run("TRUNCATE endpoints");
}

static void tear_down(void) {
    database_run("TRUNCATE endpoints");
    connection_close(deliverer);
}

static void round_failed(uint64_t whose) {
    const struct rest_rule rule = {.after = 3, .first = 100 * SECOND, .longest = 1000 * SECOND};
    ck_assert_int_eq(endpoints_failed(deliverer, whose, &rule), STATUS_OK);
}

/* Returns the failures and for how long it rests, in hundreds of seconds, rounded. */
static const char *state_of(uint64_t whose) {
    return database_text("SELECT CONCAT_WS(' ', failures, ROUND(TIMESTAMPDIFF(SECOND, " NOW ", resting_until) / 100))"
                         " FROM endpoints WHERE merchant_id = %" PRIu64,
                         whose);
}

/* After each of these failed rounds, the rest of the one before being over. */
static const char *const ROUNDS[] = {"1", "2", "3 1", "4 2", "5 4", "6 8", "7 10", "8 10"};

START_TEST(each_rest_is_twice_as_long) {
    round_failed(other);
    for (size_t i = 0; i < COUNT_OF(ROUNDS); i++) {
        database_run("UPDATE endpoints SET resting_until = " AN_HOUR_AGO " WHERE resting_until IS NOT NULL");
        round_failed(merchant);
        ck_assert_str_eq(state_of(merchant), ROUNDS[i]);
    }
    ck_assert_str_eq(state_of(other), "1");
}
END_TEST

/* The longest rest bounds also what would be too large a number. */
START_TEST(a_rest_has_an_end) {
    database_run("INSERT INTO endpoints SET merchant_id = %" PRIu64 ", failures = 4000000", merchant);
    round_failed(merchant);
    ck_assert_str_eq(state_of(merchant), "4000001 10");
}
END_TEST

/* They were under way when the rest began. */
START_TEST(what_fails_during_a_rest_does_not_prolong_it) {
    for (int i = 0; i < 3; i++) {
        round_failed(merchant);
    }
    database_run("UPDATE endpoints SET resting_until = " NOW " + INTERVAL 500 SECOND");
    round_failed(merchant);
    ck_assert_str_eq(state_of(merchant), "3 5");
}
END_TEST

#define NOON "TIMESTAMP'2030-05-05 12:00:00'"

/* What fails at the end of a rest counts, and another rest begins at that instant. */
static const struct {
    const char *until, *then;
} RESTS[] = {{NOON, "6 2030-05-05 12:13:20.000000"},
             {NOON " + INTERVAL 1 MICROSECOND", "5 2030-05-05 12:00:00.000001"}};

START_TEST(a_rest_ends_at_its_instant) {
    database_stop_clock(deliverer, NOON);
    database_run("INSERT INTO endpoints SET merchant_id = %" PRIu64 ", failures = 5, resting_until = %s", merchant,
                 RESTS[_i].until);
    round_failed(merchant);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', failures, resting_until) FROM endpoints"), RESTS[_i].then);
}
END_TEST

START_TEST(an_answer_makes_it_well) {
    round_failed(merchant);
    round_failed(other);
    ck_assert_int_eq(endpoints_well(deliverer, merchant), STATUS_OK);
    ck_assert_ptr_null(state_of(merchant));
    ck_assert_str_eq(state_of(other), "1");
}
END_TEST

static void add_notice(uint64_t order, uint64_t whose, unsigned sequence, const char *state) {
    bool has_finished = strcmp(state, "delivered") == 0;
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = %" PRIu64 ", sequence = %u,"
                 " status = IF(sequence = 1, 'approved', 'cancelled'), state = '%s', amount = 5, payment_means = '',"
                 " due_at = " AN_HOUR_AGO ", settled_at = %s",
                 order, whose, sequence, state, has_finished ? NOW : "NULL");
}

/* One waits for what has finished, one for a URL that is there, one for what has not finished, and one for a URL. */
START_TEST(what_is_stuck_is_released) {
    uint64_t released = 77, mute = new_merchant(.notify_url = "NULL");
    add_notice(1, merchant, 1, "delivered");
    add_notice(1, merchant, 2, "waiting");
    add_notice(2, other, 1, "unaddressed");
    add_notice(3, merchant, 1, "pending");
    add_notice(3, merchant, 2, "waiting");
    add_notice(4, mute, 1, "unaddressed");
    struct overdue stuck;
    ck_assert_int_eq(stuck_count(owner, &stuck), STATUS_OK);
    ck_assert_uint_eq(stuck.count, 2);
    ck_assert_int_ge(stuck.oldest, HOUR);
    ck_assert_int_eq(stuck_release(deliverer, 1, arena, &released), STATUS_OK);
    ck_assert_uint_eq(released, 1);
    ck_assert_int_eq(stuck_release(deliverer, 9, arena, &released), STATUS_OK);
    ck_assert_uint_eq(released, 1);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', order_id, state, changed_by = 'dispatcher' AND"
                                   " due_at BETWEEN " NOW " - INTERVAL 1 MINUTE AND " NOW
                                   ") ORDER BY order_id, sequence) FROM notifications"),
                     "1 delivered 0,1 pending 1,2 pending 1,3 pending 0,3 waiting 0,4 unaddressed 0");
}
END_TEST

TCase *endpoints_tests(void) {
    TCase *tests = database_case("endpoints");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, each_rest_is_twice_as_long);
    tcase_add_test(tests, a_rest_has_an_end);
    tcase_add_test(tests, what_fails_during_a_rest_does_not_prolong_it);
    add_table_test(tests, a_rest_ends_at_its_instant, RESTS);
    tcase_add_test(tests, an_answer_makes_it_well);
    tcase_add_test(tests, what_is_stuck_is_released);
    return tests;
}
