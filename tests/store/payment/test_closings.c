#include "store.h"

#include "store/payment/closings.h"
#include "store/payment/settlements.h"

#include <inttypes.h>
#include <mysqld_error.h>
#include <pthread.h>

#define ACTOR TEXT("operator:ana")

static struct connection *by_operator, *by_dispatcher;
static MYSQL *other;

static void set_up(void) {
    by_operator = database_connect(OPERATOR);
    by_dispatcher = database_connect(DISPATCHER);
    other = database_login(OWNER);
}

static void tear_down(void) {
    mysql_close(other);
    connection_close(by_dispatcher);
    connection_close(by_operator);
}

/* Inserts a top-up whose window has closed. */
static uint64_t confirmed(void) {
    static int number;
    return new_transaction(.account_id = sample_account(arena_print(arena, "C%d", ++number).at),
                           .network_transaction = arena_print(arena, "'closing-%d'", number).at,
                           .state = "'CONFIRMADA'", .window_ends_at = AN_HOUR_AGO);
}

#define FINALISE "UPDATE transactions SET state = 'FINALIZADA', finalised_at = " NOW " WHERE id = %" PRIu64

static uint64_t open_number(void) {
    struct settlement_row row;
    ck_assert_int_eq(settlements_find_open(by_operator, arena, &row), STATUS_OK);
    ck_assert(!row.is_closed);
    return row.number;
}

static enum status close_it(struct connection *connection, uint64_t number) {
    const struct closing closing = {.number = number, .actor = ACTOR};
    return closings_close(connection, &closing);
}

static void collect_all(void) {
    uint64_t collected = 1;
    while (collected > 0) {
        ck_assert_int_eq(closings_collect(by_dispatcher, 1000, &collected), STATUS_OK);
    }
}

/* Returns 0 if it is in none. */
static uint64_t settlement_of(uint64_t transaction) {
    return database_number("SELECT COALESCE(MAX(settlement), 0) FROM settlement_items WHERE transaction_id = %" PRIu64,
                           transaction);
}

START_TEST(what_commits_after_the_closing_goes_to_the_next) {
    uint64_t in_time = confirmed(), stalled = confirmed(), open = open_number();
    database_run(FINALISE, in_time);
    ck_assert_uint_eq(database_error(other, "START TRANSACTION"), 0);
    ck_assert_uint_eq(database_error(other, FINALISE, stalled), 0);
    collect_all();
    ck_assert_int_eq(close_it(by_operator, open), STATUS_OK);
    ck_assert_uint_eq(database_error(other, "COMMIT"), 0);
    collect_all();
    ck_assert_uint_eq(settlement_of(in_time), open);
    ck_assert_uint_eq(settlement_of(stalled), open + 1);
}
END_TEST

START_TEST(a_writer_waits_for_no_closing) {
    uint64_t payment = confirmed(), open = open_number();
    ck_assert_uint_eq(database_error(other, "START TRANSACTION"), 0);
    ck_assert_uint_eq(database_error(other, "SELECT settlement_close(%" PRIu64 ", 'x', NULL, NULL, NULL)", open), 0);
    database_run("SET innodb_lock_wait_timeout = 0");
    database_run(FINALISE, payment);
    database_run("SET innodb_lock_wait_timeout = DEFAULT");
    ck_assert_uint_eq(database_error(other, "ROLLBACK"), 0);
    ck_assert_uint_eq(open_number(), open);
}
END_TEST

static void *collect_elsewhere(void *unused) {
    static uint64_t collected;
    (void)unused;
    ck_assert_int_eq(closings_collect(by_dispatcher, 1000, &collected), STATUS_OK);
    return &collected;
}

