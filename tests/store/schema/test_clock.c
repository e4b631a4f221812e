#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* Decisions by the clock, to the microsecond. The functions of the schema call utc_now, which no session can change.
 * Here it is replaced by one that returns the session's clock. */

#define NOON     "'2030-05-05 12:00:00'"
#define JUST_NOT " - INTERVAL 1 MICROSECOND"
#define NEXT     " + INTERVAL 1 MICROSECOND"

static MYSQL *mysql;
static const char *utc_now, *mode; /* as defined in the schema */

static void set_clock(const char *moment) {
    database_run("SET timestamp = UNIX_TIMESTAMP(%s)", moment);
}

static void replace_clock(void) {
    mysql = database_login(OWNER);
    ck_assert_int_eq(mysql_query(mysql, "SHOW CREATE FUNCTION utc_now"), 0);
    MYSQL_RES *rows = mysql_store_result(mysql);
    MYSQL_ROW row = mysql_fetch_row(rows);
    mode = arena_copy(arena, text_of(row[1])).at;
    utc_now = arena_copy(arena, text_of(row[2])).at;
    mysql_free_result(rows);
    database_run("CREATE OR REPLACE FUNCTION utc_now () RETURNS DATETIME(6) NO SQL RETURN UTC_TIMESTAMP(6)");
}

/* Empties tables that database_case does not. */
static void empty_other_tables(void) {
    database_run("DELETE FROM dual_changes; DELETE FROM dual_control; DELETE FROM endpoint_tests;"
                 " DELETE FROM endpoints; DELETE FROM last_done; DELETE FROM external_queries;"
                 " DELETE FROM payment_counts; DELETE FROM refusal_counts; TRUNCATE TABLE console_users");
}

static void tear_down(void) {
    ck_assert_uint_eq(
        database_error(mysql, "SET sql_mode = '%s'; CREATE OR REPLACE%s", mode, utc_now + strlen("CREATE")), 0);
    mysql_close(mysql);
    database_run("SET timestamp = DEFAULT");
    empty_other_tables();
}

static void keep(const char *name, uint64_t id) {
    database_run("SET @%s = %" PRIu64, name, id);
}

static void add_notice(const char *merchant, uint64_t order, const char *state, const char *due_at) {
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = @%s, status = 'cancelled',"
                 " state = '%s', amount = 5, payment_means = '', due_at = %s, attempts = 1, settled_at = " NOW,
                 order, merchant, state, due_at);
}

/* Adds an order that nobody pays, one that is held, and top-ups. */
static void add_payments(void) {
    uint64_t held = new_order(.reference = "2", .due_at = "'2031-01-01'");
    keep("merchant", new_merchant(.notify_url = "'http://a/'"));
    keep("open_order", new_order(.reference = "1", .due_at = NOON));
    keep("held", held);
    keep("payment", confirmed_payment(held, "45000", NOON));
    keep("top_up",
         new_transaction(.account_id = sample_account("1020"), .state = "'CONFIRMADA'", .window_ends_at = NOON));
    new_transaction(.order_id = 5, .state = "'CONFIRMADA'", .window_ends_at = NOON " - INTERVAL 1 MINUTE");
}

/* Adds a claim and a notify_url that wait for approval until noon. */
static void add_approvals(void) {
    uint64_t paid = new_order(.reference = "3");
    set_clock(NOON " - INTERVAL 1 DAY");
    approve(paid, confirmed_payment(paid, "45000", AN_HOUR_AGO));
    keep("paid", paid);
    database_run("INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 1, valid_for = 86400;"
                 " INSERT INTO dual_changes SET kind = 'notify_url', valid_for = 86400;"
                 " DO order_claim(@paid, 'roto', 'operator:eva');"
                 " SET @asked = approval_ask('notify_url', @merchant, 'http://b/', NULL, 0, 'why', 'operator:eva')");
}

