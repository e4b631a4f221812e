#include "store.h"

#include "store/party/history.h"
#include "store/party/money_limits.h"
#include "store/payment/transactions.h"

#include <inttypes.h>

static struct connection *worker, *operator, * dispatcher;
static uint64_t network;

static void set_up(void) {
    worker = database_connect(WORKER);
    operator= database_connect(OPERATOR);
    dispatcher = database_connect(DISPATCHER);
    network = sample_network("red");
}

static void tear_down(void) {
    connection_close(worker);
    connection_close(operator);
    connection_close(dispatcher);
}

static uint64_t seen_now(void) {
    uint64_t seen;
    ck_assert_int_eq(history_end(operator, TEXT("network"), network, &seen), STATUS_OK);
    return seen;
}

static enum status try_seen_limits(const char *day, const char *outstanding, uint64_t seen) {
    const struct money_limit_change change = {network, TEXT("COP"),         text_of(day), text_of(outstanding),
                                              seen,    TEXT("operator:eva")};
    uint64_t approval = 7;
    enum status status = money_limits_set(operator, & change, &approval);
    ck_assert_uint_eq(approval, 0);
    return status;
}

static enum status try_limits(const char *day, const char *outstanding) {
    return try_seen_limits(day, outstanding, seen_now());
}

static void set_limits(const char *day, const char *outstanding) {
    ck_assert_int_eq(try_limits(day, outstanding), STATUS_OK);
}

/* Checks what is left of the day's limit and of the outstanding limit. */
static void assert_left(const char *expected) {
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', COUNT(*), COALESCE(SUM(IF(day < UTC_DATE(), day_share, day_room)), 'any'),"
                      " COALESCE(SUM(outstanding_room), 'any'))"
                      " FROM network_rooms WHERE network_id = %" PRIu64 " AND currency = 'COP'",
                      network),
        arena_print(arena, "16 %s", expected).at);
}

static uint64_t registered(const char *name, const char *amount) {
    uint64_t order = new_order(.amount = amount, .reference = name);
    return new_transaction(.network_id = network, .order_id = order, .amount = amount,
                           .network_transaction = arena_print(arena, "'%s'", name).at);
}

static enum status confirm(const char *name) {
    const struct transaction_name payment = {network, text_of(name), TEXT("network:red")};
    return transactions_confirm(worker, &payment);
}

static enum status cancel(const char *name) {
    const struct transaction_name payment = {network, text_of(name), TEXT("network:red")};
    return transactions_cancel(worker, &payment);
}

/* Inserts a payment as if it had been confirmed at `confirmed_at`, with that end of its window. */
static void paid_before(uint64_t by, const char *state, const char *confirmed_at, const char *window_ends_at) {
    static unsigned count;
    uint64_t order = new_order(.amount = "100", .reference = arena_print(arena, "77%u", ++count).at);
    uint64_t id = new_transaction(.network_id = by, .order_id = order, .amount = "100", .state = state,
                                  .window_ends_at = window_ends_at);
    database_run("UPDATE transactions SET confirmed_at = %s WHERE id = %" PRIu64, confirmed_at, id);
}

#define BEFORE_TODAY "UTC_DATE() - INTERVAL 1 SECOND"
#define TODAY        "UTC_DATE()"

/* A caller who read the limits before another one changed them would undo that change. */
START_TEST(what_changed_meanwhile_is_not_replaced_by_what_was_read) {
    set_limits("5000", "10000");
    uint64_t before = seen_now();
    set_limits("5000", "1000");
    ck_assert_int_eq(try_seen_limits("7000", "10000", before), STATUS_CHANGED);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', day_limit, outstanding_limit) FROM network_limits"),
                     "5000.0000 1000.0000");
    ck_assert_int_eq(try_seen_limits("7000", "1000", seen_now()), STATUS_OK);
}
END_TEST

/* Nor would one who read them while another one had not committed, whose event has a smaller id than a committed one.
 */