/* A collection that begins while a settlement is being closed waits, and then adds nothing to the closed one. */
START_TEST(a_collection_waits_for_a_closing) {
    uint64_t payment = confirmed(), open = open_number();
    pthread_t thread;
    void *collected;
    collect_all();
    database_run(FINALISE, payment);
    ck_assert_uint_eq(database_error(other, "START TRANSACTION"), 0);
    ck_assert_uint_eq(database_error(other, "SELECT settlement_close(%" PRIu64 ", 'x', NULL, NULL, NULL)", open), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, collect_elsewhere, NULL), 0);
    database_wait_for(SOMEBODY_WAITS);
    ck_assert_uint_eq(database_error(other, "COMMIT"), 0);
    pthread_join(thread, &collected);
    ck_assert_uint_eq(*(uint64_t *)collected, 1);
    ck_assert_uint_eq(settlement_of(payment), open + 1);
}
END_TEST

static void *close_elsewhere(void *number) {
    static enum status status;
    status = close_it(by_dispatcher, *(uint64_t *)number);
    return &status;
}

START_TEST(of_two_closers_one_closes) {
    uint64_t open = open_number();
    pthread_t thread;
    void *status;
    ck_assert_uint_eq(database_error(other, "START TRANSACTION"), 0);
    ck_assert_uint_eq(database_error(other, "SELECT settlement_close(%" PRIu64 ", 'first', NULL, NULL, NULL)", open),
                      0);
    ck_assert_int_eq(pthread_create(&thread, NULL, close_elsewhere, &open), 0);
    database_wait_for(SOMEBODY_WAITS);
    ck_assert_uint_eq(database_error(other, "COMMIT"), 0);
    pthread_join(thread, &status);
    ck_assert_int_eq(*(enum status *)status, STATUS_CHANGED);
    ck_assert_uint_eq(open_number(), open + 1);
    ck_assert_str_eq(database_text("SELECT closed_by FROM settlements WHERE number = %" PRIu64, open), "first");
}
END_TEST

START_TEST(a_closer_that_dies_leaves_the_settlement_open) {
    uint64_t open = open_number();
    ck_assert_uint_eq(database_error(other, "START TRANSACTION"), 0);
    ck_assert_uint_eq(database_error(other, "SELECT settlement_close(%" PRIu64 ", 'x', NULL, NULL, NULL)", open), 0);
    database_kill(mysql_thread_id(other));
    ck_assert_uint_eq(open_number(), open);
    ck_assert_int_eq(close_it(by_operator, open), STATUS_OK);
}
END_TEST

START_TEST(once_for_each_cut_and_each_day) {
    struct closing closing = {.number = open_number(), .actor = TEXT("dispatcher")};
    instant now;
    ck_assert_int_eq(settlements_now(by_dispatcher, &now), STATUS_OK);
    closing.cut = now + HOUR;
    ck_assert_int_eq(closings_close(by_dispatcher, &closing), STATUS_CHANGED);
    closing.cut = now - DAY; /* it was opened later than that */
    ck_assert_int_eq(closings_close(by_dispatcher, &closing), STATUS_CHANGED);
    closing.cut = now;
    closing.day = TEXT("2001-02-03");
    closing.zone = TEXT("America/Bogota");
    ck_assert_int_eq(closings_close(by_dispatcher, &closing), STATUS_OK);
    closing.number++;
    ck_assert_int_eq(closings_close(by_dispatcher, &closing), STATUS_CHANGED);
    closing.cut = 0;
    ck_assert_int_eq(closings_close(by_dispatcher, &closing), STATUS_CLASH);
    closing.zone = TEXT("UTC");
    ck_assert_int_eq(closings_close(by_dispatcher, &closing), STATUS_OK);
}
END_TEST

#define SUM_AGAIN "SELECT settlement_sum(%" PRIu64 ", 1, 1, 1, REPEAT('0', 64))"