/* Adds rows that are purged, or lose their personal data, when they are older than a day. */
static void add_old_rows(void) {
    uint64_t old = new_order(.reference = "4", .state = "'VENCIDA'");
    set_clock(NOON " - INTERVAL 1 DAY" JUST_NOT);
    database_run("UPDATE orders SET email = 'a@b.example' WHERE id = %" PRIu64, old);
    keep("old", old);
    keep("registered", new_transaction(.order_id = old));
    keep("cancelled", new_transaction(.order_id = old, .state = "'CANCELADA'"));
    database_run("UPDATE transactions SET surname1 = 'Paz' WHERE id IN (@registered, @cancelled)");
    add_notice("merchant", old, "delivered", "'2030-01-01'");
    database_run(
        "INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, address, reason, late,"
        " reply, lease) VALUES (LAST_INSERT_ID(), 1, 1, " NOW ", 5, '', 'timeout', FALSE, '', REPEAT('l', 16))");
    database_run("SET @attempt = LAST_INSERT_ID(); INSERT INTO external_queries (asked_at, merchant_id, integration_id,"
                 " network_id, reference, duration_us, outcome) VALUES (" NOW ", @merchant, 1, 1, '1', 5, 'answered')");
    database_run("SET @query = LAST_INSERT_ID()");
}

static void add_tests_of_endpoints(void) {
    keep("other", new_merchant(.notify_url = "'http://a/'"));
    database_run("INSERT INTO console_users SET name = 'boss', role = 'operator', changed_by = 'test'");
    database_run("SET @boss = LAST_INSERT_ID(), @under_way = " NOON " - INTERVAL 1 MINUTE" JUST_NOT ", @done = " NOON
                 " - INTERVAL 10 SECOND" JUST_NOT);
    database_run("INSERT INTO endpoint_tests (merchant_id, asked_at, asked_by, currency, done_at)"
                 " VALUES (@merchant, @under_way, 'x', 'COP', NULL), (@other, @done, 'x', 'COP', @done)");
}

/* Adds two stuck notifications, and for each merchant one that it refused. */
static void add_notices(void) {
    add_notice("other", 1000001, "pending", NOON);
    add_notice("merchant", 1000002, "waiting", NOON " - INTERVAL 5 SECOND");
    add_notice("merchant", 1000003, "unaddressed", NOON " - INTERVAL 5 SECOND");
    set_clock(NOON " - INTERVAL 15 MINUTE" JUST_NOT);
    add_notice("merchant", 1000004, "pending", "'2031-01-01'");
}

static void set_up(void) {
    replace_clock();
    empty_other_tables();
    set_clock(NOON " - INTERVAL 2 DAY");
    add_payments();
    add_old_rows();
    add_approvals();
    add_tests_of_endpoints();
    add_notices();
    database_run("SET @settlement = (SELECT number FROM settlements WHERE is_open = 1),"
                 " @opened = (SELECT opened_at FROM settlements WHERE is_open = 1)");
}

#define OF_VIEW(what, view) "(SELECT " what " FROM " view ")"

/* The result of a call or view a microsecond before noon, and at noon. */
static const struct {
    const char *asked, *before, *then;
} AT_NOON[] = {
    {"payments_finalise(9)", "0", "1"},
    {"order_finalise(@held, 'eva')", "0", "1"},
    {"top_ups_finalise(9)", "0", "1"},
    {"top_up_finalise(@top_up, 'eva')", "0", "1"},
    {"orders_expire(9)", "0", "1"},
    {"order_expire(@open_order)", "0", "1"},
    {"order_cancel(@open_order, NULL, 'eva')", "1", "0"},
    {"order_claim(@paid, 'roto', 'operator:eva')", "3", "2"},
    {"approval_answer(@asked, TRUE, '', 'operator:ivo')", "1", "2"},
    {"approval_answer(@asked, FALSE, '', 'operator:ivo')", "1", "1"},
    {"approval_ask('notify_url', @merchant, 'http://b/', NULL, 0, 'why', 'operator:eva') = @asked", "1", "0"},
    {"settlement_close(@settlement, 'eva', NULL, NULL, " NOON ")", "0", "1"},
    {"settlement_close(@settlement, 'eva', NULL, NULL, @opened)", "0", "0"},
    {"settlement_close(@settlement, 'eva', NULL, NULL, @opened" NEXT ")", "1", "1"},
    {"console_test(@boss, @merchant, @under_way, 'why')", "0", "1"},
    {"console_test(@boss, @other, @done, 'why')", "0", "1"},
    {"attempts_purge(CONCAT('[', @attempt, ']'), 'old', 'eva')", "0", "1"},
    {"queries_purge(CONCAT('[', @query, ']'), 'old', 'eva')", "0", "1"},
    {"transactions_purge(CONCAT('[', @registered, ']'), 'eva')", "0", "1"},
    {"transactions_purge(CONCAT('[', @cancelled, ']'), 'eva')", "0", "1"},
    {"orders_purge(CONCAT('[', @old, ']'), 'eva')", "0", "1"},
    {OF_VIEW("state_now", "orders_now WHERE id = @open_order"), "PENDIENTE", "VENCIDA"},
    {OF_VIEW("window_closed", "orders_now WHERE id = @held"), "0", "1"},
    {OF_VIEW("window_closed", "transactions_now WHERE id = @payment"), "0", "1"},
    {OF_VIEW("COUNT(*)", "due_now WHERE work = 'finalise' AND id = @payment"), "0", "1"},
    {OF_VIEW("COUNT(*)", "due_now WHERE work = 'expire'"), "0", "1"},
    {OF_VIEW("COUNT(*)", "due_now WHERE work = 'notify'"), "0", "1"},
    {OF_VIEW("COUNT(*)", "notifications_stuck WHERE state = 'waiting'"), "0", "1"},
    {OF_VIEW("COUNT(*)", "notifications_stuck WHERE state = 'unaddressed'"), "0", "1"},
    {OF_VIEW("COUNT(*)", "merchants_refusing WHERE merchant_id = @merchant"), "0", "1"},
    {OF_VIEW("COUNT(*)", "merchants_refusing WHERE merchant_id = @other"), "1", "0"},
};

