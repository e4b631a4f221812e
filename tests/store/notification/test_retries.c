#include "store.h"

#include "store/db/sql.h"
#include "store/notification/retries.h"

#include <inttypes.h>

/* Which notifications an operator may send again, what is known of them, and what a retry writes. */

#define NOON  "'2030-05-05 12:00:00'"
#define SINCE "'2030-05-05 11:00:00'"
#define JUST  " INTERVAL 1 MICROSECOND"

static struct connection *by_operator;
static struct text said;
static uint64_t north, resting, mute; /* merchants; the endpoint of the second rests */

static void set_up(void) {
    said = TEXT("");
    by_operator = database_connect(OPERATOR);
    north = new_merchant(.name = "'north'", .notify_url = "'http://n/'");
    resting = new_merchant(.name = "'resting'", .notify_url = "'http://r/'");
    mute = new_merchant(.name = "'mute'");
    database_run("TRUNCATE endpoints; TRUNCATE console_users");
    database_run("INSERT INTO endpoints SET merchant_id = %" PRIu64 ", failures = 2, resting_until = " NOW, resting);
    database_run("INSERT INTO endpoints SET merchant_id = %" PRIu64 ", failures = 2", north);
}

static void tear_down(void) {
    connection_close(by_operator);
    database_run("TRUNCATE endpoints; TRUNCATE console_users");
}

/* The second notification of an order is that of its cancellation. */
static uint64_t add_notice(uint64_t order, uint64_t merchant, unsigned sequence, const char *state,
                           const char *others) {
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = %" PRIu64 ", sequence = %u,"
                 " status = IF(%u = 1, 'approved', 'cancelled'), state = '%s', amount = 5, payment_means = ''%s",
                 order, merchant, sequence, sequence, state, others);
    return database_number("SELECT LAST_INSERT_ID()");
}

/* A notification of one of three merchants, alone. */
static const struct {
    const char *merchant, *state, *due_at, *created_at;
    bool found, found_again; /* without and with those that were delivered */
} FOUND[] = {
    {"north", "exhausted", SINCE, SINCE, true, true},
    {"north", "exhausted", SINCE " -" JUST, SINCE, false, false},
    {"north", "exhausted", SINCE, SINCE " -" JUST, false, false},
    {"north", "unaddressed", NOON, NOON, true, true},
    {"north", "waiting", NOON, NOON, false, false},
    {"north", "delivered", NOON, NOON, false, true},
    {"north", "pending", NOON, NOON, false, false},
    {"north", "pending", NOON " +" JUST, NOON, true, true},
    {"resting", "exhausted", NOON, NOON, false, false},
    {"resting", "pending", NOON " +" JUST, NOON, false, false},
};

static void find_retries(uint64_t merchant, bool again) {
    struct retry_choice *choices;
    size_t count;
    const struct retry_search search = {.merchant_id = merchant, .since = database_instant(SINCE), .again = again};
    database_stop_clock(by_operator, NOON);
    ck_assert_int_eq(retries_find(by_operator, &search, arena, &choices, &count), STATUS_OK);
    said = TEXT("");
    for (size_t i = 0; i < count; i++) {
        said = arena_print(arena, "%.*s%" PRIu64 "-%" PRIu64 " ", TEXT_ARGS(said), choices[i].order_id, choices[i].id);
    }
}

START_TEST(what_would_not_be_sent_at_once_is_found) {
    uint64_t merchant = strcmp(FOUND[_i].merchant, "north") == 0 ? north : resting;
    uint64_t id =
        add_notice(7, merchant, 1, FOUND[_i].state,
                   arena_print(arena, ", due_at = %s, created_at = %s", FOUND[_i].due_at, FOUND[_i].created_at).at);
    const char *expected = arena_print(arena, "7-%" PRIu64 " ", id).at;
    find_retries(north, false);
    assert_text(said, FOUND[_i].found ? expected : "");
    find_retries(north, true);
    assert_text(said, FOUND[_i].found_again ? expected : "");
}
END_TEST

/* What is due waits where an endpoint rests: that of its own merchant. */
START_TEST(what_waits_for_a_resting_endpoint_is_found) {
    uint64_t first = add_notice(9, resting, 1, "pending", ", due_at = " NOON ", created_at = " NOON);
    uint64_t other = add_notice(8, resting, 2, "exhausted", ", due_at = " NOON ", created_at = " NOON);
    uint64_t last = add_notice(8, resting, 1, "pending", ", due_at = " NOON ", created_at = " NOON);
    find_retries(resting, false);
    assert_text(said, arena_print(arena, "8-%" PRIu64 " 8-%" PRIu64 " 9-%" PRIu64 " ", other, last, first).at);
    database_run("UPDATE endpoints SET resting_until = NULL");
    find_retries(resting, false);
    assert_text(said, arena_print(arena, "8-%" PRIu64 " ", other).at);
}
END_TEST