START_TEST(the_settlement_tells_who_closed_it_for_which_day) {
    struct closing closing = {
        .number = open_number(), .actor = ACTOR, .day = TEXT("2001-02-04"), .zone = TEXT("America/Bogota")};
    uint64_t counts[OPERATION_KINDS] = {3, 2, 1}, unsummed = 0;
    struct text digest = TEXT("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
    struct settlement_row row, next;
    ck_assert_int_eq(closings_sum(by_operator, closing.number, counts, digest), STATUS_OK); /* open: writes nothing */
    ck_assert_uint_eq(database_number(SUM_AGAIN, closing.number), 0);
    ck_assert_int_eq(closings_close(by_operator, &closing), STATUS_OK);
    ck_assert_int_eq(closings_unsummed(by_operator, &unsummed), STATUS_OK);
    ck_assert_uint_le(unsummed, closing.number);
    ck_assert_int_eq(closings_sum(by_operator, closing.number, counts, digest), STATUS_OK);
    counts[OPERATION_REFUNDED] = 7;
    ck_assert_int_eq(closings_sum(by_operator, closing.number, counts, digest),
                     STATUS_OK); /* has a digest already: writes nothing */
    ck_assert_uint_eq(database_number(SUM_AGAIN, closing.number), 0);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT(actor, ' ', from_state, '>', to_state, changes))"
                                   " FROM event_log WHERE subject = 'settlement' AND subject_id = %" PRIu64,
                                   closing.number),
                     "operator:ana open>closed{\"finalised\":[null,3],\"cancelled\":[null,2],\"refunded\":[null,1],"
                     "\"digest\":[null,"
                     "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"]}");
    ck_assert_int_eq(settlements_find_day(by_operator, closing.day, closing.zone, arena, &row), STATUS_OK);
    ck_assert_uint_eq(row.number, closing.number);
    ck_assert(row.is_closed && row.is_summed);
    assert_text(row.closed_by, "operator:ana");
    assert_text(row.digest, digest.at);
    ck_assert_uint_eq(row.counts[OPERATION_FINALISED], 3);
    ck_assert_uint_eq(row.counts[OPERATION_REFUNDED], 1);
    ck_assert_int_eq(settlements_find_open(by_operator, arena, &next), STATUS_OK);
    ck_assert_uint_eq(next.number, closing.number + 1);
    ck_assert_int_eq(next.opened_at, row.closed_at);
    ck_assert_int_eq(settlements_find(by_operator, next.number + 1, arena, &row), STATUS_NONE);
}
END_TEST

/* Not even the owner's own statements may do this. */
static const char *const FORBIDDEN[] = {
    "UPDATE settlements SET closed_by = 'x' WHERE state = 'closed'",
    "UPDATE settlements SET state = 'open', closed_at = NULL, closed_by = NULL WHERE state = 'closed'",
    "UPDATE settlements SET closed_at = closed_at + INTERVAL 1 SECOND WHERE state = 'closed'",
    "UPDATE settlements SET day = '2020-01-01', zone = 'UTC' WHERE state = 'closed'",
    "UPDATE settlements SET digest = REPEAT('0', 64) WHERE digest IS NOT NULL",
    "UPDATE settlements SET number = number + 1000",
    "DELETE FROM settlements",
    "UPDATE settlement_items SET settlement = NULL WHERE settlement IS NOT NULL",
    "UPDATE settlement_items SET settlement = settlement + 1 WHERE settlement IS NOT NULL",
    "UPDATE settlement_items SET at = at + INTERVAL 1 DAY",
    "UPDATE settlement_items SET settlement = (SELECT MIN(number) FROM settlements) WHERE settlement IS NULL",
    "UPDATE settlement_items SET settlement = (SELECT MAX(number) FROM settlements) WHERE settlement IS NOT NULL",
    "UPDATE settlement_items SET settlement = (SELECT MAX(number) FROM settlements), at = at + INTERVAL 1 DAY"
    " WHERE settlement IS NULL",
    "UPDATE settlement_items SET settlement = (SELECT MAX(number) FROM settlements), kind = 'refunded'"
    " WHERE settlement IS NULL",
    "UPDATE settlement_items SET settlement = (SELECT MAX(number) FROM settlements),"
    " transaction_id = transaction_id + 100000 WHERE settlement IS NULL",
    "UPDATE settlements SET number = number + 1000 WHERE is_open = 1",
    "UPDATE settlements SET opened_at = opened_at - INTERVAL 1 SECOND WHERE is_open = 1",
    "DELETE FROM settlement_items",
    "INSERT INTO settlement_items (transaction_id, kind, at, settlement) "
    "SELECT 99999999, 'refunded', UTC_TIMESTAMP(6), MIN(number) FROM settlements",
};