static const char *asked_at(const char *moment, const char *what) {
    set_clock(moment);
    database_run("BEGIN");
    const char *said = database_text("SELECT %s", what);
    database_run("SET @purged = (SELECT COUNT(*) FROM event_log WHERE what = 'purged' AND at = " NOW "); ROLLBACK");
    return said;
}

START_TEST(noon_decides) {
    const char *what = AT_NOON[_i].asked, *before = asked_at(NOON JUST_NOT, what);
    uint64_t too_early = database_number("SELECT @purged");
    const char *then = asked_at(NOON, what);
    ck_assert_msg(strcmp(before, AT_NOON[_i].before) == 0, "%s gives %s before", what, before);
    ck_assert_msg(strcmp(then, AT_NOON[_i].then) == 0, "%s gives %s at noon", what, then);
    ck_assert_uint_eq(too_early, 0);
    ck_assert_uint_eq(database_number("SELECT @purged"), strstr(what, "_purge") != NULL);
}
END_TEST

START_TEST(a_reference_is_free_when_its_time_is_over) {
    static const char ORDER[] = "SET timestamp = UNIX_TIMESTAMP(" NOON " + INTERVAL 89 DAY" JUST_NOT
                                "%s); INSERT INTO orders (merchant_id, po_id,"
                                " reference, amount, currency, origin, due_at, changed_by)"
                                " VALUES (%s, 'free', '4', 1, 'COP', 'imported', '2031-01-01', 'test')";
    const char *other = database_text("SELECT @other");
    ck_assert_uint_eq(database_error(mysql, ORDER, JUST_NOT, other), ER_DUP_ENTRY);
    ck_assert_uint_eq(database_error(mysql, ORDER, "", other), 0);
}
END_TEST

/* The clock was set back. */
START_TEST(no_settlement_is_closed_before_it_was_opened) {
    set_clock("@opened - INTERVAL 1 HOUR");
    database_run("BEGIN; SET @closed = settlement_close(@settlement, 'eva', NULL, NULL, NULL)");
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', state, closed_at = @opened, opened_at = @opened)"
                                   " ORDER BY number) FROM settlements WHERE number >= @settlement"),
                     "closed 1 1,open 1");
    database_run("ROLLBACK");
}
END_TEST

START_TEST(no_settlement_is_closed_as_it_is_opened) {
    set_clock("@opened");
    ck_assert_uint_eq(database_number("SELECT settlement_close(@settlement, 'eva', NULL, NULL, @opened)"), 0);
}
END_TEST

