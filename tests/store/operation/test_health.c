#include "store.h"

#include "store/operation/health.h"

#include <inttypes.h>

/* What `status` counts, and of whom, to the microsecond: for its connection it is always noon. */

#define NOON       "'2030-05-05 12:00:00'"
#define AFTER(n)   NOON " + INTERVAL " #n " SECOND"
#define BEFORE(n)  NOON " - INTERVAL " #n " SECOND"
#define JUST_AFTER NOON " + INTERVAL 1 MICROSECOND"
#define A_MINUTE   NOON " + INTERVAL 1 MINUTE"
#define AHEAD      A_MINUTE " + INTERVAL 1 MICROSECOND"

static struct text said;
static uint64_t well, resting, mute, disabled; /* merchants */

static void set_up(void) {
    said = TEXT("");
    database_stop_clock(owner, NOON);
    well = new_merchant(.name = "'b-well'", .notify_url = "'http://a/'");
    resting = new_merchant(.name = "'c-resting'", .notify_url = "'http://a/'");
    mute = new_merchant(.name = "'d-mute'");
    disabled = new_merchant(.name = "'e-disabled'", .notify_url = "'http://a/'", .enabled = "FALSE");
    database_run("TRUNCATE endpoints; TRUNCATE dispatchers; DELETE FROM last_done; DELETE FROM payment_counts");
}

static void tear_down(void) {
    database_run("TRUNCATE endpoints; TRUNCATE dispatchers; DELETE FROM last_done; DELETE FROM payment_counts");
}

static void say(struct text words) {
    said = arena_print(arena, "%.*s%.*s; ", TEXT_ARGS(said), TEXT_ARGS(words));
}

static void say_overdue(const char *what, const struct overdue *overdue) {
    say(arena_print(arena, "%s %" PRIu64 " %d s", what, overdue->count, (int)(overdue->oldest / SECOND)));
}

static void say_number(const char *what, uint64_t number) {
    say(arena_print(arena, "%s %" PRIu64, what, number));
}

static uint64_t new_number(void) {
    static unsigned last;
    return ++last;
}

static void add_notice(uint64_t merchant, const char *state, const char *due_at, const char *others) {
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = %" PRIu64 ", status = 'approved',"
                 " state = '%s', amount = 5, payment_means = '', due_at = %s%s",
                 new_number(), merchant, state, due_at, others);
}

static void add_endpoint(uint64_t merchant, const char *resting_until, const char *failing_since) {
    database_run("INSERT INTO endpoints SET merchant_id = %" PRIu64 ", failures = 2, resting_until = %s,"
                 " failing_since = %s",
                 merchant, resting_until, failing_since);
}

#define LEASED ", lease = REPEAT('l', 16)"

static void add_notices(void) {
    add_notice(well, "pending", NOON, LEASED);
    add_notice(well, "pending", BEFORE(20), "");
    add_notice(well, "pending", JUST_AFTER, LEASED);
    add_notice(well, "pending", A_MINUTE, LEASED);
    add_notice(well, "pending", AHEAD, LEASED);
    add_notice(well, "pending", AFTER(30), "");
    add_notice(well, "delivered", BEFORE(90), "");
    add_notice(well, "exhausted", BEFORE(90), "");
    add_notice(well, "unaddressed", NOON, "");
    add_notice(resting, "pending", BEFORE(30), "");
    add_notice(resting, "pending", BEFORE(40), "");
    add_notice(mute, "pending", BEFORE(50), "");
    add_notice(mute, "unaddressed", BEFORE(50), "");
    add_notice(disabled, "pending", BEFORE(10), "");
    add_notice(disabled, "exhausted", BEFORE(90), "");
    add_notice(disabled, "exhausted", BEFORE(90), "");
    add_endpoint(well, "NULL", BEFORE(5));
    add_endpoint(resting, BEFORE(1), BEFORE(5));
}