#define PAST   ", due_at = " AN_HOUR_AGO
#define FUTURE ", due_at = " IN_AN_HOUR
#define LEASED ", lease = REPEAT('l', 16)"

/* Notifications of orders, one after the other. A refunded order was paid before. */
static const struct {
    const char *order, *merchant, *state;
    struct {
        const char *state, *others;
        bool chosen;
    } notices[2];
    const char *told; /* of each: po_id, sequence, status, state, facts, what it becomes and the refusal's number */
} ORDERS[] = {
    {"'B'",
     "north",
     "'APROBADA'",
     {{"exhausted", PAST, true}, {"unaddressed", PAST, true}},
     "B 1 approved exhausted due chosen pending 0; B 2 cancelled unaddressed due chosen waiting 0; "},
    {"'A'",
     "north",
     "'ANULADA'",
     {{"exhausted", FUTURE, true}, {NULL, NULL, false}},
     "A 1 approved exhausted refunded chosen pending 0; "},
    {"'C'",
     "north",
     "'ANULADA'",
     {{"delivered", PAST, false}, {"pending", FUTURE LEASED, true}},
     "C 1 approved delivered due delivered 0; C 2 cancelled pending leased chosen pending 3; "},
    {"'D'",
     "resting",
     "'VENCIDA'",
     {{"pending", PAST, true}, {NULL, NULL, false}},
     "D 1 approved pending due rests chosen pending 0; "},
    {"'E'",
     "mute",
     "'VENCIDA'",
     {{"unaddressed", PAST, true}, {NULL, NULL, false}},
     "E 1 approved unaddressed due chosen unaddressed 1; "},
    {"'F'",
     "north",
     "'VENCIDA'",
     {{"pending", PAST, true}, {NULL, NULL, false}},
     "F 1 approved pending due chosen pending 4; "},
};

enum { NOTICES = 8 };

static uint64_t merchant_named(const char *name) {
    return strcmp(name, "north") == 0 ? north : strcmp(name, "mute") == 0 ? mute : resting;
}

/* Adds the order and its notifications. Appends the ids of those that are chosen. */
static void add_order(size_t i, uint64_t *ids, size_t *count) {
    bool paid = ORDERS[i].state[1] == 'A';
    uint64_t merchant = merchant_named(ORDERS[i].merchant);
    uint64_t order = new_order(.merchant_id = merchant, .po_id = ORDERS[i].order, .state = ORDERS[i].state,
                               .reference = arena_print(arena, "%zu", i).at,
                               .paid_by = paid ? arena_print(arena, "%zu", i + 1).at : NULL);
    for (unsigned at = 0; at < 2 && ORDERS[i].notices[at].state != NULL; at++) {
        uint64_t id = add_notice(order, merchant, at + 1, ORDERS[i].notices[at].state, ORDERS[i].notices[at].others);
        if (ORDERS[i].notices[at].chosen) {
            ids[(*count)++] = id;
        }
    }
}

static void say_result(const struct retry_result *result) {
    const struct retry_row *row = &result->row;
    said = arena_print(arena, "%.*s%.*s %d %s %s%s%s%s%s%s %s %d; ", TEXT_ARGS(said), TEXT_ARGS(result->po_id),
                       (int)row->sequence, notification_status_name(result->status),
                       notification_state_name(row->state), row->in_hand ? " leased" : "", row->is_due ? " due" : "",
                       row->is_resting ? " rests" : "", result->was_refunded ? " refunded" : "",
                       row->chosen ? " chosen" : "", notification_state_name(row->becomes), (int)row->refusal);
}

static void run_retry(struct connection *connection, const struct retry_request *request) {
    struct retry_result *results;
    size_t count;
    said = TEXT("");
    ck_assert_int_eq(retries_run(connection, request, arena, &results, &count), STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(results[i].order_id,
                          database_number("SELECT order_id FROM notifications WHERE id = %" PRIu64, results[i].row.id));
        assert_text(results[i].merchant, database_text("SELECT m.name FROM merchants m JOIN notifications n"
                                                       " ON n.merchant_id = m.id WHERE n.id = %" PRIu64,
                                                       results[i].row.id));
        say_result(&results[i]);
    }
}

/* Returns all notifications that wait to be sent from the start, and the events of retries. */
static const char *anew(void) {
    return database_text("SELECT COALESCE(GROUP_CONCAT(CONCAT_WS(' ', o.po_id, n.sequence, n.state) ORDER BY n.id), '')"
                         " FROM notifications n JOIN orders o ON o.id = n.order_id"
                         " WHERE n.state IN ('pending', 'waiting') AND n.attempts = 0");
}

