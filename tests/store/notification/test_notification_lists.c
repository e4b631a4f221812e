#include "store.h"

#include "store/notification/endpoint_tests.h"
#include "store/notification/notifications.h"

#include <inttypes.h>

/* What an operator reads of notifications, and the tests of endpoints that a dispatcher takes. The clock stands still
 * at noon. */

#define NOON      "'2030-05-05 12:00:00'"
#define BEFORE(n) NOON " - INTERVAL " #n " SECOND"
#define JUST      " + INTERVAL 1 MICROSECOND"

static struct text said;
static uint64_t north, south; /* merchants */

static void empty(void) {
    database_run("TRUNCATE attempts; TRUNCATE endpoint_tests; TRUNCATE dispatchers");
}

static void set_up(void) {
    said = TEXT("");
    empty();
    database_stop_clock(owner, NOON);
    north = new_merchant(.name = "'north'", .notify_url = "'http://n/'");
    south = new_merchant(.name = "'south'", .notify_url = "'http://s/'");
}

/* Adds a notification of the order with this number, o1 and so on, which is created if it is not there. */
static uint64_t add_notice(uint64_t merchant, unsigned order, unsigned sequence, const char *state,
                           const char *created_at, const char *due_at) {
    const char *po_id = arena_print(arena, "'o%u'", order).at;
    if (database_number("SELECT COUNT(*) FROM orders WHERE po_id = %s", po_id) == 0) {
        new_order(.merchant_id = merchant, .po_id = po_id, .reference = arena_print(arena, "%u", order).at);
    }
    database_run("INSERT INTO notifications (order_id, merchant_id, sequence, status, state, amount, payment_means,"
                 " created_at, due_at) SELECT id, %" PRIu64 ", %u, IF(%u = 1, 'approved', 'cancelled'), '%s', 5, '',"
                 " %s, %s FROM orders WHERE po_id = %s",
                 merchant, sequence, sequence, state, created_at, due_at, po_id);
    return database_number("SELECT LAST_INSERT_ID()");
}

static void add_attempt(uint64_t notice, unsigned number, const char *reason, unsigned dispatcher) {
    database_run("INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, address,"
                 " reason, late, reply, lease) SELECT %" PRIu64 ", %u, %u, " NOON ", 5, '', '%s', FALSE, '',"
                 " LPAD(COUNT(*), 16, '0') FROM attempts",
                 notice, number, dispatcher, reason);
}

static void say_notice(void *context, const struct notification_row *notice) {
    (void)context;
    said = arena_print(arena, "%.*s%.*s-%" PRIu64 "%s%.*s ", TEXT_ARGS(said), TEXT_ARGS(notice->po_id),
                       notice->sequence, notice->last_reason.size > 0 ? "-" : "", TEXT_ARGS(notice->last_reason));
}

static void say_attempt(void *context, const struct attempt_row *attempt) {
    (void)context;
    said = arena_print(arena, "%.*s%" PRIu64 "-%.*s-%.*s ", TEXT_ARGS(said), attempt->number,
                       TEXT_ARGS(attempt->reason), TEXT_ARGS(attempt->dispatcher));
}

/* Returns the first of these notifications. */
static uint64_t add_notices(void) {
    uint64_t id = add_notice(north, 1, 2, "exhausted", BEFORE(90), BEFORE(30));
    uint64_t first = add_notice(north, 1, 1, "delivered", BEFORE(50), BEFORE(10));
    add_notice(south, 2, 1, "exhausted", BEFORE(60), BEFORE(20));
    uint64_t other = add_notice(north, 3, 1, "exhausted", BEFORE(70), BEFORE(40));
    add_notice(north, 4, 1, "exhausted", BEFORE(70), BEFORE(40));
    database_run("INSERT INTO dispatchers (id, host, pid) VALUES (7, 'host', 1)");
    add_attempt(id, 1, "timeout", 7);
    add_attempt(other, 1, "tls", 7);
    add_attempt(first, 1, "acknowledged", 7);
    add_attempt(id, 1, "dns", 8);
    return id;
}

static const struct {
    const char *state;
    bool of_north;
    uint64_t limit;
    const char *told; /* order, sequence, and the last attempt's reason */
} LISTS[] = {
    {"", false, 9, "o4-1 o3-1-tls o2-1 o1-1-acknowledged o1-2-dns "},
    {"", false, 2, "o4-1 o3-1-tls "},
    {"", true, 9, "o1-1-acknowledged o4-1 o3-1-tls o1-2-dns "},
    {"", true, 2, "o1-1-acknowledged o4-1 "},
    {"exhausted", false, 9, "o2-1 o1-2-dns o4-1 o3-1-tls "},
    {"exhausted", false, 3, "o2-1 o1-2-dns o4-1 "},
    {"exhausted", true, 9, "o1-2-dns o4-1 o3-1-tls "},
    {"exhausted", true, 2, "o1-2-dns o4-1 "},
};

START_TEST(notifications_are_listed_as_asked_for) {
    add_notices();
    const struct notification_filter filter = {
        .state = text_of(LISTS[_i].state), .merchant_id = LISTS[_i].of_north ? north : 0, .limit = LISTS[_i].limit};
    ck_assert_int_eq(notifications_list(owner, &filter, arena, say_notice, NULL), STATUS_OK);
    assert_text(said, LISTS[_i].told);
}
END_TEST