START_TEST(notifications_are_counted_by_what_they_wait_for) {
    struct health health;
    add_notices();
    ck_assert_int_eq(health_look(owner, &health), STATUS_OK);
    say_overdue("due", &health.due);
    say_overdue("held", &health.held);
    say_number("in flight", health.in_flight);
    say_number("exhausted", health.exhausted);
    say_number("open", health.exhausted_open);
    say_number("unaddressed", health.unaddressed);
    assert_text(said, "due 3 20 s; held 3 50 s; in flight 2; exhausted 3; open 1; unaddressed 2; ");
}
END_TEST

static uint64_t add_transaction(const char *state, const char *confirmed_at, const char *window_ends_at) {
    uint64_t order = new_order(.reference = arena_print(arena, "%" PRIu64, new_number()).at);
    database_run("INSERT INTO transactions SET network_id = %" PRIu64 ", network_transaction = 'T', order_id = %" PRIu64
                 ", reference = '1', state = '%s', amount = 5, currency = 'COP', commerce = '', description = '',"
                 " teller = '', fingerprint = REPEAT('f', 32), confirmed_at = %s, window_ends_at = %s, finalised_at ="
                 " IF(state = 'FINALIZADA', " NOON ", NULL), changed_by = 'test'",
                 sample_network(NULL), order, state, confirmed_at, window_ends_at);
    return order;
}

START_TEST(what_is_overdue_is_counted) {
    struct health health;
    add_transaction("CONFIRMADA", BEFORE(30), NOON);
    uint64_t oldest = add_transaction("CONFIRMADA", BEFORE(90), BEFORE(60));
    add_transaction("CONFIRMADA", BEFORE(30), JUST_AFTER);
    add_transaction("FINALIZADA", BEFORE(190), BEFORE(160));
    database_run("UPDATE orders SET due_at = " AFTER(900));
    new_order(.reference = "901", .due_at = NOON);
    new_order(.reference = "902", .due_at = BEFORE(7));
    new_order(.reference = "903", .due_at = JUST_AFTER);
    new_order(.reference = "904", .due_at = BEFORE(9), .held_by = "5", .held_until = NOON);
    new_order(.reference = "905", .due_at = BEFORE(9), .state = "'CANCELADA'");
    ck_assert_int_eq(health_look(owner, &health), STATUS_OK);
    say_overdue("windows", &health.windows);
    say_overdue("expiries", &health.expiries);
    ck_assert_uint_eq(health.oldest_order, oldest);
    assert_text(said, "windows 2 60 s; expiries 2 7 s; ");
}
END_TEST

/* The cancellation window of these tests is of 30 s. */
#define A_WINDOW_LATER  A_MINUTE " + INTERVAL 30 SECOND"
#define JUST_AFTER_THAT A_WINDOW_LATER " + INTERVAL 1 MICROSECOND"

static void add_ahead(void) {
    add_transaction("CONFIRMADA", AHEAD, JUST_AFTER_THAT);
    add_transaction("CONFIRMADA", AHEAD, AFTER(200));
    add_transaction("CONFIRMADA", A_MINUTE, AFTER(300));
    add_transaction("CONFIRMADA", AHEAD, A_WINDOW_LATER);
    add_transaction("FINALIZADA", AHEAD, AFTER(300));
    database_run("INSERT INTO network_rooms (network_id, currency, part, day) VALUES (1, 'COP', 0, " AHEAD "),"
                 " (1, 'COP', 1, " AHEAD "), (1, 'USD', 0, " AHEAD "), (2, 'COP', 0, " A_MINUTE ")");
    database_run("INSERT INTO payment_counts (span, began_at, currency, payments) VALUES ('minute', " AHEAD ", '', 0),"
                 " ('minute', " AFTER(90) ", '', 0), ('hour', " AFTER(7200) ", '', 0)");
}

static void say_ahead(void) {
    struct health health;
    const instant noon = database_instant(NOON);
    ck_assert_int_eq(health_look(owner, &health), STATUS_OK);
    say(arena_print(arena, "%" PRIu64 " for %d s", health.ahead.count, (int)(health.ahead.oldest / SECOND)));
    say_number("limits", health.limits_ahead);
    say_number("until", health.was_ahead_until == 0 ? 0 : (uint64_t)((health.was_ahead_until - noon) / SECOND));
}

