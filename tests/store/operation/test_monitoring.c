#include "store.h"

#include "base/zone/zone_day.h"
#include "store/operation/measures.h"

#include <inttypes.h>

/* What monitoring reads, and of whom, to the microsecond: for its connection it is always noon. */

#define NOON      "'2030-05-05 12:00:00'"
#define BEFORE(n) NOON " - INTERVAL " #n " SECOND"
#define JUST      " + INTERVAL 1 MICROSECOND"

static const struct settlement_schedule NEVER = {.close_at = ZONE_TIME_OFF};
static struct text said;

static void empty(void) {
    database_run("TRUNCATE endpoints; DELETE FROM dispatcher_totals; DELETE FROM network_refusals");
}

static void set_up(void) {
    said = TEXT("");
    database_stop_clock(owner, NOON);
    empty();
}

static void say(const char *what, uint64_t count, duration age) {
    said = arena_print(arena, "%.*s%s %" PRIu64 " %d s; ", TEXT_ARGS(said), what, count, (int)(age / SECOND));
}

static void add_notice(uint64_t merchant, const char *state, const char *due_at) {
    database_run("INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, due_at)"
                 " SELECT 1 + COUNT(*), %" PRIu64 ", 'approved', '%s', 5, '', %s FROM notifications",
                 merchant, state, due_at);
}

static void add_endpoint(uint64_t merchant, const char *resting_until, const char *failing_since) {
    database_run("INSERT INTO endpoints SET merchant_id = %" PRIu64 ", failures = 2, resting_until = %s,"
                 " failing_since = %s",
                 merchant, resting_until, failing_since);
}

/* Merchants that can be told, whose endpoint rests, and that have no URL; and one that is disabled. */
static void add_merchants(void) {
    uint64_t well = new_merchant(.name = "'b-well'", .notify_url = "'http://a/'"),
             another = new_merchant(.name = "'c-well'", .notify_url = "'http://a/'"),
             resting = new_merchant(.name = "'d-resting'", .notify_url = "'http://a/'"),
             mute = new_merchant(.name = "'e'"),
             first = new_merchant(.name = "'a-resting'", .notify_url = "'http://a/'"),
             disabled = new_merchant(.name = "'disabled'", .notify_url = "'http://a/'", .enabled = "FALSE");
    add_endpoint(well, "NULL", BEFORE(5));
    add_endpoint(first, NOON JUST, NOON JUST);
    add_endpoint(resting, BEFORE(1), BEFORE(5));
    add_endpoint(disabled, BEFORE(1), BEFORE(5));
    add_endpoint(mute, BEFORE(1), BEFORE(5));
    add_notice(well, "pending", NOON);
    add_notice(well, "pending", BEFORE(20));
    add_notice(another, "pending", BEFORE(10));
    add_notice(another, "pending", NOON JUST);
    add_notice(well, "delivered", BEFORE(90));
    add_notice(resting, "pending", BEFORE(30));
    add_notice(resting, "pending", BEFORE(40));
    add_notice(mute, "pending", BEFORE(50));
    add_notice(disabled, "pending", BEFORE(45));
    add_notice(well, "exhausted", BEFORE(90));
    add_notice(new_merchant(.name = "'f'"), "exhausted", NOON JUST);
    add_notice(disabled, "exhausted", BEFORE(90));
}

static const struct {
    uint64_t most;
    const char *told;
} NOTICES[] = {
    {9, "due 3 20 s; held 4 50 s; exhausted 2 0 s; resting 2 0 s; a-resting 0 0 s; d-resting 0 5 s; "},
    {1, "due 1 20 s; held 1 50 s; exhausted 1 0 s; resting 2 0 s; a-resting 0 0 s; d-resting 0 5 s; "},
};

START_TEST(notifications_are_counted_up_to_a_bound) {
    struct measures *measures = arena_alloc(arena, sizeof *measures);
    add_merchants();
    ck_assert_int_eq(measures_take(owner, &NEVER, NOTICES[_i].most, arena, measures), STATUS_OK);
    ck_assert_uint_eq(measures_count_refused(measures), 0);
    say("due", measures->due.count, measures->due.oldest);
    say("held", measures->held.count, measures->held.oldest);
    say("exhausted", measures->exhausted, 0);
    say("resting", measures->resting, 0);
    for (size_t i = 0; i < measures->resting_count; i++) {
        say(measures->resting_merchants[i].name.at, 0, measures->resting_merchants[i].age);
    }
    assert_text(said, NOTICES[_i].told);
    ck_assert_int_eq(measures->database_clock, database_instant(NOON));
}
END_TEST