START_TEST(what_is_committed_late_is_not_replaced) {
    static const char SET[] = "SELECT network_limit_set_now(%" PRIu64 ", '%s', 7, 8, 'operator:ivo')";
    MYSQL *late = database_login(OWNER);
    set_limits("5000", "10000");
    database_run("DO network_limit_begin(%" PRIu64 ", 'USD')", network);
    ck_assert_uint_eq(database_error(late, "BEGIN"), 0);
    ck_assert_uint_eq(database_error(late, SET, network, "COP"), 0);
    ck_assert_uint_eq(database_number(SET, network, "USD"), 1);
    uint64_t before = seen_now();
    ck_assert_uint_eq(database_error(late, "COMMIT"), 0);
    ck_assert_int_eq(try_seen_limits("7000", "10000", before), STATUS_CHANGED);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', day_limit, outstanding_limit) FROM network_limits"
                                   " WHERE currency = 'COP'"),
                     "7.0000 8.0000");
    mysql_close(late);
}
END_TEST

/* The day's sum counts today's payments, in their window or final. The outstanding sum counts all payments still in
 * their window. */
START_TEST(new_limit_counts_what_was_confirmed) {
    uint64_t other = sample_network("azul");
    paid_before(network, "'CONFIRMADA'", TODAY, IN_AN_HOUR);
    paid_before(network, "'CONFIRMADA'", BEFORE_TODAY, IN_AN_HOUR);
    paid_before(network, "'CONFIRMADA'", BEFORE_TODAY, BEFORE_TODAY);
    paid_before(network, "'FINALIZADA'", TODAY, TODAY);
    paid_before(network, "'FINALIZADA'", BEFORE_TODAY, TODAY);
    paid_before(network, "'FINALIZADA'", BEFORE_TODAY, BEFORE_TODAY);
    paid_before(network, "'CANCELADA'", TODAY, IN_AN_HOUR);
    paid_before(other, "'CONFIRMADA'", TODAY, IN_AN_HOUR);
    set_limits("1000", "1000");
    assert_left("800.0000 600.0000");
}
END_TEST

static const struct {
    const char *state, *window_ends_at, *day, *outstanding;
    enum status status;
} UNCOUNTABLE[] = {
    {"'CONFIRMADA'", IN_AN_HOUR, "1000", "", STATUS_LIMIT}, {"'CONFIRMADA'", IN_AN_HOUR, "", "1000", STATUS_LIMIT},
    {"'FINALIZADA'", TODAY, "1000", "", STATUS_LIMIT},      {"'FINALIZADA'", TODAY, "", "1000", STATUS_LIMIT},
    {"'CONFIRMADA'", IN_AN_HOUR, "", "", STATUS_OK},
};

/* Two payments, each as large as a limit can be. */
START_TEST(more_than_a_limit_can_count) {
    static const char *const MOST = "999999999999999.9999";
    for (int i = 0; i < 2; i++) {
        uint64_t order = new_order(.amount = MOST, .reference = i == 0 ? "881" : "882");
        uint64_t id = new_transaction(.network_id = network, .order_id = order, .amount = MOST,
                                      .state = UNCOUNTABLE[_i].state, .window_ends_at = UNCOUNTABLE[_i].window_ends_at);
        database_run("UPDATE transactions SET confirmed_at = " TODAY " WHERE id = %" PRIu64, id);
    }
    ck_assert_int_eq(try_limits(UNCOUNTABLE[_i].day, UNCOUNTABLE[_i].outstanding), UNCOUNTABLE[_i].status);
}
END_TEST