START_TEST(what_is_closed_stays) {
    uint64_t payment = confirmed(), waiting = confirmed(), counts[OPERATION_KINDS] = {1, 0, 0};
    uint64_t open = open_number();
    database_run(FINALISE, payment);
    collect_all();
    ck_assert_int_eq(close_it(by_operator, open), STATUS_OK);
    ck_assert_int_eq(closings_sum(by_operator, open, counts,
                                  TEXT("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")),
                     STATUS_OK);
    database_run(FINALISE, waiting);
    ck_assert_uint_eq(database_error(other, "%s", FORBIDDEN[_i]), ER_SIGNAL_EXCEPTION);
}
END_TEST

/* A closed settlement only gets its digest; no other column may change with it. */
static const char *const WITH_THE_DIGEST[] = {
    "closed_at = closed_at + INTERVAL 1 SECOND",
    "closed_by = 'x'",
    "day = '2001-02-05'",
    "zone = 'UTC'",
    "collected = collected + 1",
    "state = 'open'",
    "digest = NULL",
};

#define GIVE_DIGEST                                                                                                    \
    "UPDATE settlements SET finalised = 1, cancelled = 2, refunded = 3, digest = REPEAT('a', 64)%s WHERE number "      \
    "= %" PRIu64

START_TEST(a_digest_changes_nothing_else) {
    uint64_t open = open_number();
    ck_assert_int_eq(close_it(by_operator, open), STATUS_OK);
    const char *with = arena_print(arena, ", %s", WITH_THE_DIGEST[_i]).at;
    ck_assert_uint_eq(database_error(other, GIVE_DIGEST, with, open), ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(database_error(other, GIVE_DIGEST, "", open), 0);
    ck_assert_uint_eq(database_error(other, GIVE_DIGEST, "", open), ER_SIGNAL_EXCEPTION);
}
END_TEST

/* A cut at the instant of opening is not after it. */
START_TEST(a_settlement_has_a_duration) {
    uint64_t open = open_number();
    ck_assert_int_eq(close_it(by_operator, open), STATUS_OK);
    ck_assert_uint_eq(database_number("SELECT closed_at > opened_at FROM settlements WHERE number = %" PRIu64, open),
                      1);
    database_run("SET @cut = (SELECT opened_at FROM settlements WHERE is_open = 1)");
    ck_assert_uint_eq(database_number("SELECT settlement_close(%" PRIu64 ", 'eva', NULL, NULL, @cut)", open + 1), 0);
    ck_assert_uint_eq(database_number("SELECT settlement_close(%" PRIu64 ", 'eva', NULL, NULL, " NOW ")", open + 1), 1);
}
END_TEST

START_TEST(what_was_collected_is_counted) {
    uint64_t first = confirmed(), second = confirmed(), open = open_number(), collected;
    collect_all();
    uint64_t before = database_number("SELECT collected FROM settlements WHERE number = %" PRIu64, open);
    database_run(FINALISE, first);
    database_run(FINALISE, second);
    ck_assert_int_eq(closings_collect(by_dispatcher, 1, &collected), STATUS_OK);
    ck_assert_uint_eq(collected, 1);
    ck_assert_uint_eq(settlement_of(first) + settlement_of(second), open);
    ck_assert_int_eq(closings_collect(by_dispatcher, 1000, &collected), STATUS_OK);
    ck_assert_uint_eq(collected, 1);
    ck_assert_uint_eq(database_number("SELECT collected FROM settlements WHERE number = %" PRIu64, open), before + 2);
}
END_TEST

START_TEST(each_kind_is_an_item_of_its_own) {
    uint64_t order = new_order(.reference = "77001"), paid = confirmed_payment(order, "45000", AN_HOUR_AGO);
    uint64_t cancelled = new_transaction(.order_id = new_order(.reference = "77002"), .network_transaction = "'c-1'");
    database_run(
        "UPDATE transactions t JOIN orders o ON o.id = t.order_id SET t.state = 'FINALIZADA', t.finalised_at = " NOW
        ", o.state = 'APROBADA', o.paid_by = t.id, o.held_by = NULL, o.held_until = NULL"
        " WHERE t.id = %" PRIu64,
        paid);
    database_run("UPDATE orders SET state = 'ANULADA' WHERE id = %" PRIu64, order);
    database_run("UPDATE transactions SET state = 'CANCELADA', cancelled_at = " NOW " WHERE id = %" PRIu64, cancelled);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(kind ORDER BY transaction_id, kind) FROM settlement_items"
                                   " WHERE transaction_id IN (%" PRIu64 ", %" PRIu64 ") AND settlement IS NULL",
                                   paid, cancelled),
                     paid < cancelled ? "finalised,refunded,cancelled" : "cancelled,finalised,refunded");
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM settlement_items i JOIN transactions t ON t.id ="
                                      " i.transaction_id WHERE i.kind <> 'refunded' AND i.at = t.settled_at AND t.id IN"
                                      " (%" PRIu64 ", %" PRIu64 ")",
                                      paid, cancelled),
                      2);
}
END_TEST