static const struct {
    uint64_t most;
    const char *told;
} OVERDUE[] = {
    {9, "windows 2 60 s; expiries 2 7 s; "},
    {1, "windows 1 60 s; expiries 1 7 s; "},
};

START_TEST(what_is_overdue_is_counted_up_to_a_bound) {
    struct measures *measures = arena_alloc(arena, sizeof *measures);
    uint64_t order = new_order(.reference = "1", .due_at = NOON JUST);
    new_transaction(.order_id = order, .state = "'CONFIRMADA'", .window_ends_at = NOON);
    new_transaction(.order_id = order, .state = "'CONFIRMADA'", .window_ends_at = BEFORE(60));
    new_transaction(.order_id = order, .state = "'CONFIRMADA'", .window_ends_at = NOON JUST);
    new_transaction(.order_id = order, .state = "'FINALIZADA'", .window_ends_at = BEFORE(90));
    new_order(.reference = "2", .due_at = NOON);
    new_order(.reference = "3", .due_at = BEFORE(7));
    new_order(.reference = "4", .due_at = BEFORE(9), .held_by = "5", .held_until = NOON);
    new_order(.reference = "5", .due_at = BEFORE(9), .state = "'CANCELADA'");
    ck_assert_int_eq(measures_take(owner, &NEVER, OVERDUE[_i].most, arena, measures), STATUS_OK);
    say("windows", measures->windows.count, measures->windows.oldest);
    say("expiries", measures->expiries.count, measures->expiries.oldest);
    assert_text(said, OVERDUE[_i].told);
}
END_TEST

START_TEST(totals_are_of_all_hosts) {
    struct measures *measures = arena_alloc(arena, sizeof *measures);
    database_run("INSERT INTO dispatcher_totals VALUES ('a', 1, 2, 3, 4, 5), ('b', 10, 20, 30, 40, 50)");
    ck_assert_int_eq(measures_take(owner, &NEVER, 9, arena, measures), STATUS_OK);
    const struct dispatcher_counts *totals = &measures->totals;
    said = arena_print(arena, "%d %d %d %d %d", (int)totals->finalised, (int)totals->expired, (int)totals->delivered,
                       (int)totals->to_be_tried_again, (int)totals->exhausted);
    assert_text(said, "11 22 33 44 55");
}
END_TEST

/* Networks whose requests are refused altogether, by name and code. */
START_TEST(refused_networks_come_by_name) {
    struct measures *measures = arena_alloc(arena, sizeof *measures);
    uint64_t south = sample_network("south"), north = sample_network("north");
    database_run("INSERT INTO network_refusals (network_id, code, since, last_at) VALUES"
                 " (%" PRIu64 ", '0019', " BEFORE(100) ", " NOON "), (%" PRIu64
                                                       ", '0025', " BEFORE(200) ", " NOON "), (%" PRIu64
                                                                                ", '0019', " BEFORE(300) ", " NOON ")",
                 south, north, north);
    ck_assert_int_eq(measures_take(owner, &NEVER, 9, arena, measures), STATUS_OK);
    for (size_t i = 0; i < measures->refused_count; i++) {
        const struct refused_network *network = &measures->refused_networks[i];
        said = arena_print(arena, "%.*s%.*s %.*s %d s; ", TEXT_ARGS(said), TEXT_ARGS(network->name),
                           TEXT_ARGS(network->code), (int)(network->age / SECOND));
    }
    assert_text(said, "north 0019 300 s; north 0025 200 s; south 0019 100 s; ");
}
END_TEST

TCase *monitoring_tests(void) {
    TCase *tests = database_case("monitoring");
    tcase_add_checked_fixture(tests, set_up, empty);
    add_table_test(tests, notifications_are_counted_up_to_a_bound, NOTICES);
    add_table_test(tests, what_is_overdue_is_counted_up_to_a_bound, OVERDUE);
    tcase_add_test(tests, totals_are_of_all_hosts);
    tcase_add_test(tests, refused_networks_come_by_name);
    return tests;
}