/* The events name the limits before and after each change. */
START_TEST(limits_are_changed_by_the_difference) {
    registered("1", "100");
    set_limits("1000", "500");
    ck_assert_int_eq(confirm("1"), STATUS_OK);
    assert_left("900.0000 400.0000");
    set_limits("1500", "450");
    assert_left("1400.0000 350.0000");
    set_limits("", "450");
    assert_left("any 350.0000");
    set_limits("300", "");
    assert_left("200.0000 any");
    set_limits("", "");
    assert_left("any any");
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM network_limits"), 0);
    ck_assert_str_eq(
        database_text("SELECT GROUP_CONCAT(CONCAT_WS('; ', actor, reason) ORDER BY id SEPARATOR '\n') FROM event_log"
                      " WHERE what = 'money limits' AND subject_id = %" PRIu64,
                      network),
        "operator:eva; COP: day 1000.0000 (was none), outstanding 500.0000 (was none)\n"
        "operator:eva; COP: day 1500.0000 (was 1000.0000), outstanding 450.0000 (was 500.0000)\n"
        "operator:eva; COP: day none (was 1500.0000), outstanding 450.0000 (was 450.0000)\n"
        "operator:eva; COP: day 300.0000 (was none), outstanding none (was 450.0000)\n"
        "operator:eva; COP: day none (was 300.0000), outstanding none (was none)");
}
END_TEST

static const char *const EXACT[] = {
    "0.0000", "0.0001", "0.0015", "0.0016", "0.0017", "100.0000", "999999999999999.9999"};

/* No portion is negative, and their sum is exactly the limit, for this day and the next. */
START_TEST(portions_are_the_limit) {
    set_limits(EXACT[_i], EXACT[_i]);
    assert_left(arena_print(arena, "%s %s", EXACT[_i], EXACT[_i]).at);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', SUM(day_share), MIN(day_share) >= 0, MIN(day_room) >= 0,"
                      " MIN(outstanding_room) >= 0, MAX(day_share) - MIN(day_share) < 0.0016) FROM network_rooms"),
        arena_print(arena, "%s 1 1 1 1", EXACT[_i]).at);
}
END_TEST

/* Confirms more than one portion holds, up to the limit and not a ten-thousandth more. */
START_TEST(confirmed_up_to_the_limit) {
    registered("1", "60");
    registered("2", "39.9999");
    registered("3", "0.0001");
    registered("4", "0.0001");
    set_limits(_i == 0 ? "100" : "", _i == 0 ? "" : "100");
    ck_assert_int_eq(confirm("1"), STATUS_OK);
    ck_assert_int_eq(confirm("2"), STATUS_OK);
    ck_assert_int_eq(confirm("3"), STATUS_OK);
    ck_assert_int_eq(confirm("4"), STATUS_LIMIT);
    assert_left(_i == 0 ? "0.0000 any" : "any 0.0000");
    ck_assert_str_eq(database_text("SELECT state FROM transactions WHERE network_transaction = '4'"), "REGISTRADA");
    ck_assert_int_eq(cancel("3"), STATUS_OK);
    ck_assert_int_eq(confirm("4"), STATUS_OK);
}
END_TEST

START_TEST(cancelled_is_given_back) {
    registered("1", "30");
    registered("2", "30");
    set_limits("100", "100");
    ck_assert_int_eq(confirm("1"), STATUS_OK);
    assert_left("70.0000 70.0000");
    ck_assert_int_eq(cancel("2"), STATUS_OK);
    assert_left("70.0000 70.0000");
    ck_assert_int_eq(cancel("1"), STATUS_OK);
    assert_left("100.0000 100.0000");
}
END_TEST

/* Moves all that happened to the day before. */
START_TEST(next_day_begins_with_the_whole_limit) {
    registered("1", "80");
    registered("2", "30");
    set_limits("100", "1000");
    ck_assert_int_eq(confirm("1"), STATUS_OK);
    ck_assert_int_eq(confirm("2"), STATUS_LIMIT);
    database_run("UPDATE network_rooms SET day = UTC_DATE() - INTERVAL 1 DAY");
    database_run(
        "UPDATE transactions SET confirmed_at = confirmed_at - INTERVAL 1 DAY WHERE network_transaction = '1'");
    assert_left("100.0000 920.0000");
    ck_assert_int_eq(confirm("2"), STATUS_OK);
    assert_left("70.0000 890.0000");
    ck_assert_int_eq(cancel("1"), STATUS_OK); /* of the previous day, so only the outstanding sum decreases */
    assert_left("70.0000 970.0000");
}
END_TEST

