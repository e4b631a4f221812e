#include "store.h"

#include "base/zone/zone_day.h"
#include "store/operation/settlement_delay.h"
#include "store/payment/settlements.h"

#include <inttypes.h>

/* Which settlements there are, and whether one is late. For their connection it is always noon, in a place whose clock
 * shows UTC. */

#define NOON "'2030-05-05 12:00:00'"
#define CUT  "'2030-05-05 03:00:00'"
#define JUST " INTERVAL 1 MICROSECOND"

static struct text said;

static void begin_with(const char *rows) {
    database_run(
        "SET foreign_key_checks = 0; TRUNCATE settlement_items; TRUNCATE settlements;"
        "INSERT INTO settlements (number, state, opened_at, closed_at, closed_by, day, zone, digest, finalised,"
        " cancelled, refunded) VALUES %s; SET foreign_key_checks = 1",
        rows);
}

static void set_up(void) {
    said = TEXT("");
    database_stop_clock(owner, NOON);
}

static void tear_down(void) {
    begin_with("(1, 'open', " NOW ", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
}

#define UNSUMMED             ", NULL, NULL, NULL, NULL)"
#define OPEN(number, opened) "(" number ", 'open', " opened ", NULL, NULL, NULL, NULL" UNSUMMED
#define CLOSED(number, at, by, day_and_zone)                                                                           \
    "(" number ", 'closed', '2030-05-01', " at ", '" by "', " day_and_zone UNSUMMED
#define SUMMED(number, at, by, day_and_zone, counts)                                                                   \
    "(" number ", 'closed', '2030-05-01', " at ", '" by "', " day_and_zone ", REPEAT('" number "', 64), " counts ")"
#define OF_NO_DAY "NULL, NULL"

#define ROWS                                                                                                           \
    OPEN("4", "'2030-05-04 09:00:00'")                                                                                 \
    "," CLOSED("3", "'2030-05-04'", "operator:ana", OF_NO_DAY) "," SUMMED(                                             \
        "2", "'2030-05-03'", "dispatcher", "'2030-05-02', 'America/Bogota'",                                           \
        "5, 6, 7") "," SUMMED("1", "'2030-05-02'", "dispatcher", "'2030-05-02', 'UTC'", "0, 0, 0")

/* The day of the month on which it was opened, and closed. */
static void say_row(void *context, const struct settlement_row *row) {
    const instant may = database_instant("'2030-05-01'") - DAY;
    (void)context;
    said = arena_print(arena, "%.*s%d %d-%d %.*s %.*s %.*s %d/%d/%d %.*s%s; ", TEXT_ARGS(said), (int)row->number,
                       (int)((row->opened_at - may) / DAY), row->is_closed ? (int)((row->closed_at - may) / DAY) : 0,
                       TEXT_ARGS(row->closed_by), TEXT_ARGS(row->day), TEXT_ARGS(row->zone), (int)row->counts[0],
                       (int)row->counts[1], (int)row->counts[2], row->digest.size > 0 ? 1 : 0, row->digest.at,
                       row->is_summed ? " summed" : "");
}

#define FIRST  "1 1-2 dispatcher 2030-05-02 UTC 0/0/0 1 summed; "
#define MIDDLE "2 1-3 dispatcher 2030-05-02 America/Bogota 5/6/7 2 summed; "
#define THIRD  "3 1-4 operator:ana   0/0/0 ; "
#define FOURTH "4 4-0    0/0/0 ; "

START_TEST(the_newest_settlements_come_first) {
    begin_with(ROWS);
    ck_assert_int_eq(settlements_list(owner, 9, arena, say_row, NULL), STATUS_OK);
    assert_text(said, FOURTH THIRD MIDDLE FIRST);
    said = TEXT("");
    ck_assert_int_eq(settlements_list(owner, 2, arena, say_row, NULL), STATUS_OK);
    assert_text(said, FOURTH THIRD);
}
END_TEST

START_TEST(a_settlement_is_found_by_number_and_day) {
    struct settlement_row row;
    begin_with(ROWS);
    ck_assert_int_eq(settlements_find(owner, 3, arena, &row), STATUS_OK);
    say_row(NULL, &row);
    ck_assert_int_eq(settlements_find(owner, 5, arena, &row), STATUS_NONE);
    ck_assert_int_eq(settlements_find_open(owner, arena, &row), STATUS_OK);
    say_row(NULL, &row);
    ck_assert_int_eq(settlements_find_day(owner, TEXT("2030-05-02"), TEXT("America/Bogota"), arena, &row), STATUS_OK);
    say_row(NULL, &row);
    ck_assert_int_eq(settlements_find_day(owner, TEXT("2030-05-01"), TEXT("UTC"), arena, &row), STATUS_NONE);
    ck_assert_int_eq(settlements_find_day(owner, TEXT("2030-05-02"), TEXT("America/Lima"), arena, &row), STATUS_NONE);
    assert_text(said, THIRD FOURTH MIDDLE);
}
END_TEST

/* The settlement that is open at noon, one that may be that of the day, and what follows; `taken_at`: seconds from
 * noon. */
static const struct {
    const char *rows;
    duration close_at, closing;
    const char *taken_at;
} DELAYS[] = {
    {OPEN("2", CUT), 3 * HOUR, 0, NULL},
    {OPEN("2", CUT " -" JUST), 3 * HOUR, 9 * HOUR, NULL},
    {OPEN("2", CUT " -" JUST), ZONE_TIME_OFF, 0, NULL},
    {OPEN("2", NOON), 3 * HOUR, 0, NULL},
    {OPEN("2", NOON " +" JUST), 3 * HOUR, 9 * HOUR, NULL},
    {OPEN("2", "'2030-05-04'") "," CLOSED("1", "'2030-05-04'", "dispatcher", "'2030-05-05', 'UTC'"), 3 * HOUR, 0,
     "'2030-05-04'"},
    {OPEN("2", NOON " +" JUST) "," CLOSED("1", NOON, "dispatcher", "'2030-05-05', 'UTC'"), 3 * HOUR, 0, NULL},
    {OPEN("2", "'2030-05-04'") "," CLOSED("1", "'2030-05-04'", "dispatcher", "'2030-05-04', 'UTC'"), 3 * HOUR, 9 * HOUR,
     NULL},
    {OPEN("2", "'2030-05-04'") "," CLOSED("1", "'2030-05-04'", "dispatcher", "'2030-05-05', 'America/Bogota'"),
     3 * HOUR, 9 * HOUR, NULL},
};

START_TEST(a_settlement_is_late_unless_the_day_has_one) {
    struct settlement_delay delay;
    const struct settlement_schedule schedule = {.zone = "UTC", .close_at = DELAYS[_i].close_at};
    begin_with(DELAYS[_i].rows);
    ck_assert_int_eq(settlement_delay_look(owner, &schedule, &delay), STATUS_OK);
    ck_assert_int_eq(delay.closing, DELAYS[_i].closing);
    ck_assert_int_eq(delay.taken_at, DELAYS[_i].taken_at == NULL ? 0 : database_instant(DELAYS[_i].taken_at));
    if (delay.taken_at != 0) {
        ck_assert_int_eq(delay.day, database_instant("'2030-05-05'"));
    }
}
END_TEST

#define AFTER_NOON NOON " + INTERVAL 1 HOUR"

static const struct {
    const char *rows;
    uint64_t count;
    duration oldest;
} UNSUMMED_ROWS[] = {
    {ROWS, 1, 36 * HOUR},
    {ROWS "," CLOSED("5", "'2030-05-05 10:00:00'", "dispatcher", OF_NO_DAY) "," CLOSED("6", "'2030-05-03 12:00:00'",
                                                                                       "dispatcher", OF_NO_DAY),
     3, 48 * HOUR},
    {OPEN("2", NOON) "," CLOSED("1", AFTER_NOON, "dispatcher", OF_NO_DAY), 1, 0},
    {OPEN("2", NOON) "," SUMMED("1", NOON, "dispatcher", OF_NO_DAY, "0, 0, 0"), 0, 0},
};

START_TEST(closed_settlements_without_a_digest_are_counted) {
    struct settlement_delay delay;
    const struct settlement_schedule never = {.close_at = ZONE_TIME_OFF};
    begin_with(UNSUMMED_ROWS[_i].rows);
    ck_assert_int_eq(settlement_delay_look(owner, &never, &delay), STATUS_OK);
    ck_assert_uint_eq(delay.unsummed.count, UNSUMMED_ROWS[_i].count);
    ck_assert_int_eq(delay.unsummed.oldest, UNSUMMED_ROWS[_i].oldest);
}
END_TEST

static const struct {
    const char *items;
    uint64_t count;
    duration oldest;
} UNCOLLECTED[] = {
    {"(9, 'finalised', " CUT ")", 0, 0},
    {"(9, 'finalised', " CUT "), (1, 'refunded', " NOON ")", 1, 0},
    {"(1, 'finalised', " NOON "), (2, 'cancelled', " CUT "), (9, 'finalised', '2030-05-01')", 2, 9 * HOUR},
};

START_TEST(operations_in_no_settlement_are_counted) {
    struct settlement_delay delay;
    const struct settlement_schedule never = {.close_at = ZONE_TIME_OFF};
    begin_with(OPEN("1", NOON));
    database_run("SET foreign_key_checks = 0;"
                 "INSERT INTO settlement_items (transaction_id, kind, at) VALUES %s;"
                 "UPDATE settlement_items SET settlement = 1 WHERE transaction_id = 9; SET foreign_key_checks = 1",
                 UNCOLLECTED[_i].items);
    ck_assert_int_eq(settlement_delay_look(owner, &never, &delay), STATUS_OK);
    ck_assert_uint_eq(delay.uncollected.count, UNCOLLECTED[_i].count);
    ck_assert_int_eq(delay.uncollected.oldest, UNCOLLECTED[_i].oldest);
}
END_TEST

#define OF_DAY(number, at, by, zone) CLOSED(number, at, by, "'2030-05-0" number "', '" zone "'")

/* The number and zone of the last two that dispatchers closed within two days. */
static const struct {
    const char *rows, *told;
} ZONES[] = {
    {OPEN("9", NOON), "0 ; 0 ; "},
    {OF_DAY("1", NOON " - INTERVAL 2 DAY", "dispatcher", "A") "," OF_DAY("2", NOON " - INTERVAL 2 DAY +" JUST,
                                                                         "dispatcher", "B"),
     "2 B; 0 ; "},
    {OF_DAY("1", NOON, "dispatcher", "A") "," OF_DAY("2", NOON, "dispatcher", "B") "," OF_DAY(
         "3", "'2030-05-04'", "dispatcher", "C") "," OF_DAY("4", NOON, "operator:ana", "D"),
     "3 C; 2 B; "},
};

START_TEST(the_zones_of_the_last_two_are_read) {
    struct settlement_zone zones[2] = {{.zone = {"", 0}}, {.zone = {"", 0}}};
    begin_with(ZONES[_i].rows);
    ck_assert_int_eq(settlement_zones_look(owner, arena, zones), STATUS_OK);
    for (size_t i = 0; i < COUNT_OF(zones); i++) {
        said = arena_print(arena, "%.*s%" PRIu64 " %.*s; ", TEXT_ARGS(said), zones[i].number, TEXT_ARGS(zones[i].zone));
    }
    assert_text(said, ZONES[_i].told);
}
END_TEST

TCase *settlement_rows_tests(void) {
    TCase *tests = database_case("settlement_rows");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_newest_settlements_come_first);
    tcase_add_test(tests, a_settlement_is_found_by_number_and_day);
    add_table_test(tests, a_settlement_is_late_unless_the_day_has_one, DELAYS);
    add_table_test(tests, closed_settlements_without_a_digest_are_counted, UNSUMMED_ROWS);
    add_table_test(tests, operations_in_no_settlement_are_counted, UNCOLLECTED);
    add_table_test(tests, the_zones_of_the_last_two_are_read, ZONES);
    return tests;
}