static const char *retried(uint64_t begin) {
    return database_text(
        "SELECT COALESCE(GROUP_CONCAT(CONCAT_WS(' ', from_state, to_state, actor, reason) ORDER BY id),"
        " '') FROM event_log WHERE what = 'retried' AND id > %" PRIu64,
        begin);
}

START_TEST(what_is_known_of_each_order_is_judged) {
    uint64_t ids[NOTICES];
    size_t count = 0;
    const char *told = "";
    for (size_t i = 0; i < COUNT_OF(ORDERS); i++) {
        add_order(i, ids, &count);
        told = arena_print(arena, "%s%s", told, ORDERS[i].told).at;
    }
    add_notice(new_order(.merchant_id = north), north, 1, "exhausted", PAST); /* nobody asks for it */
    database_run("UPDATE notifications SET attempts = 3");
    const struct retry_request request = {.ids = ids, .count = count, .dry_run = true, .actor = TEXT("eva")};
    run_retry(by_operator, &request);
    assert_text(said, told);
    ck_assert_str_eq(anew(), "");
}
END_TEST

/* `whole`: nothing is written if one of them is refused. */
static const struct {
    size_t orders[2];
    bool whole, by_user;
    const char *anew, *retried;
} WRITTEN[] = {
    {{0, 5}, false, false, "B 1 pending,B 2 waiting", "exhausted pending eva why,unaddressed waiting eva why"},
    {{0, 5}, true, false, "", ""},
    {{0, 1},
     true,
     true,
     "B 1 pending,B 2 waiting,A 1 pending",
     "exhausted pending console:boss why,unaddressed waiting console:boss why,exhausted pending console:boss why"},
    {{5, 4}, false, false, "", ""},
};

START_TEST(what_is_granted_begins_anew) {
    uint64_t ids[NOTICES], user = 0;
    size_t count = 0;
    add_order(WRITTEN[_i].orders[0], ids, &count);
    add_order(WRITTEN[_i].orders[1], ids, &count);
    database_run("UPDATE notifications SET attempts = 3; INSERT INTO console_users SET name = 'boss',"
                 " role = 'operator', changed_by = 'test'");
    user = WRITTEN[_i].by_user ? database_number("SELECT MAX(id) FROM console_users") : 0;
    uint64_t begin = database_number("SELECT MAX(id) FROM event_log");
    const struct retry_request request = {.ids = ids,
                                          .count = count,
                                          .whole = WRITTEN[_i].whole,
                                          .actor = TEXT("eva"),
                                          .reason = TEXT("why"),
                                          .user_id = user};
    struct connection *console = database_connect(CONSOLE);
    run_retry(user == 0 ? by_operator : console, &request);
    connection_close(console);
    ck_assert_str_eq(anew(), WRITTEN[_i].anew);
    ck_assert_str_eq(retried(begin), WRITTEN[_i].retried);
}
END_TEST

/* Somebody has locked the notification, or only its merchant. */
static const struct {
    const char *lock;
    enum status status;
} LOCKS[] = {
    {"SELECT id FROM notifications FOR UPDATE", STATUS_AGAIN},
    {"SELECT id FROM merchants FOR UPDATE", STATUS_OK},
    {"SELECT id FROM orders FOR UPDATE", STATUS_OK},
};

START_TEST(a_retry_locks_the_notifications_alone) {
    uint64_t ids[NOTICES];
    size_t count = 0, found;
    struct retry_result *results;
    add_order(0, ids, &count);
    MYSQL *other = database_login(OWNER);
    ck_assert_uint_eq(database_error(other, "START TRANSACTION; %s", LOCKS[_i].lock), 0);
    ck_assert_int_eq(sql_script(by_operator, "wait", TEXT("SET innodb_lock_wait_timeout = 0")), STATUS_OK);
    const struct retry_request request = {.ids = ids, .count = count, .dry_run = true, .actor = TEXT("eva")};
    ck_assert_int_eq(retries_run(by_operator, &request, arena, &results, &found), LOCKS[_i].status);
    mysql_close(other);
}
END_TEST

TCase *retries_tests(void) {
    TCase *tests = database_case("retries");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, what_would_not_be_sent_at_once_is_found, FOUND);
    tcase_add_test(tests, what_waits_for_a_resting_endpoint_is_found);
    tcase_add_test(tests, what_is_known_of_each_order_is_judged);
    add_table_test(tests, what_is_granted_begins_anew, WRITTEN);
    add_table_test(tests, a_retry_locks_the_notifications_alone, LOCKS);
    return tests;
}