START_TEST(limit_is_changed_on_the_next_day) {
    registered("1", "80");
    set_limits("100", "");
    ck_assert_int_eq(confirm("1"), STATUS_OK);
    database_run("UPDATE network_rooms SET day = UTC_DATE() - INTERVAL 1 DAY");
    set_limits("150", "");
    assert_left("150.0000 any");
}
END_TEST

static enum remit_outcome remit(const char *amount, const char *reason) {
    const struct remittance remittance = {network, TEXT("COP"), text_of(amount), text_of(reason), TEXT("operator:eva")};
    enum remit_outcome outcome = 77;
    ck_assert_int_eq(money_limits_remit(operator, & remittance, &outcome), STATUS_OK);
    return outcome;
}

START_TEST(paid_in_is_owed_no_more) {
    registered("1", "80");
    ck_assert_int_eq(remit("1", ""), REMIT_HAS_NO_LIMIT);
    set_limits("1000", "");
    ck_assert_int_eq(remit("1", ""), REMIT_HAS_NO_LIMIT);
    set_limits("1000", "100");
    ck_assert_int_eq(confirm("1"), STATUS_OK);
    ck_assert_int_eq(remit("80.0001", ""), REMIT_OWES_LESS);
    ck_assert_int_eq(remit("80", ""), REMIT_DONE);
    assert_left("920.0000 100.0000");
    ck_assert_int_eq(remit("0.0001", ""), REMIT_OWES_LESS);
    ck_assert_int_eq(remit("-5", "returned"), REMIT_DONE);
    assert_left("920.0000 95.0000");
    ck_assert_str_eq(
        database_text("SELECT GROUP_CONCAT(CONCAT_WS('; ', amount, reason, actor) ORDER BY id SEPARATOR '\n')"
                      " FROM remittances WHERE network_id = %" PRIu64,
                      network),
        "80.0000; ; operator:eva\n-5.0000; returned; operator:eva");
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(reason ORDER BY id SEPARATOR '\n') FROM event_log"
                                   " WHERE what = 'remitted' AND subject_id = %" PRIu64,
                                   network),
                     "COP 80.0000\nCOP -5.0000: returned");
}
END_TEST

/* It has paid for what was cancelled afterwards. */
START_TEST(paid_in_before_it_is_owed_is_given_back) {
    registered("1", "80");
    set_limits("", "100");
    ck_assert_int_eq(confirm("1"), STATUS_OK);
    ck_assert_int_eq(remit("80", ""), REMIT_DONE);
    ck_assert_int_eq(cancel("1"), STATUS_OK);
    assert_left("any 180.0000");
    ck_assert_int_eq(remit("-50", "returned"), REMIT_DONE);
    assert_left("any 130.0000");
    ck_assert_int_eq(remit("1", ""), REMIT_OWES_LESS);
}
END_TEST

/* Portions that have more than is left together would let more be confirmed, each in its own connection. */
START_TEST(owed_from_before_leaves_no_portion_more_than_all_have) {
    registered("1", "6");
    registered("2", "5");
    set_limits("", "160");
    ck_assert_int_eq(remit("-155", ""), REMIT_DONE);
    assert_left("any 5.0000");
    ck_assert_int_eq(confirm("1"), STATUS_LIMIT);
    ck_assert_str_eq(database_text("SELECT MAX(outstanding_room) FROM network_rooms"), "0.3125");
    ck_assert_int_eq(confirm("2"), STATUS_OK);
    assert_left("any 0.0000");
}
END_TEST

static void take_used(void *context, const struct money_limit *limit) {
    char printed[MONEY_TEXT_SIZE];
    snprintf(context, MONEY_TEXT_SIZE, "%s", money_print(limit->outstanding.used, 0, printed));
}

