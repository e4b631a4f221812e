#include "store.h"

#include "store/operation/retention.h"

#include <inttypes.h>

/* The nightly walk over old records: how far it has come, and that one of two dispatchers continues it. */

#define OLD   "UTC_TIMESTAMP(6) - INTERVAL 100 DAY"
#define YOUNG "UTC_TIMESTAMP(6) - INTERVAL 10 DAY"

static struct connection *dispatcher;
static struct arena *scratch;

static void start_anew(void) {
    database_run("TRUNCATE external_queries; UPDATE retention SET begun_for = '2030-05-05', last_id = 0, removed = 0,"
                 " ended_at = NULL");
}

static void set_up(void) {
    dispatcher = database_connect(DISPATCHER);
    scratch = arena_create();
    start_anew();
}

static void tear_down(void) {
    arena_destroy(scratch);
    connection_close(dispatcher);
    start_anew();
}

/* Returns all walks: what, the day for which it was begun, last id, removed, and whether it has ended. */
static const char *walks(void) {
    return database_text(
        "SELECT GROUP_CONCAT(CONCAT_WS(' ', what + 0, DAY(begun_for), last_id, removed, ended_at IS NOT"
        " NULL) ORDER BY what + 0) FROM retention");
}

static struct retention_walk walk_of(enum purge_kind kind) {
    struct retention_walk walk;
    ck_assert_int_eq(retention_find(dispatcher, kind, &walk), STATUS_OK);
    return walk;
}

START_TEST(the_walk_of_each_kind_is_read) {
    database_run("UPDATE retention SET begun_for = '2030-05-05' + INTERVAL what + 0 SECOND, last_id = 10 + what,"
                 " removed = 20 + what, ended_at = IF(what IN ('queries', 'orders'), '2030-05-06', NULL)");
    for (unsigned kind = 0; kind < PURGE_KINDS; kind++) {
        struct retention_walk walk = walk_of(kind);
        ck_assert_int_eq(walk.begun_for, database_instant("'2030-05-05'") + (kind + 1) * SECOND);
        ck_assert_uint_eq(walk.last_id, 11 + kind);
        ck_assert_uint_eq(walk.removed, 21 + kind);
        ck_assert_int_eq(walk.has_ended, kind == PURGE_QUERIES || kind == PURGE_ORDERS);
    }
}
END_TEST

START_TEST(one_of_two_dispatchers_begins_the_next_walk) {
    database_run("UPDATE retention SET last_id = 7, removed = 8, ended_at = " NOW);
    struct retention_walk ours = walk_of(PURGE_TRANSACTIONS), theirs = ours;
    ck_assert_int_eq(retention_begin(dispatcher, PURGE_TRANSACTIONS, database_instant("'2030-05-06'"), &ours),
                     STATUS_OK);
    ck_assert_int_eq(ours.begun_for, database_instant("'2030-05-06'"));
    ck_assert(ours.last_id == 0 && ours.removed == 0 && !ours.has_ended);
    ck_assert_int_eq(retention_begin(dispatcher, PURGE_TRANSACTIONS, database_instant("'2030-05-07'"), &theirs),
                     STATUS_CHANGED);
    ck_assert(theirs.last_id == 7 && theirs.has_ended);
    ck_assert_str_eq(walks(), "1 5 7 8 1,2 5 7 8 1,3 6 0 0 0,4 5 7 8 1");
}
END_TEST

static void add_queries(unsigned first, unsigned last, const char *asked_at) {
    database_run(
        "INSERT INTO external_queries (id, asked_at, merchant_id, integration_id, network_id, reference, duration_us,"
        " outcome) SELECT seq, %s, 1, 1, 1, seq, 5, 'answered' FROM seq_%u_to_%u",
        asked_at, first, last);
}

static enum status take_step(duration until, struct retention_walk *walk) {
    const struct purge purge = {.kind = PURGE_QUERIES,
                                .before = database_instant(NOW " - INTERVAL 30 DAY"),
                                .actor = TEXT("dispatcher"),
                                .reason = TEXT("older than 30d")};
    return retention_step(dispatcher, scratch, &purge, until, walk);
}

START_TEST(a_step_ends_with_what_it_examined) {
    add_queries(1, 3, OLD);
    add_queries(4, 1000, YOUNG);
    add_queries(1001, 1002, OLD);
    add_queries(1003, 1003, YOUNG);
    struct retention_walk walk = walk_of(PURGE_QUERIES);
    ck_assert_int_eq(take_step(0, &walk), STATUS_OK);
    ck_assert(walk.last_id == 1000 && walk.removed == 3 && !walk.has_ended);
    ck_assert_str_eq(walks(), "1 5 0 0 0,2 5 1000 3 0,3 5 0 0 0,4 5 0 0 0");
    ck_assert_int_eq(take_step(0, &walk), STATUS_OK);
    ck_assert(walk.last_id == 1003 && walk.removed == 5 && walk.has_ended);
    ck_assert_str_eq(walks(), "1 5 0 0 0,2 5 1003 5 1,3 5 0 0 0,4 5 0 0 0");
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', COUNT(*), MIN(id), MAX(id)) FROM external_queries"),
                     "998 4 1003");
}
END_TEST

/* Where nothing may go, a step goes on until its time is over. */
START_TEST(a_step_looks_on_while_it_has_time) {
    add_queries(1, 2000, YOUNG);
    add_queries(2001, 2001, OLD);
    struct retention_walk walk = walk_of(PURGE_QUERIES);
    ck_assert_int_eq(take_step(0, &walk), STATUS_OK);
    ck_assert_str_eq(walks(), "1 5 0 0 0,2 5 1000 0 0,3 5 0 0 0,4 5 0 0 0");
    ck_assert_int_eq(take_step(clock_monotonic() + MINUTE, &walk), STATUS_OK);
    ck_assert_str_eq(walks(), "1 5 0 0 0,2 5 2001 1 1,3 5 0 0 0,4 5 0 0 0");
}
END_TEST

static const char *const MEANWHILE[] = {"begun_for = '2030-05-06'", "last_id = 1", "ended_at = '2030-05-06'"};

START_TEST(what_another_dispatcher_continued_is_left_to_it) {
    add_queries(1, 3, OLD);
    struct retention_walk walk = walk_of(PURGE_QUERIES);
    database_run("UPDATE retention SET %s WHERE what = 'queries'", MEANWHILE[_i]);
    const char *before = walks();
    ck_assert_int_eq(take_step(0, &walk), STATUS_CHANGED);
    ck_assert_str_eq(walks(), before);
    ck_assert(walk.last_id == 0 && walk.removed == 0 && !walk.has_ended);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM external_queries"), 3);
}
END_TEST

TCase *retention_tests(void) {
    TCase *tests = database_case("retention");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_walk_of_each_kind_is_read);
    tcase_add_test(tests, one_of_two_dispatchers_begins_the_next_walk);
    tcase_add_test(tests, a_step_ends_with_what_it_examined);
    tcase_add_test(tests, a_step_looks_on_while_it_has_time);
    add_table_test(tests, what_another_dispatcher_continued_is_left_to_it, MEANWHILE);
    return tests;
}
