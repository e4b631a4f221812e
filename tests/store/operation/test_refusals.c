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

/* Counts refusals in the hour that began so many hours before the present one. */
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

static void note_network(void *context, const struct refused_network *network) {
    struct text *told = context;
    *told = arena_print(arena, "%.*s%.*s %.*s;", TEXT_ARGS(*told), TEXT_ARGS(network->name), TEXT_ARGS(network->code));
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

/*
 * A series that began and ended so many seconds ago, of a network that registered a payment so long ago, and whose
 * last request was served so long ago (0: never).
 */
static const struct {
    const char *code;
    unsigned began, ended, paid, served;
    bool is_enabled, is_told;
} SERIES[] = {
    {"0025", 90, 5, 0, 0, true, true},     {"0025", 90, 5, 240, 0, true, false},   {"0025", 90, 5, 360, 0, true, true},
    {"0019", 90, 5, 240, 0, true, true},   {"0019", 60, 5, 0, 0, true, false}, /* for less than a minute */
    {"0019", 1200, 890, 0, 0, true, true}, {"0019", 1200, 910, 0, 0, true, false}, {"0019", 90, 5, 0, 4, true, false},
    {"0025", 90, 5, 0, 4, true, false},    {"0019", 90, 5, 0, 6, true, true},      {"0019", 90, 5, 0, 0, false, false},
};

START_TEST(networks_that_are_refused_altogether) {
    struct text told = TEXT("");
    struct connection *operator= database_connect(OPERATOR);
    uint64_t network = sample_network("red");
    uint64_t order = new_order(.reference = "1");
    database_run("TRUNCATE network_refusals; UPDATE networks SET enabled = %d", SERIES[_i].is_enabled);
    database_run("INSERT INTO network_refusals (network_id, code, since, last_at) VALUES (%llu, '%s',"
                 " UTC_TIMESTAMP(6) - INTERVAL %u SECOND, UTC_TIMESTAMP(6) - INTERVAL %u SECOND)",
                 (unsigned long long)network, SERIES[_i].code, SERIES[_i].began, SERIES[_i].ended);
    if (SERIES[_i].served > 0) {
        database_run("UPDATE network_refusals SET served_at = UTC_TIMESTAMP(6) - INTERVAL %u SECOND",
                     SERIES[_i].served);
    }
    if (SERIES[_i].paid > 0) {
        database_run("INSERT INTO transactions SET network_id = %llu, network_transaction = 'T', order_id = %llu,"
                     " reference = '1', amount = 5, currency = 'COP', commerce = '', description = '', teller = '',"
                     " fingerprint = '', changed_by = 'test', registered_at = UTC_TIMESTAMP(6) - INTERVAL %u SECOND",
                     (unsigned long long)network, (unsigned long long)order, SERIES[_i].paid);
    }
    ck_assert_int_eq(refusals_of_networks(operator, arena, note_network, &told), STATUS_OK);
    connection_close(operator);
    ck_assert_int_eq(told.size > 0, SERIES[_i].is_told);
}
END_TEST

/* A second refusal so many seconds after the first, with or without a request that was served meanwhile. */
static const struct {
    unsigned gap;
    bool is_served, is_one_series;
} GAPS[] = {{240, true, true}, {360, true, false}, {360, false, true}, {3540, false, true}, {3660, false, false}};

START_TEST(a_series_of_refusals_ends_with_a_gap) {
    database_run("TRUNCATE network_refusals");
    ck_assert_int_eq(refusals_note_network(worker, 7, "0019"), STATUS_OK);
    database_run(
        "UPDATE network_refusals SET since = since - INTERVAL %u SECOND, last_at = last_at - INTERVAL %u SECOND",
        GAPS[_i].gap, GAPS[_i].gap);
    ck_assert_int_eq(refusals_note_served(worker, GAPS[_i].is_served ? 7 : 8), STATUS_OK);
    ck_assert_int_eq(refusals_note_network(worker, 7, "0019"), STATUS_OK);
    ck_assert_uint_eq(database_number("SELECT since < last_at FROM network_refusals"), GAPS[_i].is_one_series);
}
END_TEST

static void count_network(void *context, const struct refused_network *network) {
    size_t *count = context;
    *count += network->code.size == 4;
}

START_TEST(a_thousand_networks_are_told) {
    size_t count = 0;
    struct connection *operator= database_connect(OPERATOR);
    database_run("TRUNCATE network_refusals; INSERT INTO networks (name, fixed_hash, changed_by) SELECT CONCAT('many',"
                 " seq), 'x', 'x' FROM seq_1_to_1002; INSERT INTO network_refusals (network_id, code, since)"
                 " SELECT id, '0019', UTC_TIMESTAMP(6) - INTERVAL 5 MINUTE FROM networks WHERE name LIKE 'many%%'");
    ck_assert_int_eq(refusals_of_networks(operator, arena, count_network, &count), STATUS_OK);
    connection_close(operator);
    database_run("TRUNCATE network_refusals");
    ck_assert_uint_eq(count, 1000);
}
END_TEST

/* The functions say that they have written, and what they write is noted once more. */
static const char *const NOTING[] = {"refusals_note('0103', 1)", "network_refused_note(7, '0019')",
                                     "network_served_note(7)"};

START_TEST(a_note_says_that_it_is_written) {
    ck_assert_uint_eq(database_number("SELECT %s", NOTING[_i]), 1);
    ck_assert_uint_eq(database_number("SELECT %s", NOTING[_i]), 1);
}
END_TEST

/* Which of the times a clock wrote that was a day ahead, and whether the network is refused or served then. */
static const struct {
    const char *ahead;
    bool is_served, is_told;
} AHEAD[] = {{"served_at", false, true}, {"last_at", true, false}};

START_TEST(a_clock_that_was_ahead_hides_and_names_nothing) {
    uint64_t network = sample_network("red");
    database_run("TRUNCATE network_refusals; UPDATE networks SET enabled = 1");
    database_run("INSERT INTO network_refusals (network_id, code, since) VALUES (%llu, '0019',"
                 " UTC_TIMESTAMP(6) - INTERVAL 5 MINUTE)",
                 (unsigned long long)network);
    database_run("UPDATE network_refusals SET %s = UTC_TIMESTAMP(6) + INTERVAL 1 DAY", AHEAD[_i].ahead);
    ck_assert_int_eq(AHEAD[_i].is_served ? refusals_note_served(worker, network)
                                         : refusals_note_network(worker, network, "0019"),
                     STATUS_OK);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM networks_refused"), AHEAD[_i].is_told);
}
END_TEST

START_TEST(what_is_served_is_written_once_after_a_refusal) {
    database_run("TRUNCATE network_refusals");
    ck_assert_int_eq(refusals_note_network(worker, 7, "0019"), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(refusals_note_served(worker, 7), STATUS_OK);
        database_run("UPDATE network_refusals SET last_at = last_at - INTERVAL 1 HOUR,"
                     " served_at = served_at - INTERVAL 50 MINUTE");
    }
    ck_assert_uint_eq(database_number("SELECT served_at < UTC_TIMESTAMP(6) - INTERVAL 90 MINUTE FROM network_refusals"),
                      1);
}
END_TEST

TCase *refusals_tests(void) {
    TCase *tests = database_case("refusals");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, workers_add_to_the_hour_that_runs);
    tcase_add_test(tests, hours_of_the_day_are_added_up);
    tcase_add_test(tests, the_last_ones_of_a_code);
    tcase_add_test(tests, what_is_old_goes_when_payments_are_counted);
    add_table_test(tests, networks_that_are_refused_altogether, SERIES);
    add_table_test(tests, a_series_of_refusals_ends_with_a_gap, GAPS);
    tcase_add_test(tests, a_thousand_networks_are_told);
    add_table_test(tests, a_note_says_that_it_is_written, NOTING);
    add_table_test(tests, a_clock_that_was_ahead_hides_and_names_nothing, AHEAD);
    tcase_add_test(tests, what_is_served_is_written_once_after_a_refusal);
    return tests;
}