START_TEST(what_a_clock_wrote_that_was_ahead) {
    add_ahead();
    say_ahead();
    assert_text(said, "2 for 200 s; limits 2; until 90; ");
}
END_TEST

/* Another server of a cluster may be ahead by a minute. */
START_TEST(a_minute_is_not_ahead) {
    add_transaction("CONFIRMADA", A_MINUTE, JUST_AFTER_THAT);
    database_run("INSERT INTO network_rooms (network_id, currency, part, day) VALUES (2, 'COP', 0, " A_MINUTE ")");
    database_run("INSERT INTO payment_counts (span, began_at, currency, payments) VALUES ('minute', " A_MINUTE ", '',"
                 " 0), ('hour', " AHEAD ", '', 0)");
    say_ahead();
    assert_text(said, "0 for 0 s; limits 0; until 0; ");
}
END_TEST

START_TEST(the_open_settlement_was_opened_ahead) {
    struct health health[2];
    const char *opened = database_text("SELECT opened_at FROM settlements WHERE is_open = 1");
    database_stop_clock(owner, arena_print(arena, "'%s' - INTERVAL 1 MINUTE", opened).at);
    ck_assert_int_eq(health_look(owner, &health[0]), STATUS_OK);
    database_stop_clock(owner, arena_print(arena, "'%s' - INTERVAL 60000001 MICROSECOND", opened).at);
    ck_assert_int_eq(health_look(owner, &health[1]), STATUS_OK);
    ck_assert_int_eq(health[0].settlement_opened_ahead, 0);
    ck_assert_uint_eq((uint64_t)health[1].settlement_opened_ahead,
                      database_number("SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', '%s')", opened));
}
END_TEST

/* Of these top-ups all but the first would make the account too full by the last digit. */
START_TEST(top_ups_without_room_are_counted) {
    uint64_t count, full = sample_account("1"), fuller = sample_account("2");
    for (int i = 0; i < 3; i++) {
        new_transaction(.account_id = i == 0 ? full : fuller, .state = "'CONFIRMADA'", .amount = "5",
                        .window_ends_at = NOON);
        new_transaction(.account_id = fuller, .state = "'CONFIRMADA'", .amount = "9", .window_ends_at = JUST_AFTER);
        new_transaction(.account_id = fuller, .state = "'FINALIZADA'", .amount = "9", .window_ends_at = BEFORE(9));
    }
    database_run("UPDATE accounts SET balance = 999999999999994.9999 + (document = '2') * 0.0001");
    ck_assert_int_eq(health_without_room(owner, &count), STATUS_OK);
    ck_assert_uint_eq(count, 2);
}
END_TEST

static void say_resting(void *context, const struct resting_endpoint *endpoint) {
    (void)context;
    say(arena_print(arena, "%.*s %" PRIu64 "%s, %" PRIu64 " for %d s", TEXT_ARGS(endpoint->merchant),
                    endpoint->failures, endpoint->is_probed ? " probed" : "", endpoint->pending,
                    (int)(endpoint->failing_for / SECOND)));
}

START_TEST(resting_endpoints_are_listed) {
    add_notices();
    add_endpoint(mute, NOON, NOON);
    add_endpoint(disabled, NOON, NOON);
    add_endpoint(new_merchant(.name = "'a-resting'", .notify_url = "'http://a/'"), JUST_AFTER, JUST_AFTER);
    add_endpoint(new_merchant(.name = "'b-resting'", .notify_url = "'http://a/'"), NOON, BEFORE(8));
    add_notice(resting, "pending", AFTER(30), "");
    add_notice(resting, "exhausted", AFTER(30), "");
    ck_assert_int_eq(health_resting(owner, arena, say_resting, NULL), STATUS_OK);
    assert_text(said, "a-resting 2, 0 for 0 s; b-resting 2 probed, 0 for 8 s; c-resting 2 probed, 3 for 5 s; ");
}
END_TEST

