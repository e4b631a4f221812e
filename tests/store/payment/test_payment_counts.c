#include "store.h"

#include "store/payment/counts.h"

#include <inttypes.h>

/* The current minute as payments_count sees it; it waits until 5 s after the end of a minute. */
static const char *minute;

static uint64_t listed;

static const char *running_minute(void) {
    return database_text("SELECT DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL 5 SECOND, '%%Y-%%m-%%d %%H:%%i:00')");
}

static void set_up(void) {
    minute = running_minute();
    database_run("TRUNCATE payment_counts");
    database_run("INSERT INTO payment_counts (span, began_at, currency, payments)"
                 " VALUES ('minute', '%s' - INTERVAL 5 MINUTE, '', 0)",
                 minute);
}

/* Inserts a payment confirmed so many seconds before this minute began. */
static uint64_t payment(const char *reference, unsigned seconds) {
    return confirmed_payment(
        new_order(.reference = reference), "5",
        arena_print(arena, "'%s' - INTERVAL %u SECOND + INTERVAL (SELECT cancel_window FROM settings) MICROSECOND",
                    minute, seconds)
            .at);
}

static void count(void) {
    struct connection *dispatcher = database_connect(DISPATCHER);
    ck_assert_int_eq(payment_counts_update(dispatcher), STATUS_OK);
    connection_close(dispatcher);
}

static uint64_t counted(unsigned minutes) {
    return database_number("SELECT COALESCE(SUM(payments), 0) FROM payment_counts WHERE span = 'minute'"
                           " AND began_at = '%s' - INTERVAL %u MINUTE AND currency = 'COP'",
                           minute, minutes);
}

START_TEST(minutes_that_are_over_are_counted) {
    set_up();
    payment("1", 180);
    payment("2", 121);
    payment("3", 120);
    database_run("UPDATE transactions SET state = 'CANCELADA', cancelled_at = UTC_TIMESTAMP(6) WHERE id = %" PRIu64,
                 payment("4", 130));
    count();
    ck_assert_uint_eq(counted(3), 2);
    ck_assert_uint_eq(counted(2), 1);
    ck_assert_uint_eq(counted(4), 0);
    ck_assert_uint_eq(counted(0), 0);
    count();
    ck_assert_uint_eq(counted(3), 2);
}
END_TEST

START_TEST(hours_are_the_sums_of_their_minutes) {
    set_up();
    payment("1", 180);
    payment("2", 61);
    count();
    ck_assert_uint_eq(database_number("SELECT SUM(payments) FROM payment_counts WHERE span = 'hour'"), 2);
}
END_TEST

START_TEST(what_is_old_goes) {
    set_up();
    database_run("INSERT INTO payment_counts VALUES ('minute', '%s' - INTERVAL 3 HOUR, 'COP', 7),"
                 " ('hour', '%s' - INTERVAL 9 DAY, 'COP', 7), ('hour', '%s' - INTERVAL 7 DAY, 'COP', 7)",
                 minute, minute, minute);
    count();
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM payment_counts WHERE payments = 7"), 1);
}
END_TEST

START_TEST(after_a_long_pause_two_hours_are_counted) {
    set_up();
    database_run("UPDATE payment_counts SET began_at = began_at - INTERVAL 3 DAY");
    payment("1", 119 * 60);
    count();
    ck_assert_uint_eq(counted(119), 1);
}
END_TEST

START_TEST(the_first_minute_is_the_last_one) {
    unsigned order = 0;
    do { /* again if the next minute begins meanwhile */
        set_up();
        database_run("TRUNCATE payment_counts");
        payment(arena_print(arena, "%u", ++order).at, 1);
        payment(arena_print(arena, "%u", ++order).at, 61);
        count();
    } while (strcmp(running_minute(), minute) != 0);
    ck_assert_uint_eq(counted(1), 1);
    ck_assert_uint_eq(counted(2), 0);
}
END_TEST

static const struct {
    int minutes;   /* how far the clock was ahead */
    uint64_t kept; /* rows of the newest minute */
} AHEAD[] = {{0, 0}, {1, 0}, {2, 2}, {3, 2}, {24 * 60, 2}};

/* They are counted again when they are over, and in no hour before. The newest one shows how far the clock was ahead,
 * until it is near. */
START_TEST(minutes_of_the_future_stop_nothing) {
    set_up();
    database_run("INSERT INTO payment_counts"
                 " SELECT 'minute', '%s' + INTERVAL seq MINUTE, '', 0 FROM seq_0_to_%d UNION ALL"
                 " SELECT 'minute', '%s' + INTERVAL %d MINUTE, 'COP', 7 UNION ALL"
                 " SELECT 'hour', '%s' + INTERVAL 1 HOUR, 'COP', 7",
                 minute, AHEAD[_i].minutes, minute, AHEAD[_i].minutes, minute);
    payment("1", 180);
    count();
    ck_assert_uint_eq(counted(3), 1);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM payment_counts WHERE began_at >= '%s'", minute),
                      AHEAD[_i].kept);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM payment_counts WHERE span = 'minute'"
                                      " AND began_at = '%s' + INTERVAL %d MINUTE",
                                      minute, AHEAD[_i].minutes),
                      AHEAD[_i].kept);
    ck_assert_uint_eq(database_number("SELECT SUM(payments) FROM payment_counts WHERE span = 'hour'"), 1);
}
END_TEST

static void add_up(void *context, const struct payment_count *count) {
    (void)context;
    assert_text(count->currency, "COP");
    listed += count->payments;
}

START_TEST(the_console_reads_them) {
    set_up();
    payment("1", 180);
    payment("2", 121);
    count();
    struct connection *console = database_connect(CONSOLE);
    ck_assert_int_eq(
        payment_counts_list(console, &(const struct payment_period){PAYMENT_SPAN_MINUTE, 0}, arena, add_up, NULL),
        STATUS_OK);
    ck_assert_uint_eq(listed, 2);
    connection_close(console);
}
END_TEST

TCase *payment_counts_tests(void) {
    TCase *tests = database_case("payment_counts");
    tcase_add_test(tests, minutes_that_are_over_are_counted);
    tcase_add_test(tests, hours_are_the_sums_of_their_minutes);
    tcase_add_test(tests, what_is_old_goes);
    tcase_add_test(tests, after_a_long_pause_two_hours_are_counted);
    tcase_add_test(tests, the_first_minute_is_the_last_one);
    add_table_test(tests, minutes_of_the_future_stop_nothing, AHEAD);
    tcase_add_test(tests, the_console_reads_them);
    return tests;
}
