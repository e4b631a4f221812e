#include "store.h"

#include "store/console/endpoint_tests.h"
#include "store/console/orders.h"
#include "store/console/users.h"

#include <inttypes.h>

/* What the console reads of one thing: the last test of an endpoint, for which it is always noon; who answers for an
 * order's reference; the key of its forms. */

#define NOON "'2030-05-05 12:00:00'"
#define JUST " - INTERVAL 1 MICROSECOND"

static struct connection *console;
static uint64_t mine, other; /* merchants */

static void set_up(void) {
    console = database_connect(CONSOLE);
    database_stop_clock(console, NOON);
    database_run("DELETE FROM endpoint_tests");
    other = new_merchant(.name = "'other'");
    mine = new_merchant(.name = "'mine'");
}

static void tear_down(void) {
    connection_close(console);
    database_run("DELETE FROM endpoint_tests");
}

static struct console_reader reader_of(bool everything, uint64_t merchant) {
    return (struct console_reader){console, arena, {everything, merchant}};
}

static void add_test(uint64_t merchant, const char *asked_at, bool done) {
    database_run("INSERT INTO endpoint_tests (merchant_id, asked_at, asked_by, currency, done_at) VALUES (%" PRIu64
                 ", %s, 'user:%" PRIu64 "', 'COP', %s)",
                 merchant, asked_at, merchant, done ? "utc_now()" : "NULL");
}

static struct text asked_by(uint64_t merchant) {
    return arena_print(arena, "user:%" PRIu64, merchant);
}

START_TEST(a_test_is_found_by_who_may_see_its_merchant) {
    const struct console_reader all = reader_of(true, 0), own = reader_of(false, mine), nobody = reader_of(false, 0);
    struct console_test test;
    ck_assert_int_eq(console_tests_find(&all, mine, &test), STATUS_NONE);
    add_test(mine, NOON, false);
    ck_assert_int_eq(console_tests_find(&all, other, &test), STATUS_NONE);
    add_test(other, NOON, false);
    ck_assert_int_eq(console_tests_find(&all, mine, &test), STATUS_OK);
    assert_text(test.asked_by, asked_by(mine).at);
    ck_assert_int_eq(console_tests_find(&all, other, &test), STATUS_OK);
    assert_text(test.asked_by, asked_by(other).at);
    ck_assert_int_eq(console_tests_find(&own, mine, &test), STATUS_OK);
    assert_text(test.asked_by, asked_by(mine).at);
    ck_assert_int_eq(console_tests_find(&own, other, &test), STATUS_NONE);
    ck_assert_int_eq(console_tests_find(&nobody, mine, &test), STATUS_NONE);
}
END_TEST

START_TEST(a_test_says_what_came_of_it) {
    const struct console_reader own = reader_of(false, mine);
    struct console_test test;
    add_test(mine, "'2030-05-05 11:59:58.000001'", true);
    ck_assert_int_eq(console_tests_find(&own, mine, &test), STATUS_OK);
    ck_assert_uint_eq(test.url.size + test.address.size + test.reason.size + test.reply.size + test.http_status, 0);
    database_run("UPDATE endpoint_tests SET done_at = '2030-05-05 11:59:59', duration_us = 1234567, url = 'http://a/',"
                 " address = '192.0.2.1', http_status = 503, reason = 'status', reply = 'later'");
    ck_assert_int_eq(console_tests_find(&own, mine, &test), STATUS_OK);
    ck_assert_int_eq(test.asked_at, INT64_C(1904212798) * SECOND + 1);
    ck_assert_int_eq(test.done_at, INT64_C(1904212799) * SECOND);
    ck_assert_int_eq(test.took, 1234567);
    assert_text(test.url, "http://a/");
    assert_text(test.address, "192.0.2.1");
    ck_assert_uint_eq(test.http_status, 503);
    assert_text(test.reason, "status");
    assert_text(test.reply, "later");
}
END_TEST

/* A test without an outcome may come to one for a minute; after one, another test may be asked for 10 seconds later.
 * One of a clock that was ahead delays no other. */
static const struct {
    const char *asked_at;
    bool done, is_under_way, may_be_asked;
} ASKED[] = {
    {NOON, false, true, false},
    {NOON " + INTERVAL 59999999 MICROSECOND", false, true, false},
    {NOON " + INTERVAL 1 MINUTE", false, false, true}, /* the clock was set back */
    {NOON " + INTERVAL 1 MINUTE", true, false, true},
    {NOON " + INTERVAL 59999999 MICROSECOND", true, false, false},
    {NOON " - INTERVAL 59999999 MICROSECOND", false, true, false},
    {NOON " - INTERVAL 1 MINUTE", false, false, false},
    {NOON " - INTERVAL 1 MINUTE" JUST, false, false, true},
    {NOON, true, false, false},
    {NOON " - INTERVAL 10 SECOND", true, false, false},
    {NOON " - INTERVAL 10 SECOND" JUST, true, false, true},
};