/* 14 hours before it is midnight in UTC the day begins where it begins first. */
START_TEST(no_day_is_closed_before_it_begins) {
    static const struct {
        const char *moment, *day, *cut, *closed;
    } DAYS[] = {
        {"10:00:00", "2030-05-06", "@opened" NEXT, "1"}, {"09:59:59.999999", "2030-05-06", "@opened" NEXT, "0"},
        {"10:00:00", "2030-05-05", "NULL", "1"},         {"09:59:59.999999", "2030-05-05", "NULL", "0"},
        {"10:00:00", "9999-12-31", "@opened" NEXT, "0"}, {"10:00:00", "2030-02-31", "NULL", "1"},
    };
    for (size_t i = 0; i < COUNT_OF(DAYS); i++) {
        set_clock(arena_print(arena, "'2030-05-05 %s'", DAYS[i].moment).at);
        database_run("BEGIN");
        ck_assert_str_eq(
            database_text("SELECT settlement_close(@settlement, 'eva', '%s', 'UTC', %s)", DAYS[i].day, DAYS[i].cut),
            DAYS[i].closed);
        database_run("ROLLBACK");
    }
}
END_TEST

/* Payments confirmed since midnight count for the day. Those of before that are still in their window count for the
 * outstanding sum too. */
START_TEST(a_new_limit_counts_from_midnight_on) {
    static const struct {
        const char *state, *amount, *window_ends_at; /* 30 s after it was confirmed */
    } PAYMENTS[] = {
        {"'FINALIZADA'", "1", "'2030-05-05 00:00:30'"},     {"'FINALIZADA'", "10", "'2030-05-05 00:00:29.999999'"},
        {"'CONFIRMADA'", "100", "'2030-05-05 00:00:30'"},   {"'CONFIRMADA'", "1000", "'2030-05-05 00:00:29.999999'"},
        {"'CONFIRMADA'", "10000", "'2030-05-01 12:00:00'"},
    };
    uint64_t network = sample_network(NULL);
    for (size_t i = 0; i < COUNT_OF(PAYMENTS); i++) {
        new_transaction(.network_id = network, .order_id = 5, .state = PAYMENTS[i].state, .amount = PAYMENTS[i].amount,
                        .window_ends_at = PAYMENTS[i].window_ends_at);
    }
    keep("network", network);
    set_clock(NOON);
    database_run(
        "DO network_limit_begin(@network, 'COP'), network_limit_set_now(@network, 'COP', 20000, 20000, 'eva')");
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', 20000 - SUM(day_room), 20000 - SUM(outstanding_room))"
                                   " FROM network_rooms WHERE network_id = @network"),
                     "101.0000 11101.0000");
}
END_TEST

static const char *counts(void) {
    return database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', span, DATE_FORMAT(began_at, '%%e %%H:%%i'), payments)"
                         " ORDER BY span, began_at) FROM payment_counts WHERE payments > 0");
}

START_TEST(a_minute_is_counted_five_seconds_after_its_end) {
    set_clock("'2030-05-05 12:00:04.999999'");
    ck_assert_uint_eq(database_number("SELECT payments_count()"), 1);
    ck_assert_uint_eq(database_number("SELECT payments_count()"), 0);
    set_clock("'2030-05-05 12:00:05'");
    ck_assert_uint_eq(database_number("SELECT payments_count()"), 1);
}
END_TEST

/* Counts from the last counted minute on, with the payments of set_up. The counts in the future were made before the
 * clock was set back. */
START_TEST(an_hour_is_the_sum_of_its_minutes_and_old_counts_go) {
    set_clock("'2030-05-05 12:00:05'");
    database_run("INSERT INTO payment_counts VALUES ('minute', '2030-05-05 10:59', 'COP', 1),"
                 " ('minute', '2030-05-05 11:00', 'COP', 20), ('minute', '2030-05-05 12:07', 'COP', 4000),"
                 " ('minute', '2030-05-05 10:00', 'COP', 5),"
                 " ('minute', '2030-05-05 09:59', 'COP', 6), ('hour', '2030-04-27 12:00', 'COP', 7),"
                 " ('hour', '2030-04-27 11:59', 'COP', 8);"
                 " INSERT INTO refusal_counts VALUES ('2030-04-27 12:00', '0001', 1, " NOW "),"
                 " ('2030-04-27 11:59', '0002', 1, " NOW ")");
    ck_assert_uint_eq(database_number("SELECT payments_count()"), 59);
    ck_assert_str_eq(counts(), "minute 5 10:00 5,minute 5 10:59 1,minute 5 11:00 20,minute 5 11:58 1,minute 5 11:59 2,"
                               "minute 5 12:07 4000,hour 27 12:00 7,hour 5 11:00 23");
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(code) FROM refusal_counts"), "0001");
}
END_TEST