/* Independent of which was written first. A refund and its payment are two operations. */
static const char *const NOT_COLLECTED[] = {"finalised of another,finalised,refunded", "finalised,refunded", "refunded",
                                            "nothing"};

START_TEST(the_oldest_operation_is_collected_first) {
    uint64_t order = new_order(.reference = "77003"), collected;
    uint64_t paid = confirmed_payment(order, "45000", NOW " - INTERVAL 2 MINUTE");
    collect_all();
    approve(order, paid);
    database_run("UPDATE orders SET state = 'ANULADA' WHERE id = %" PRIu64, order);
    database_run(FINALISE, confirmed());
    for (size_t i = 0; i < COUNT_OF(NOT_COLLECTED); i++) {
        ck_assert_str_eq(database_text("SELECT COALESCE(GROUP_CONCAT(CONCAT(kind, IF(transaction_id = %" PRIu64
                                       ", '', ' of another')) ORDER BY at), 'nothing') FROM settlement_items"
                                       " WHERE settlement IS NULL",
                                       paid),
                         NOT_COLLECTED[i]);
        ck_assert_int_eq(closings_collect(by_dispatcher, 1, &collected), STATUS_OK);
    }
}
END_TEST

TCase *closings_tests(void) {
    TCase *tests = database_case("closings");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, what_commits_after_the_closing_goes_to_the_next);
    tcase_add_test(tests, a_writer_waits_for_no_closing);
    tcase_add_test(tests, a_collection_waits_for_a_closing);
    tcase_add_test(tests, of_two_closers_one_closes);
    tcase_add_test(tests, a_closer_that_dies_leaves_the_settlement_open);
    tcase_add_test(tests, once_for_each_cut_and_each_day);
    tcase_add_test(tests, the_settlement_tells_who_closed_it_for_which_day);
    add_table_test(tests, what_is_closed_stays, FORBIDDEN);
    add_table_test(tests, a_digest_changes_nothing_else, WITH_THE_DIGEST);
    tcase_add_test(tests, a_settlement_has_a_duration);
    tcase_add_test(tests, what_was_collected_is_counted);
    tcase_add_test(tests, the_oldest_operation_is_collected_first);
    tcase_add_test(tests, each_kind_is_an_item_of_its_own);
    return tests;
}