START_TEST(a_test_is_awaited_and_may_be_repeated) {
    const struct console_reader all = reader_of(true, 0);
    struct console_test test;
    add_test(mine, ASKED[_i].asked_at, ASKED[_i].done);
    ck_assert_int_eq(console_tests_find(&all, mine, &test), STATUS_OK);
    ck_assert_int_eq(test.is_under_way, ASKED[_i].is_under_way);
    ck_assert_int_eq(test.may_be_asked, ASKED[_i].may_be_asked);
}
END_TEST

/* The order is of `mine`; `other` is disabled, and also has an order. */
static struct order_now add_orders(void) {
    struct order_now order = {.id = new_order(.merchant_id = mine, .reference = "7712345678"),
                              .reference = TEXT("7712345678")};
    new_order(.merchant_id = other, .reference = "5");
    database_run("UPDATE merchants SET enabled = FALSE WHERE id = %" PRIu64, other);
    database_run("SET @mine = %" PRIu64 ", @other = %" PRIu64 ", @north = %" PRIu64 ", @south = %" PRIu64, mine, other,
                 sample_network("north"), sample_network("south"));
    return order;
}

#define INTEGRATION(merchant, kind, code, network, others)                                                             \
    "INSERT INTO integrations SET merchant_id = @" merchant ", kind = " kind ", code = '" code                         \
    "', network_id = " network ", endpoint = 'http://a/', currency = 'COP', changed_by = 'test'" others ";"
#define AGREEMENT(code, network)     INTEGRATION("mine", "1", code, "@" network, "")
#define PREFIX(code)                 INTEGRATION("mine", "2", code, "NULL", "")
#define REMOVED(kind, code, network) INTEGRATION("mine", kind, code, network, ", removed_at = utc_now()")

static const struct {
    const char *before;
    bool enabled, has_integration;
    const char *networks;
} ANSWERS[] = {
    {"DO 0", true, false, ""},
    {"UPDATE merchants SET enabled = NOT enabled", false, false, ""},
    {AGREEMENT("77", "north"), true, true, "north"},
    {AGREEMENT("78", "north") PREFIX("8"), true, false, ""},
    {AGREEMENT("77", "north") AGREEMENT("7712", "south"), true, true, "north, south"},
    {AGREEMENT("77", "north") PREFIX("771"), true, true, ""},
    {PREFIX("7"), true, true, ""},
    {AGREEMENT("771", "south") REMOVED("1", "77", "@north") REMOVED("2", "77", "NULL"), true, true, "south"},
    {REMOVED("1", "77", "@north"), true, false, ""},
    {"DELETE FROM reference_owners;" INTEGRATION("other", "1", "77", "@north", ""), true, false, ""},
};

START_TEST(who_answers_for_a_reference) {
    const struct console_reader all = reader_of(true, 0), own = reader_of(false, mine);
    const struct order_now order = add_orders();
    database_run("%s", ANSWERS[_i].before);
    for (int i = 0; i < 2; i++) {
        struct console_asked asked;
        ck_assert_int_eq(console_orders_asked(i == 0 ? &all : &own, &order, &asked), STATUS_OK);
        ck_assert_int_eq(asked.merchant_enabled, ANSWERS[_i].enabled);
        ck_assert_int_eq(asked.has_integration, ANSWERS[_i].has_integration);
        assert_text(asked.networks, ANSWERS[_i].networks);
    }
}
END_TEST

START_TEST(who_answers_is_told_of_the_readers_own_orders) {
    const struct order_now order = add_orders(), none = {.id = order.id + 7, .reference = order.reference};
    const struct console_reader all = reader_of(true, 0), of_other = reader_of(false, other),
                                nobody = reader_of(false, 0);
    struct console_asked asked;
    database_run(AGREEMENT("77", "north"));
    ck_assert_int_eq(console_orders_asked(&all, &none, &asked), STATUS_NONE);
    ck_assert_int_eq(console_orders_asked(&of_other, &order, &asked), STATUS_NONE);
    ck_assert_int_eq(console_orders_asked(&nobody, &order, &asked), STATUS_NONE);
}
END_TEST

START_TEST(all_consoles_share_one_key) {
    struct text key;
    ck_assert_int_eq(console_key_read(console, arena, &key), STATUS_OK);
    ck_assert_uint_eq(key.size, 64);
    assert_text(key, database_text("SELECT HEX(form_key) FROM console_keys"));
}
END_TEST

TCase *console_finds_tests(void) {
    TCase *tests = database_case("console_finds");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_test_is_found_by_who_may_see_its_merchant);
    tcase_add_test(tests, a_test_says_what_came_of_it);
    add_table_test(tests, a_test_is_awaited_and_may_be_repeated, ASKED);
    add_table_test(tests, who_answers_for_a_reference, ANSWERS);
    tcase_add_test(tests, who_answers_is_told_of_the_readers_own_orders);
    tcase_add_test(tests, all_consoles_share_one_key);
    return tests;
}