START_TEST(no_more_than_two_hours_are_counted) {
    database_run("INSERT INTO payment_counts VALUES ('minute', '2030-05-04', '', 0)");
    set_clock("'2030-05-05 12:00:05'");
    ck_assert_uint_eq(database_number("SELECT payments_count()"), 120);
    ck_assert_str_eq(database_text("SELECT MIN(began_at) FROM payment_counts"), "2030-05-05 10:00:00.000000");
}
END_TEST

/* A program found the disk full at `full`; the last event is of the time `event`. At noon a program asks whether there
 * is room. A program notes at most every 10 s that there is none, so an event of these proves nothing. */
static const struct {
    const char *full, *event;
    const char *said; /* 1: there is room; the number of events that report it; when the disk was full */
} ROOM[] = {
    {"NULL", "'2030-01-01'", "1 0"},
    {NOON, "'2030-01-01'", "0 0 12:00:00.000000"},
    {NOON " + INTERVAL 1 HOUR", "'2030-01-01'", "0 0 12:00:00.000000"},
    {NOON " - INTERVAL 1 MINUTE", "'2030-01-01'", "0 0 11:59:00.000000"},
    {NOON " - INTERVAL 1 MINUTE" JUST_NOT, "'2030-01-01'", "1 1 11:58:59.999999"},
    {NOON " - INTERVAL 2 MINUTE", NOON " - INTERVAL 2 MINUTE", "1 1 11:58:00.000000"},
    {NOON " - INTERVAL 2 MINUTE", NOON " - INTERVAL 110 SECOND", "1 1 11:58:00.000000"},
    {NOON " - INTERVAL 2 MINUTE", NOON " - INTERVAL 110 SECOND" NEXT, "1 0 11:58:00.000000"},
    {NOON " - INTERVAL 2 MINUTE", NOON " + INTERVAL 1 MINUTE" JUST_NOT, "1 0 11:58:00.000000"},
    {NOON " - INTERVAL 2 MINUTE", NOON " + INTERVAL 1 MINUTE", "1 1 11:58:00.000000"},
};

START_TEST(there_is_room_again_a_minute_later) {
    database_run("INSERT INTO last_done (what, host, at) SELECT 'full', LEFT(@@hostname, 64), full FROM"
                 " (SELECT %s AS full) AS noted WHERE full IS NOT NULL",
                 ROOM[_i].full);
    database_run("INSERT INTO last_done VALUES ('full', 'elsewhere', " NOON ")");
    database_run("INSERT INTO event_log SET subject = 'order', subject_id = 1, what = 'x', actor = 'x', at = %s",
                 ROOM[_i].event);
    set_clock(NOON);
    database_run("BEGIN; SET @has_room = write_try()");
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', @has_room, (SELECT COUNT(*) FROM event_log WHERE what = 'room'"
                      " AND at = " NOON " AND actor = 'monitoring'), (SELECT TIME(at) FROM last_done"
                      " WHERE what = 'full' AND host <> 'elsewhere'))"),
        ROOM[_i].said);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM last_done WHERE what = 'write' AND at = " NOON), 1);
    database_run("ROLLBACK");
}
END_TEST

TCase *clock_tests(void) {
    TCase *tests = database_case("clock");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, noon_decides, AT_NOON);
    tcase_add_test(tests, a_reference_is_free_when_its_time_is_over);
    tcase_add_test(tests, no_settlement_is_closed_before_it_was_opened);
    tcase_add_test(tests, no_settlement_is_closed_as_it_is_opened);
    tcase_add_test(tests, no_day_is_closed_before_it_begins);
    tcase_add_test(tests, a_new_limit_counts_from_midnight_on);
    tcase_add_test(tests, a_minute_is_counted_five_seconds_after_its_end);
    tcase_add_test(tests, an_hour_is_the_sum_of_its_minutes_and_old_counts_go);
    tcase_add_test(tests, no_more_than_two_hours_are_counted);
    add_table_test(tests, there_is_room_again_a_minute_later, ROOM);
    return tests;
}