static void say_refusing(void *context, const struct refusing_merchant *merchant) {
    (void)context;
    say(arena_print(arena, "%.*s %" PRIu64 " for %d s", TEXT_ARGS(merchant->name), merchant->failed,
                    (int)(merchant->oldest / SECOND)));
}

START_TEST(merchants_that_refuse_are_listed) {
    uint64_t another = new_merchant(.name = "'a-well'", .notify_url = "'http://a/'");
    add_notice(well, "pending", AFTER(30), ", attempts = 1, created_at = " BEFORE(1200));
    add_notice(well, "pending", AFTER(30), ", attempts = 1, created_at = " BEFORE(1100));
    add_notice(another, "pending", AFTER(30), ", attempts = 1, created_at = " BEFORE(1000));
    ck_assert_int_eq(health_refusing(owner, arena, say_refusing, NULL), STATUS_OK);
    assert_text(said, "a-well 1 for 1000 s; b-well 2 for 1200 s; ");
}
END_TEST

static void count_resting(void *context, const struct resting_endpoint *endpoint) {
    (void)endpoint;
    (*(size_t *)context)++;
}

static void count_refusing(void *context, const struct refusing_merchant *merchant) {
    (void)merchant;
    (*(size_t *)context)++;
}

#define MANY " FROM seq_1_to_1002"

START_TEST(a_thousand_merchants_are_listed) {
    size_t rest = 0, refuse = 0;
    database_run(
        "INSERT INTO merchants (name, commerce, country, notify_url, fixed_hash, notification_hash, changed_by)"
        " SELECT seq, 'x', 343, 'http://a/', 'x', 'x', 'test'" MANY);
    database_run("INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, due_at,"
                 " attempts, created_at) SELECT id, id, 'approved', 'pending', 5, '', " AFTER(30) ", 1, " BEFORE(
                     1200) " FROM merchants WHERE commerce = 'x'");
    ck_assert_int_eq(health_refusing(owner, arena, count_refusing, &refuse), STATUS_OK);
    database_run("INSERT INTO endpoints (merchant_id, failures, resting_until) SELECT id, 1, " NOON
                 " FROM merchants WHERE commerce = 'x'");
    ck_assert_int_eq(health_resting(owner, arena, count_resting, &rest), STATUS_OK);
    ck_assert_uint_eq(refuse, 1000);
    ck_assert_uint_eq(rest, 1000);
}
END_TEST

START_TEST(what_waits_for_another_attempt_is_counted) {
    uint64_t count[2];
    add_notice(well, "pending", JUST_AFTER, ", attempts = 1");
    add_notice(well, "pending", AFTER(9), ", attempts = 2");
    add_notice(well, "pending", NOON, ", attempts = 1");
    add_notice(well, "pending", AFTER(9), "");
    add_notice(well, "exhausted", AFTER(9), ", attempts = 1");
    ck_assert_int_eq(health_retries(owner, 9, &count[0]), STATUS_OK);
    ck_assert_int_eq(health_retries(owner, 1, &count[1]), STATUS_OK);
    ck_assert_uint_eq(count[0], 2);
    ck_assert_uint_eq(count[1], 1);
}
END_TEST

TCase *health_tests(void) {
    TCase *tests = database_case("health");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, notifications_are_counted_by_what_they_wait_for);
    tcase_add_test(tests, what_is_overdue_is_counted);
    tcase_add_test(tests, what_a_clock_wrote_that_was_ahead);
    tcase_add_test(tests, a_minute_is_not_ahead);
    tcase_add_test(tests, the_open_settlement_was_opened_ahead);
    tcase_add_test(tests, top_ups_without_room_are_counted);
    tcase_add_test(tests, resting_endpoints_are_listed);
    tcase_add_test(tests, merchants_that_refuse_are_listed);
    tcase_add_test(tests, a_thousand_merchants_are_listed);
    tcase_add_test(tests, what_waits_for_another_attempt_is_counted);
    return tests;
}
