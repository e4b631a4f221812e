#include "store.h"

#include "store/operation/seals.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* The seals form one chain without gaps, whoever writes them. Also tests how long the oldest event has waited for a
 * seal. */

static MYSQL *mysql;

/* Commits no seal, because seals cannot be deleted. */
static void set_up(void) {
    mysql = database_login(OWNER);
    ck_assert_uint_eq(database_error(mysql, "BEGIN"), 0);
}

static void tear_down(void) {
    ck_assert_uint_eq(database_error(mysql, "ROLLBACK"), 0);
    mysql_close(mysql);
}

static unsigned seal(const char *number, const char *first, const char *last, const char *at) {
    return database_error(
        mysql,
        "INSERT INTO seals (number, sealed_at, first_id, last_id, count, events, digest, marks) VALUES"
        " (%s, %s, %s, %s, 0, REPEAT('a', 64), REPEAT('b', 64), '')",
        number, at, first, last);
}

/* Adds events with these numbers above @base, which is the last event that other suites have left. */
static void log_events(const char *numbers) {
    ck_assert_uint_eq(database_error(mysql, "SET @base = (SELECT COALESCE(MAX(id), 0) FROM event_log)"), 0);
    ck_assert_uint_eq(database_error(mysql,
                                     "INSERT INTO event_log (id, at, subject, subject_id, what, actor)"
                                     " SELECT @base + seq, '2026-01-01 09:00:00', 'setting', 1, 'x', 'eva'"
                                     " FROM seq_1_to_20 WHERE FIND_IN_SET(seq, '%s')",
                                     numbers),
                      0);
}

static const struct {
    const char *number, *first, *last, *at;
    unsigned error;
} NEXT[] = {
    {"2", "@base + 11", "@base + 20", "'2026-01-02'", 0},
    {"2", "@base + 11", "@base + 11", "'2026-01-01'", 0},
    {"2", "@base + 11", "@base + 10", "'2026-01-01'", 0},
    {"2", "@base + 11", "@base + 9", "'2026-01-02'", ER_SIGNAL_EXCEPTION},
    {"2", "@base + 11", "@base + 19", "'2026-01-02'", ER_SIGNAL_EXCEPTION},
    {"2", "@base + 11", "@base + 21", "'2026-01-02'", ER_SIGNAL_EXCEPTION},
    {"2", "@base + 11", "1000000000000000000", "'2026-01-02'", ER_SIGNAL_EXCEPTION},
    {"2", "@base + 11", "@base + 20", "'2025-12-31 23:59:59.999999'", ER_SIGNAL_EXCEPTION},
    {"2", "@base + 10", "@base + 20", "'2026-01-02'", ER_SIGNAL_EXCEPTION},
    {"2", "@base + 12", "@base + 20", "'2026-01-02'", ER_SIGNAL_EXCEPTION},
    {"3", "@base + 11", "@base + 20", "'2026-01-02'", ER_SIGNAL_EXCEPTION},
    {"0", "@base + 11", "@base + 20", "'2026-01-02'", ER_SIGNAL_EXCEPTION},
    {"1", "@base + 11", "@base + 20", "'2026-01-02'", ER_DUP_ENTRY}, /* as the second of two dispatchers finds it */
};