/* Metrics, `status` and `network show` read what is used of a limit as an amount. */
START_TEST(owes_no_more_than_an_amount_can_say) {
    char used[MONEY_TEXT_SIZE] = "";
    set_limits("", "100");
    ck_assert_int_eq(remit("-10", ""), REMIT_DONE);
    ck_assert_int_eq(remit("-999999999999990", ""), REMIT_OWES_TOO_MUCH);
    ck_assert_int_eq(remit("-999999999999989.9999", ""), REMIT_DONE);
    ck_assert_int_eq(remit("-0.0001", ""), REMIT_OWES_TOO_MUCH);
    ck_assert_int_eq(money_limits_list(operator, network, arena, take_used, used), STATUS_OK);
    ck_assert_str_eq(used, "999999999999999.9999");
}
END_TEST

static void name_network(void *context, const struct money_limit *limit) {
    struct text *names = context;
    *names = arena_print(arena, "%.*s%.*s ", TEXT_ARGS(*names), TEXT_ARGS(limit->network));
}

START_TEST(lists_those_of_one_network_or_of_all) {
    struct text of_all = TEXT(""), of_one = TEXT("");
    database_run("SET @azul = %" PRIu64 "; DO network_limit_begin(@azul, 'COP')", sample_network("azul"));
    database_run("DO network_limit_set_now(@azul, 'COP', 7000, 8000, 'eva')");
    set_limits("", "100");
    ck_assert_int_eq(money_limits_list(operator, 0, arena, name_network, &of_all), STATUS_OK);
    ck_assert_int_eq(money_limits_list(operator, network, arena, name_network, &of_one), STATUS_OK);
    assert_text(of_all, "azul red ");
    assert_text(of_one, "red ");
}
END_TEST

/* Neither another network's limits count, nor this one's in another currency. */
START_TEST(a_limit_is_of_one_network_and_currency) {
    uint64_t other = sample_network("azul");
    database_run("SET @red = %" PRIu64 ", @azul = %" PRIu64, network, other);
    database_run("DO network_limit_begin(@azul, 'COP'), network_limit_begin(@red, 'USD')");
    database_run("DO network_limit_set_now(@azul, 'COP', 7000, 8000, 'eva')");
    database_run("DO network_limit_set_now(@red, 'USD', 7000, 8000, 'eva')");
    set_limits("1000", "100");
    set_limits("900", "90");
    assert_left("900.0000 90.0000");
    ck_assert_int_eq(remit("0.0001", ""), REMIT_OWES_LESS);
    ck_assert_int_eq(remit("-5", "returned"), REMIT_DONE);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', sum_of_day, sum_owed) ORDER BY sum_owed) FROM"
                                   " (SELECT SUM(day_room) AS sum_of_day, SUM(outstanding_room) AS sum_owed"
                                   "    FROM network_rooms GROUP BY network_id, currency) AS of_each"),
                     "900.0000 85.0000,7000.0000 8000.0000,7000.0000 8000.0000");
    ck_assert_str_eq(
        database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', day_limit, outstanding_limit) ORDER BY day_limit)"
                      " FROM network_limits"),
        "900.0000 90.0000,7000.0000 8000.0000,7000.0000 8000.0000");
}
END_TEST

START_TEST(a_long_reason_is_cut_in_the_event) {
    set_limits("1000", "100");
    ck_assert_int_eq(remit("-5", database_text("SELECT REPEAT('a', 250)")), REMIT_DONE);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', LENGTH(r.reason), LEFT(e.reason, 14), LENGTH(e.reason))"
                                   " FROM remittances r JOIN event_log e ON e.what = 'remitted'"
                                   " AND e.subject_id = r.network_id WHERE r.network_id = %" PRIu64,
                                   network),
                     "250 COP -5.0000: a 250");
}
END_TEST

static const char *warning(void) {
    struct text warning;
    ck_assert_int_eq(money_limits_warn(dispatcher, arena, &warning), STATUS_OK);
    return warning.size == 0 ? "" : warning.at;
}

