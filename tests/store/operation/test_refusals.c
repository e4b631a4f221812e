#include "store.h"

#include "store/operation/refusals.h"
#include "store/payment/counts.h"

static struct connection *worker;

static void set_up(void) {
    database_run("TRUNCATE refusal_counts");
    worker = database_connect(WORKER);
}

static void tear_down(void) {
    connection_close(worker);
}

/* In an hour that began so many hours before this one. */
static void refused_before(unsigned hours, const char *code, unsigned count) {
    database_run("INSERT INTO refusal_counts (began_at, code, refusals)"
                 " VALUES (DATE_FORMAT(UTC_TIMESTAMP(), '%%Y-%%m-%%d %%H:00:00') - INTERVAL %u HOUR, '%s', %u)",
                 hours, code, count);
}

static void note(void *context, const struct refusal_count *count) {
    struct text *said = context;
    *said = arena_print(arena, "%.*s%.*s %llu %llu; ", TEXT_ARGS(*said), TEXT_ARGS(count->code),
                        (unsigned long long)count->lately, (unsigned long long)count->of_day);
}

static const char *listed(void) {
    struct text said = TEXT("");
    struct connection *console = database_connect(CONSOLE);
    ck_assert_int_eq(refusals_list(console, arena, note, &said), STATUS_OK);
    connection_close(console);
    return arena_copy(arena, said).at;
}

START_TEST(workers_add_to_the_hour_that_runs) {
    ck_assert_int_eq(refusals_note(worker, "0103", 2), STATUS_OK);
    ck_assert_int_eq(refusals_note(worker, "0025", 1), STATUS_OK);
    ck_assert_int_eq(refusals_note(worker, "0103", 3), STATUS_OK);
    ck_assert_str_eq(listed(), "0103 5 5; 0025 1 1; ");
}
END_TEST

START_TEST(hours_of_the_day_are_added_up) {
    refused_before(1, "0101", 4);
    refused_before(2, "0101", 8);
    refused_before(23, "0101", 16);
    refused_before(24, "0101", 32);
    refused_before(2, "0028", 100);
    ck_assert_str_eq(listed(), "0028 0 100; 0101 4 28; ");
}
END_TEST

START_TEST(the_last_ones_of_a_code) {
    struct connection *operator= database_connect(OPERATOR);
    struct last_refusals last;
    ck_assert_int_eq(refusals_last(operator, "0009", &last), STATUS_NONE);
    refused_before(3, "0009", 5);
    refused_before(2, "0009", 7);
    refused_before(1, "0113", 9);
    database_run("UPDATE refusal_counts SET last_at = UTC_TIMESTAMP(6) - INTERVAL 2 HOUR WHERE refusals = 7");
    ck_assert_int_eq(refusals_last(operator, "0009", &last), STATUS_OK);
    ck_assert_uint_eq(last.count, 7);
    ck_assert_int_ge(last.ago, 2 * HOUR);
    ck_assert_int_lt(last.ago, 2 * HOUR + MINUTE);
    ck_assert_int_eq(last.hour % HOUR, 0);
    ck_assert_int_eq(refusals_note(worker, "0009", 1), STATUS_OK);
    ck_assert_int_eq(refusals_note(worker, "0009", 2), STATUS_OK);
    ck_assert_int_eq(refusals_last(operator, "0009", &last), STATUS_OK);
    ck_assert_uint_eq(last.count, 3);
    ck_assert_int_lt(last.ago, MINUTE);
    connection_close(operator);
}
END_TEST

START_TEST(what_is_old_goes_when_payments_are_counted) {
    struct connection *dispatcher = database_connect(DISPATCHER);
    database_run("TRUNCATE payment_counts");
    database_run(
        "INSERT INTO payment_counts (span, began_at, currency, payments)"
        " VALUES ('minute', DATE_FORMAT(UTC_TIMESTAMP(), '%%Y-%%m-%%d %%H:%%i:00') - INTERVAL 5 MINUTE, '', 0)");
    refused_before(8 * 24 + 1, "0101", 1);
    refused_before(8 * 24 - 1, "0102", 1);
    ck_assert_int_eq(payment_counts_update(dispatcher), STATUS_OK);
    connection_close(dispatcher);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(code) FROM refusal_counts"), "0102");
}
END_TEST

TCase *refusals_tests(void) {
    TCase *tests = database_case("refusals");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, workers_add_to_the_hour_that_runs);
    tcase_add_test(tests, hours_of_the_day_are_added_up);
    tcase_add_test(tests, the_last_ones_of_a_code);
    tcase_add_test(tests, what_is_old_goes_when_payments_are_counted);
    return tests;
}