START_TEST(a_seal_follows_the_last_one) {
    log_events("1,10,11,20");
    ck_assert_uint_eq(seal("2", "1", "@base + 10", "'2026-01-01'"), ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(seal("1", "2", "@base + 10", "'2026-01-01'"), ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(seal("1", "1", "@base + 10", "'2026-01-01'"), 0);
    ck_assert_uint_eq(seal(NEXT[_i].number, NEXT[_i].first, NEXT[_i].last, NEXT[_i].at), NEXT[_i].error);
}
END_TEST

START_TEST(a_seal_stays) {
    ck_assert_uint_eq(seal("1", "1", "0", "'2026-01-01'"), 0);
    ck_assert_uint_eq(database_error(mysql, "UPDATE seals SET late = 'x'"), ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(database_error(mysql, "DELETE FROM seals"), ER_SIGNAL_EXCEPTION);
}
END_TEST

/* Returns the wait in seconds, by the session's clock. */
static const char *wait_at(const char *moment) {
    ck_assert_uint_eq(database_error(mysql, "SET timestamp = UNIX_TIMESTAMP(%s)", moment), 0);
    ck_assert_int_eq(mysql_query(mysql, "SELECT seal_wait() DIV 1000000"), 0);
    MYSQL_RES *rows = mysql_store_result(mysql);
    const char *wait = arena_copy(arena, text_of(mysql_fetch_row(rows)[0])).at;
    mysql_free_result(rows);
    return wait;
}

/* The first of two events waits; once it is sealed, the second. The wait is never negative. */
START_TEST(the_oldest_event_without_a_seal_waits) {
    new_order(.reference = "1");
    uint64_t last = database_number("SELECT MAX(id) FROM event_log");
    const char *of_last = database_text("SELECT at FROM event_log WHERE id = %" PRIu64, last);
    const char *of_first = database_text("SELECT at FROM event_log ORDER BY id LIMIT 1");
    ck_assert_str_eq(wait_at(arena_print(arena, "'%s' + INTERVAL 7 SECOND", of_first).at), "7");
    ck_assert_uint_eq(seal("1", "1", arena_print(arena, "%" PRIu64, last - 1).at, "'2026-01-01'"), 0);
    ck_assert_str_eq(wait_at(arena_print(arena, "'%s' + INTERVAL 5 SECOND", of_last).at), "5");
    ck_assert_str_eq(wait_at(arena_print(arena, "'%s' - INTERVAL 5 SECOND", of_last).at), "0");
    ck_assert_uint_eq(
        seal("2", arena_print(arena, "%" PRIu64, last).at, arena_print(arena, "%" PRIu64, last).at, "'2026-01-01'"), 0);
    ck_assert_str_eq(wait_at(arena_print(arena, "'%s' + INTERVAL 5 SECOND", of_last).at), "0");
}
END_TEST

/* The event has a wrong time from its session's clock. It came after the newest seal, so it waits since then. */
START_TEST(a_misdated_event_waits_since_the_newest_seal) {
    new_order(.reference = "1");
    const char *last = database_text("SELECT MAX(id) FROM event_log");
    ck_assert_uint_eq(seal("1", "1", last, "'2026-01-01 10:00:00'"), 0);
    database_run("INSERT INTO event_log SET at = '1970-01-02', subject = 'setting', subject_id = 1, what = 'x',"
                 " actor = 'eva'");
    ck_assert_str_eq(wait_at("'2026-01-01 10:00:05'"), "5");
}
END_TEST

/* Four seals: the second and third made in the same second, the second and fourth with late events. */
static void make_four(void) {
    ck_assert_uint_eq(database_error(mysql, "ROLLBACK"), 0);
    database_run("TRUNCATE seals");
    for (int number = 1; number <= 4; number++) {
        database_run("INSERT INTO seals (number, sealed_at, first_id, last_id, count, late, events, digest, marks)"
                     " VALUES (%d, '2026-01-01 10:00:0%d', 1, 0, 0, '%s', '', '', 'marks')",
                     number, number == 3 ? 2 : number,
                     number == 2   ? "17"
                     : number == 4 ? "18 19"
                                   : "");
    }
}

static struct text read_seals;

static void take(void *context, const struct seal_row *row) {
    (void)context;
    read_seals =
        arena_print(arena, "%.*s%" PRIu64 "%s", TEXT_ARGS(read_seals), row->number, row->marks.size > 0 ? "m " : " ");
}

static void assert_seals(enum status status, const char *expected) {
    ck_assert(status == STATUS_OK || status == STATUS_NONE);
    assert_text(read_seals, expected);
    read_seals = TEXT("");
}

#define AT(second) TEXT("2026-01-01 10:00:0" second ".000000")

START_TEST(seals_are_read_in_their_order) {
    struct connection *dispatcher = database_connect(DISPATCHER), *operator= database_connect(OPERATOR);
    make_four();
    read_seals = TEXT("");
    assert_seals(seals_after(operator, 0, arena, take, NULL), "1m 2m 3m 4m ");
    assert_seals(seals_after(operator, 2, arena, take, NULL), "3m 4m ");
    assert_seals(seals_list(operator, 2, arena, take, NULL), "4 3 ");
    assert_seals(seals_with_late(dispatcher, 0, arena, take, NULL), "2 4 ");
    assert_seals(seals_with_late(dispatcher, 2, arena, take, NULL), "4 ");
    assert_seals(seals_made_after(dispatcher, (struct seal_place){0}, arena, take, NULL), "1 2 3 4 ");
    assert_seals(seals_made_after(dispatcher, (struct seal_place){AT("2"), 2}, arena, take, NULL), "3 4 ");
    struct seal_interval interval = {AT("1"), AT("4"), 0, 0};
    assert_seals(seals_made_within(dispatcher, &interval, arena, take, NULL), "2 3 4 ");
    interval.age = SECOND;
    assert_seals(seals_made_within(dispatcher, &interval, arena, take, NULL), "1 2 3 ");
    interval.number = 2;
    assert_seals(seals_made_within(dispatcher, &interval, arena, take, NULL), "3 ");
    struct seal_row row;
    ck_assert_int_eq(seals_last(dispatcher, arena, &row), STATUS_OK);
    take(NULL, &row);
    ck_assert_int_eq(seals_find(dispatcher, 3, arena, &row), STATUS_OK);
    take(NULL, &row);
    assert_seals(seals_find(dispatcher, 5, arena, &row), "4 3m ");
    connection_close(dispatcher);
    connection_close(operator);
    database_run("TRUNCATE seals");
}
END_TEST

#define NOON "'2030-05-05 12:00:00'"
#define JUST " INTERVAL 1 MICROSECOND"

static void say_event(void *context, const struct logged_event *event) {
    const uint64_t *base = context;
    read_seals = arena_print(arena, "%.*s%" PRIu64 "%s", TEXT_ARGS(read_seals), event->id - *base,
                             event->has_version ? "v " : " ");
}

static void say_id(void *context, uint64_t id) {
    const uint64_t *base = context;
    read_seals = arena_print(arena, "%.*s%" PRIu64 " ", TEXT_ARGS(read_seals), id - *base);
}

/* Adds events with the numbers 1, 2, 4 and 5 above the last one, which is returned: ten seconds before noon, one
 * microsecond later, at noon, and one microsecond later. */
static uint64_t write_events(void) {
    uint64_t base = database_number("SELECT COALESCE(MAX(id), 0) FROM event_log");
    database_run("INSERT INTO event_log (id, at, subject, subject_id, what, actor, version) VALUES"
                 " (%" PRIu64 " + 1, " NOON " - INTERVAL 10 SECOND, 'setting', 1, 'x', 'eva', NULL),"
                 " (%" PRIu64 " + 2, " NOON " - INTERVAL 10 SECOND +" JUST ", 'setting', 1, 'x', 'eva', 3),"
                 " (%" PRIu64 " + 4, " NOON ", 'setting', 1, 'x', 'eva', NULL),"
                 " (%" PRIu64 " + 5, " NOON " +" JUST ", 'setting', 1, 'x', 'eva', NULL)",
                 base, base, base, base);
    return base;
}

/* Numbers above the last event; `young` in seconds. */
static const struct {
    uint64_t first, last, limit;
    duration young;
    const char *read;
    bool held_back;
} SPANS[] = {
    {1, 5, 9, 0, "1 2v 4 5 ", false},    {2, 4, 9, 0, "2v 4 ", false},
    {1, 5, 2, 0, "1 2v ", false},        {1, 5, 9, 10 * SECOND, "1 ", true},
    {4, 5, 9, 10 * SECOND, "", true},    {5, 5, 9, 10 * SECOND, "5 ", false},
    {1, 5, 1, 10 * SECOND, "1 ", false}, {1, 5, 9, 10 * SECOND - 1, "1 2v ", true},
};

START_TEST(events_are_read_until_a_young_one) {
    uint64_t base = write_events();
    struct connection *dispatcher = database_connect(DISPATCHER);
    database_stop_clock(dispatcher, NOON);
    struct event_span span = {.first_id = base + SPANS[_i].first,
                              .last_id = base + SPANS[_i].last,
                              .young = SPANS[_i].young,
                              .limit = SPANS[_i].limit};
    read_seals = TEXT("");
    ck_assert_int_eq(seals_events(dispatcher, &span, arena, say_event, &base), STATUS_OK);
    assert_text(read_seals, SPANS[_i].read);
    ck_assert_int_eq(span.held_back, SPANS[_i].held_back);
    connection_close(dispatcher);
}
END_TEST

START_TEST(events_are_found_by_their_numbers) {
    uint64_t base = write_events(), count = 77;
    struct connection *dispatcher = database_connect(DISPATCHER);
    struct text since = TEXT("?");
    const char *ids = arena_print(arena, "[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", base + 4, base + 1, base + 3).at;
    read_seals = TEXT("");
    ck_assert_int_eq(seals_events_among(dispatcher, text_of(ids), arena, say_event, &base), STATUS_OK);
    ck_assert_int_eq(seals_event_ids(dispatcher, base + 2, base + 4, say_id, &base), STATUS_OK);
    assert_text(read_seals, "1 4 2 4 ");
    ck_assert_int_eq(seals_count_events(dispatcher, base + 2, base + 4, &count), STATUS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(seals_unsealed_since(owner, base + 2, arena, &since), STATUS_OK);
    assert_text(since, "2030-05-05T12:00:00.000000Z");
    ck_assert_int_eq(seals_unsealed_since(owner, base + 5, arena, &since), STATUS_NONE);
    connection_close(dispatcher);
}
END_TEST

/* The clock of the next seal, and the age of the newest one, in seconds. */
static const struct {
    const char *clock, *now;
    duration since_last;
} CLOCKS[] = {
    {"'2026-01-01 10:00:09'", "2026-01-01 10:00:09.000000", 5 * SECOND},
    {"'2026-01-01 10:00:01'", "2026-01-01 10:00:04.000000", -3 * SECOND},
};

START_TEST(a_seal_is_made_after_the_newest) {
    struct connection *dispatcher = database_connect(DISPATCHER);
    struct seal_clock clock = {.has_last = true};
    ck_assert_uint_eq(database_error(mysql, "ROLLBACK"), 0);
    database_run("TRUNCATE seals");
    database_stop_clock(dispatcher, CLOCKS[_i].clock);
    ck_assert_int_eq(seals_clock(dispatcher, arena, &clock), STATUS_OK);
    ck_assert(!clock.has_last);
    assert_text(clock.now, arena_print(arena, "%.19s.000000", CLOCKS[_i].clock + 1).at);
    make_four();
    ck_assert_int_eq(seals_clock(dispatcher, arena, &clock), STATUS_OK);
    database_run("TRUNCATE seals");
    ck_assert(clock.has_last);
    assert_text(clock.now, CLOCKS[_i].now);
    ck_assert_int_eq(clock.since_last, CLOCKS[_i].since_last);
    connection_close(dispatcher);
}
END_TEST

START_TEST(a_log_is_gone_where_orders_have_no_events) {
    struct connection *dispatcher = database_connect(DISPATCHER);
    bool is_gone[3];
    duration waits;
    ck_assert_uint_eq(database_error(mysql, "ROLLBACK"), 0);
    new_order(.reference = "1");
    ck_assert_int_eq(seals_log_is_gone(dispatcher, &is_gone[0]), STATUS_OK);
    ck_assert_int_eq(seals_wait(owner, &waits), STATUS_OK);
    ck_assert_int_gt(waits, 0);
    database_run(EMPTY_TABLE("event_log"));
    ck_assert_int_eq(seals_log_is_gone(dispatcher, &is_gone[1]), STATUS_OK);
    ck_assert_int_eq(seals_wait(owner, &waits), STATUS_OK);
    ck_assert_int_eq(waits, 0);
    database_run(EMPTY_TABLE("orders"));
    ck_assert_int_eq(seals_log_is_gone(dispatcher, &is_gone[2]), STATUS_OK);
    ck_assert(!is_gone[0] && is_gone[1] && !is_gone[2]);
    connection_close(dispatcher);
}
END_TEST

TCase *seals_tests(void) {
    TCase *tests = database_case("seals");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, a_seal_follows_the_last_one, NEXT);
    tcase_add_test(tests, a_seal_stays);
    tcase_add_test(tests, the_oldest_event_without_a_seal_waits);
    tcase_add_test(tests, a_misdated_event_waits_since_the_newest_seal);
    tcase_add_test(tests, seals_are_read_in_their_order);
    add_table_test(tests, events_are_read_until_a_young_one, SPANS);
    tcase_add_test(tests, events_are_found_by_their_numbers);
    add_table_test(tests, a_seal_is_made_after_the_newest, CLOCKS);
    tcase_add_test(tests, a_log_is_gone_where_orders_have_no_events);
    return tests;
}