static const struct {
    const char *day, *outstanding, *amount, *told;
} WARNINGS[] = {
    {"100", "", "79.9999", ""},
    {"100", "", "80", "network red has used 80 % of what it may confirm in a day in COP"},
    {"100", "", "99.9999", "network red has used 99 % of what it may confirm in a day in COP"},
    {"", "100", "80", "network red has used 80 % of what it may owe in COP"},
    {"100", "90", "80", "network red has used 88 % of what it may owe in COP"},
    {"90", "100", "80", "network red has used 88 % of what it may confirm in a day in COP"},
    {"100", "100", "80", "network red has used 80 % of what it may confirm in a day in COP"},
};

START_TEST(somebody_is_warned_once) {
    registered("1", WARNINGS[_i].amount);
    set_limits(WARNINGS[_i].day, WARNINGS[_i].outstanding);
    ck_assert_int_eq(confirm("1"), STATUS_OK);
    ck_assert_str_eq(warning(), WARNINGS[_i].told);
    ck_assert_str_eq(warning(), "");
    database_run(
        "UPDATE network_limits SET warned_at = UTC_DATE() - INTERVAL 1 MICROSECOND WHERE warned_at IS NOT NULL");
    ck_assert_str_eq(warning(), WARNINGS[_i].told);
    database_run("UPDATE network_limits SET warned_at = UTC_DATE() WHERE warned_at IS NOT NULL");
    ck_assert_str_eq(warning(), "");
    database_run("UPDATE network_limits SET warned_at = UTC_DATE() + INTERVAL 1 DAY WHERE warned_at IS NOT NULL");
    ck_assert_str_eq(warning(), WARNINGS[_i].told);
}
END_TEST

static const struct {
    const char *day, *outstanding, *told;
} NOTHING[] = {
    {"0", "", "network red has used 100 % of what it may confirm in a day in COP"},
    {"", "0", "network red has used 100 % of what it may owe in COP"},
    {"100", "0", "network red has used 100 % of what it may owe in COP"},
};

START_TEST(nothing_may_be_confirmed) {
    registered("1", "1");
    set_limits(NOTHING[_i].day, NOTHING[_i].outstanding);
    ck_assert_int_eq(confirm("1"), STATUS_LIMIT);
    ck_assert_str_eq(warning(), NOTHING[_i].told);
}
END_TEST

TCase *money_limits_tests(void) {
    TCase *tests = database_case("money_limits");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, new_limit_counts_what_was_confirmed);
    tcase_add_loop_test(tests, more_than_a_limit_can_count, 0, COUNT_OF(UNCOUNTABLE));
    tcase_add_test(tests, limits_are_changed_by_the_difference);
    tcase_add_test(tests, what_changed_meanwhile_is_not_replaced_by_what_was_read);
    tcase_add_test(tests, what_is_committed_late_is_not_replaced);
    tcase_add_loop_test(tests, portions_are_the_limit, 0, COUNT_OF(EXACT));
    tcase_add_loop_test(tests, confirmed_up_to_the_limit, 0, 2);
    tcase_add_test(tests, cancelled_is_given_back);
    tcase_add_test(tests, next_day_begins_with_the_whole_limit);
    tcase_add_test(tests, limit_is_changed_on_the_next_day);
    tcase_add_test(tests, paid_in_is_owed_no_more);
    tcase_add_test(tests, paid_in_before_it_is_owed_is_given_back);
    tcase_add_test(tests, owed_from_before_leaves_no_portion_more_than_all_have);
    tcase_add_test(tests, owes_no_more_than_an_amount_can_say);
    tcase_add_test(tests, lists_those_of_one_network_or_of_all);
    tcase_add_test(tests, a_limit_is_of_one_network_and_currency);
    tcase_add_test(tests, a_long_reason_is_cut_in_the_event);
    tcase_add_loop_test(tests, somebody_is_warned_once, 0, COUNT_OF(WARNINGS));
    add_table_test(tests, nothing_may_be_confirmed, NOTHING);
    return tests;
}