START_TEST(a_notification_is_found_with_its_attempts) {
    struct notification_row row;
    uint64_t id = add_notices();
    ck_assert_int_eq(notifications_find(owner, id, arena, &row), STATUS_OK);
    say_notice(NULL, &row);
    struct text webhook_id = row.webhook_id;
    ck_assert_int_eq(notifications_find_by_webhook_id(owner, webhook_id, arena, &row), STATUS_OK);
    say_notice(NULL, &row);
    ck_assert_int_eq(notifications_of_order(owner, row.order_id, arena, say_notice, NULL), STATUS_OK);
    ck_assert_int_eq(attempts_of_notification(owner, id, arena, say_attempt, NULL), STATUS_OK);
    ck_assert_int_eq(attempts_of_order(owner, row.order_id, arena, say_attempt, NULL), STATUS_OK);
    assert_text(said, "o1-2-dns o1-2-dns o1-1-acknowledged o1-2-dns 1-timeout-host 2-dns- "
                      "1-timeout-host 1-acknowledged-host 2-dns- ");
}
END_TEST

/* A notification is in a dispatcher's hand until its lease ends. */
static const struct {
    const char *state, *lease, *due_at;
    bool in_hand;
} HANDS[] = {
    {"pending", "REPEAT('l', 16)", NOON JUST, true},
    {"pending", "REPEAT('l', 16)", NOON, false},
    {"pending", "NULL", NOON JUST, false},
    {"exhausted", "REPEAT('l', 16)", NOON JUST, false},
};

START_TEST(a_notification_is_in_hand_while_its_lease_lasts) {
    struct notification_row row;
    uint64_t id = add_notice(north, 1, 1, HANDS[_i].state, NOON, HANDS[_i].due_at);
    database_run("UPDATE notifications SET lease = %s", HANDS[_i].lease);
    ck_assert_int_eq(notifications_find(owner, id, arena, &row), STATUS_OK);
    ck_assert_int_eq(row.in_hand, HANDS[_i].in_hand);
}
END_TEST

static void ask(uint64_t merchant, const char *asked_at) {
    database_run("INSERT INTO endpoint_tests SET merchant_id = %" PRIu64 ", asked_by = 'test', currency = 'COP',"
                 " asked_at = %s",
                 merchant, asked_at);
}

static enum status take(struct endpoint_test *test) {
    enum status status = endpoint_tests_take(owner, arena, test);
    said = status == STATUS_OK ? arena_print(arena, "%.*s%.*s %.*s ", TEXT_ARGS(said), TEXT_ARGS(test->merchant_name),
                                             TEXT_ARGS(test->url))
                               : said;
    return status;
}

/* Tests that wait, the last of them for too long, and one of a merchant that has no URL any more. */
START_TEST(the_test_that_waited_longest_is_taken_once) {
    struct endpoint_test test;
    ask(north, BEFORE(10));
    ask(south, BEFORE(60) JUST);
    ask(new_merchant(.notify_url = "'http://late/'"), BEFORE(60));
    ask(new_merchant(.notify_url = "NULL"), BEFORE(30));
    ck_assert_int_eq(take(&test), STATUS_OK);
    ck_assert_int_eq(take(&test), STATUS_OK);
    ck_assert_int_eq(take(&test), STATUS_NONE);
    assert_text(said, "south http://s/ north http://n/ ");
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(taken_at = " NOON " ORDER BY merchant_id) FROM endpoint_tests"),
                     "1,1");
}
END_TEST

/* What was taken is recorded once, and not if another test was asked for since. */
START_TEST(the_outcome_of_a_test_is_recorded_once) {
    struct endpoint_test test;
    ask(north, BEFORE(9));
    ask(south, BEFORE(9));
    struct endpoint_outcome outcome = {.merchant_id = north,
                                       .took = 7,
                                       .url = TEXT("u"),
                                       .address = TEXT("::1"),
                                       .http_status = 200,
                                       .reason = "timeout",
                                       .reply = TEXT("OK")};
    outcome.asked_at = database_instant(BEFORE(9));
    ck_assert_int_eq(endpoint_tests_record(owner, &outcome), STATUS_CHANGED);
    ck_assert_int_eq(take(&test), STATUS_OK);
    ck_assert_int_eq(take(&test), STATUS_OK);
    outcome.asked_at++;
    ck_assert_int_eq(endpoint_tests_record(owner, &outcome), STATUS_CHANGED);
    outcome.asked_at--;
    ck_assert_int_eq(endpoint_tests_record(owner, &outcome), STATUS_OK);
    outcome.http_status = 500;
    ck_assert_int_eq(endpoint_tests_record(owner, &outcome), STATUS_CHANGED);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', m.name, t.done_at = " NOON
                                   ", duration_us, url, address, http_status, reason, reply) ORDER BY m.name)"
                                   " FROM endpoint_tests t JOIN merchants m ON m.id = t.merchant_id"),
                     "north 1 7 u ::1 200 timeout OK,south");
}
END_TEST

TCase *notification_lists_tests(void) {
    TCase *tests = database_case("notification_lists");
    tcase_add_checked_fixture(tests, set_up, empty);
    add_table_test(tests, notifications_are_listed_as_asked_for, LISTS);
    tcase_add_test(tests, a_notification_is_found_with_its_attempts);
    add_table_test(tests, a_notification_is_in_hand_while_its_lease_lasts, HANDS);
    tcase_add_test(tests, the_test_that_waited_longest_is_taken_once);
    tcase_add_test(tests, the_outcome_of_a_test_is_recorded_once);
    return tests;
}
