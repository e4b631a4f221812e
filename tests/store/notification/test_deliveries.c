#include "store.h"

#include "store/notification/deliveries.h"
#include "store/notification/delivery_trial.h"

#include <inttypes.h>

/* What is sent, when, and what is noted of it, to the microsecond: for the dispatcher it is always noon. */

#define NOON      "'2030-05-05 12:00:00'"
#define AFTER(n)  NOON " + INTERVAL " #n " SECOND"
#define BEFORE(n) NOON " - INTERVAL " #n " SECOND"
#define JUST      " + INTERVAL 1 MICROSECOND"

static struct connection *deliverer;
static struct text said;
static uint64_t north, south; /* merchants */

static void set_up(void) {
    said = TEXT("");
    deliverer = database_connect(DELIVERER);
    database_stop_clock(deliverer, NOON);
    database_run("TRUNCATE endpoints; TRUNCATE attempts");
    north = new_merchant(.name = "'north'", .notify_url = "'http://n/'");
    south = new_merchant(.name = "'south'", .notify_url = "'http://s/'");
}

static void tear_down(void) {
    database_run("TRUNCATE endpoints; TRUNCATE attempts");
    connection_close(deliverer);
}

static void say(struct text words) {
    said = arena_print(arena, "%.*s%.*s; ", TEXT_ARGS(said), TEXT_ARGS(words));
}

/* Adds a notification of a new order, o1, o2 and so on, or with a later sequence of the last one. `others`: more
 * assignments. */
static uint64_t add_notice(uint64_t merchant, unsigned sequence, const char *state, const char *due_at,
                           const char *others) {
    static uint64_t order;
    if (sequence == 1) {
        const char *number = database_text("SELECT COUNT(*) + 1 FROM orders");
        order = new_order(.merchant_id = merchant, .reference = number, .state = "'CANCELADA'",
                          .po_id = arena_print(arena, "'o%s'", number).at, .currency = "'USD'");
    }
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = %" PRIu64 ", sequence = %u,"
                 " status = IF(sequence = 1, 'approved', 'cancelled'), state = '%s', amount = 5.25,"
                 " payment_means = 'means', due_at = %s%s",
                 order, merchant, sequence, state, due_at, others);
    return database_number("SELECT LAST_INSERT_ID()");
}

static const struct {
    const char *due[2], *state; /* of notifications */
    const char *windows[2], *payments;
    bool is_due;
    duration ask_in;
} NEXT[] = {
    {{NULL}, "", {NULL}, "", false, MINUTE},
    {{NOON, AFTER(5)}, "pending", {NULL}, "", true, MINUTE},
    {{AFTER(5), NOON}, "pending", {NULL}, "", true, MINUTE},
    {{NOON JUST}, "pending", {NULL}, "", false, 1},
    {{AFTER(9), AFTER(5)}, "pending", {NULL}, "", false, 5 * SECOND},
    {{NOON, AFTER(5)}, "exhausted", {NULL}, "", false, MINUTE},
    {{NULL}, "", {AFTER(5), AFTER(3)}, "'CONFIRMADA'", false, 3025 * MILLISECOND},
    {{NULL}, "", {AFTER(3), BEFORE(1)}, "'CONFIRMADA'", false, 3025 * MILLISECOND},
    {{NULL}, "", {BEFORE(1) JUST, AFTER(3)}, "'CONFIRMADA'", false, 25 * MILLISECOND},
    {{NULL}, "", {AFTER(3)}, "'FINALIZADA'", false, MINUTE},
    {{AFTER(5)}, "pending", {AFTER(3)}, "'CONFIRMADA'", false, 3025 * MILLISECOND},
};

START_TEST(the_next_delivery_is_then) {
    struct delivery_next next;
    for (unsigned i = 0; i < 2; i++) {
        if (NEXT[_i].due[i] != NULL) {
            add_notice(north, 1, NEXT[_i].state, NEXT[_i].due[i], "");
        }
        if (NEXT[_i].windows[i] != NULL) {
            new_transaction(.order_id = 5 + i, .state = NEXT[_i].payments, .window_ends_at = NEXT[_i].windows[i]);
        }
    }
    ck_assert_int_eq(deliveries_next(deliverer, MINUTE, &next), STATUS_OK);
    ck_assert_int_eq(next.is_due, NEXT[_i].is_due);
    ck_assert_int_eq(next.ask_in, NEXT[_i].ask_in);
}
END_TEST

/* A merchant whose notifications are due then; `resting_until`: of its endpoint, "" if it has no failure. */
static const struct {
    const char *name, *url, *state, *due[2], *resting_until;
} MERCHANTS[] = {
    {"'east'", "'http://e/'", "pending", {AFTER(9), BEFORE(10)}, ""},
    {"'failing'", "'http://f/'", "pending", {NOON, AFTER(9)}, "NULL"},
    {"'rested'", "'http://r/'", "pending", {BEFORE(20), BEFORE(5)}, NOON},
    {"'resting'", "'http://r/'", "pending", {BEFORE(15), BEFORE(30)}, NOON JUST},
    {"'mute'", "NULL", "pending", {BEFORE(90), NOON}, ""},
    {"'later'", "'http://l/'", "pending", {NOON JUST, AFTER(9)}, ""},
    {"'done'", "'http://d/'", "delivered", {BEFORE(90), NOON}, ""},
};

static void add_merchants(void) {
    for (size_t i = 0; i < COUNT_OF(MERCHANTS); i++) {
        uint64_t id = new_merchant(.name = MERCHANTS[i].name, .notify_url = MERCHANTS[i].url);
        add_notice(id, 1, MERCHANTS[i].state, MERCHANTS[i].due[0], "");
        add_notice(id, 1, MERCHANTS[i].state, MERCHANTS[i].due[1], "");
        if (MERCHANTS[i].resting_until[0] != '\0') {
            database_run("INSERT INTO endpoints SET merchant_id = %" PRIu64 ", failures = 2, resting_until = %s", id,
                         MERCHANTS[i].resting_until);
        }
    }
}

static const struct {
    uint64_t most;
    const char *told; /* name, failures, whether it rests */
} MOST[] = {
    {9, "resting 2 1; rested 2 0; east 0 0; failing 2 0; "},
    {2, "resting 2 1; rested 2 0; "},
};

START_TEST(who_waits_longest_comes_first) {
    struct due_merchant *merchants;
    size_t count;
    add_merchants();
    ck_assert_int_eq(deliveries_merchants(deliverer, MOST[_i].most, arena, &merchants, &count), STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        say(arena_print(arena, "%.*s %" PRIu64 " %d", TEXT_ARGS(merchants[i].name), merchants[i].failures,
                        merchants[i].rests));
    }
    assert_text(said, MOST[_i].told);
}
END_TEST

static void go_on(const void *about) {
    (void)about;
}

static enum status lease(struct lease_share *shares, size_t count) {
    struct notification *notices;
    size_t leased;
    instant now;
    struct lease_request request = {.shares = shares,
                                    .share_count = count,
                                    .lease_for = 45 * SECOND,
                                    .lease = "now-leased-here",
                                    .progress = go_on};
    enum status status = deliveries_lease(deliverer, &request, arena, &notices, &leased, &now);
    for (size_t i = 0; i < leased; i++) {
        char amount[MONEY_TEXT_SIZE];
        const struct notification *notice = &notices[i];
        say(arena_print(arena, "%.*s %d %d %d %.*s %s %.*s %.*s", TEXT_ARGS(notice->po_id), (int)notice->sequence,
                        (int)notice->attempts, notice->status, TEXT_ARGS(notice->currency),
                        money_print(notice->amount, 2, amount), TEXT_ARGS(notice->merchant_name),
                        TEXT_ARGS(notice->url)));
        ck_assert_int_eq(now, database_instant(NOON));
    }
    return status;
}

/* Returns what has changed of all notifications: which are leased, and for how many seconds from noon they wait. */
static const char *leases(void) {
    return database_text(
        "SELECT GROUP_CONCAT(CONCAT_WS(' ', o.po_id, TRIM('\\0' FROM n.lease), TIMESTAMPDIFF(SECOND, " NOON
        ", n.due_at)) ORDER BY n.id) FROM notifications n JOIN orders o ON o.id = n.order_id"
        " WHERE n.lease IS NOT NULL");
}

START_TEST(each_merchant_gets_its_share) {
    add_notice(north, 1, "pending", BEFORE(3), ", attempts = 2");
    add_notice(north, 1, "pending", NOON, "");
    add_notice(north, 1, "pending", BEFORE(9), "");
    add_notice(north, 1, "pending", BEFORE(2), "");
    add_notice(south, 1, "pending", BEFORE(1), ", attempts = 1");
    add_notice(south, 1, "pending", NOON, "");
    add_notice(south, 1, "pending", NOON JUST, "");
    add_notice(south, 1, "exhausted", BEFORE(9), "");
    uint64_t mute = new_merchant(.name = "'mute'"), other = new_merchant(.notify_url = "'http://o/'");
    add_notice(mute, 1, "pending", BEFORE(9), "");
    add_notice(other, 1, "pending", BEFORE(9), "");
    struct lease_share shares[] = {{.merchant_id = north, .most = 3},
                                   {.merchant_id = south, .most = 5, .first_attempts_only = true},
                                   {.merchant_id = mute, .most = 5}};
    ck_assert_int_eq(lease(shares, COUNT_OF(shares)), STATUS_OK);
    assert_text(said, "o3 1 0 0 USD 5.25 north http://n/; o1 1 2 0 USD 5.25 north http://n/;"
                      " o4 1 0 0 USD 5.25 north http://n/; o6 1 0 0 USD 5.25 south http://s/; ");
    ck_assert_str_eq(leases(), "o1 now-leased-here 45,o3 now-leased-here 45,o4 now-leased-here 45,"
                               "o6 now-leased-here 45,o9 now-leased-here 45");
    ck_assert_int_eq(lease(&shares[1], 1), STATUS_NONE);
}
END_TEST

/* Another dispatcher is leasing the first one. */
START_TEST(what_another_leases_is_passed_by) {
    uint64_t locked = add_notice(north, 1, "pending", BEFORE(3), "");
    add_notice(north, 1, "pending", BEFORE(2), "");
    MYSQL *other = database_login(OWNER);
    ck_assert_uint_eq(
        database_error(other, "START TRANSACTION; SELECT id FROM notifications WHERE id = %" PRIu64 " FOR UPDATE",
                       locked),
        0);
    struct lease_share share = {.merchant_id = north, .most = 3};
    ck_assert_int_eq(lease(&share, 1), STATUS_OK);
    mysql_close(other);
    ck_assert_str_eq(leases(), "o2 now-leased-here 45");
}
END_TEST

#define LEASED ", lease = 'this-lease-holds'"

static const unsigned char OURS[] = "this-lease-holds", OTHER[] = "this-lease-ended";

START_TEST(only_what_is_leased_still_is_released) {
    uint64_t ids[] = {
        add_notice(north, 1, "pending", AFTER(9), LEASED), add_notice(north, 1, "pending", AFTER(9), LEASED),
        add_notice(north, 1, "exhausted", AFTER(9), LEASED), add_notice(north, 1, "pending", AFTER(9), LEASED)};
    struct leased leased[3] = {{.notification_id = ids[0]}, {.notification_id = ids[1]}, {.notification_id = ids[2]}};
    memcpy(leased[0].lease, OURS, LEASE_BYTES);
    memcpy(leased[1].lease, OTHER, LEASE_BYTES);
    memcpy(leased[2].lease, OURS, LEASE_BYTES);
    ck_assert_int_eq(deliveries_release(deliverer, leased, COUNT_OF(leased), arena), STATUS_OK);
    ck_assert_str_eq(leases(), "o2 this-lease-holds 9,o3 this-lease-holds 9,o4 this-lease-holds 9");
    ck_assert_str_eq(database_text("SELECT due_at = " NOON " FROM notifications WHERE lease IS NULL"), "1");
}
END_TEST

static struct delivery_outcome outcome_of(uint64_t id, const unsigned char *lease, unsigned number, const char *what) {
    struct delivery_outcome outcome = {.notification_id = id,
                                       .number = number,
                                       .started_at = 1000000 * SECOND,
                                       .took = 7,
                                       .url = TEXT("http://n/"),
                                       .address = "::1",
                                       .http_status = strcmp(what, "pending") == 0 ? 0 : 200,
                                       .reason = strcmp(what, "delivered") == 0 ? "acknowledged" : "timeout",
                                       .delivered = strcmp(what, "delivered") == 0,
                                       .exhausted = strcmp(what, "exhausted") == 0,
                                       .next_in = 30 * SECOND,
                                       .reply = TEXT("OK")};
    memcpy(outcome.lease, lease, LEASE_BYTES);
    memcpy(outcome.kept_under, OURS, LEASE_BYTES);
    return outcome;
}

enum { OUTCOMES = 5 };

/* The last two come too late: another lease holds, or it has finished. */
static void make_outcomes(struct delivery_outcome outcomes[OUTCOMES]) {
    uint64_t delivered = add_notice(north, 1, "pending", AFTER(9), LEASED);
    add_notice(north, 2, "waiting", BEFORE(9), "");
    uint64_t exhausted = add_notice(north, 1, "pending", AFTER(9), LEASED);
    add_notice(north, 2, "delivered", BEFORE(9), "");
    uint64_t failed = add_notice(north, 1, "pending", AFTER(9), LEASED ", attempts = 1");
    add_notice(north, 2, "waiting", BEFORE(9), "");
    uint64_t lost = add_notice(north, 1, "pending", AFTER(9), ", lease = 'another-has-it-n'");
    add_notice(north, 2, "waiting", BEFORE(9), "");
    uint64_t finished = add_notice(north, 1, "exhausted", BEFORE(9), LEASED);
    add_notice(north, 3, "waiting", BEFORE(9), "");
    outcomes[0] = outcome_of(delivered, OURS, 1, "delivered");
    outcomes[1] = outcome_of(exhausted, OURS, 4, "exhausted");
    outcomes[2] = outcome_of(failed, OURS, 2, "pending");
    outcomes[3] = outcome_of(lost, OURS, 1, "delivered");
    outcomes[4] = outcome_of(finished, OURS, 1, "delivered");
}

/* Returns the notifications: order, state, attempts, whether it is leased, and the seconds from noon to due_at and
 * settled_at. */
static const char *states(void) {
    return database_text(
        "SELECT GROUP_CONCAT(CONCAT_WS(' ', o.po_id, n.sequence, n.state, n.attempts, n.lease IS NOT NULL,"
        " TIMESTAMPDIFF(SECOND, " NOON ", n.due_at), TIMESTAMPDIFF(SECOND, " NOON ", n.settled_at))"
        " ORDER BY n.id SEPARATOR '; ') FROM notifications n JOIN orders o ON o.id = n.order_id");
}

static const char *attempts(void) {
    return database_text(
        "SELECT GROUP_CONCAT(CONCAT_WS(' ', o.po_id, a.number, a.dispatcher_id, UNIX_TIMESTAMP(a.started_at),"
        " a.duration_us, a.url, a.address, COALESCE(a.http_status, '-'), a.reason, a.late, a.reply, a.lease)"
        " ORDER BY o.id SEPARATOR '; ') FROM attempts a JOIN notifications n ON n.id = a.notification_id"
        " JOIN orders o ON o.id = n.order_id");
}

#define STATES                                                                                                         \
    "o1 1 delivered 1 0 0 0; o1 2 pending 0 0 0; o2 1 exhausted 4 0 0 0; o2 2 delivered 0 0 -9;"                       \
    " o3 1 pending 2 0 30; o3 2 waiting 0 0 -9; o4 1 pending 0 1 9; o4 2 waiting 0 0 -9; o5 1 exhausted 0 1 -9;"       \
    " o5 3 waiting 0 0 -9"
#define KEPT(status, reason, late)                                                                                     \
    "77 1000000.000000 7 http://n/ ::1 " status " " reason " " late " OK this-lease-holds"
#define ATTEMPTS                                                                                                       \
    "o1 1 " KEPT("200", "acknowledged", "0") "; o2 4 " KEPT("200", "timeout", "0") "; o3 2 " KEPT(                     \
        "-", "timeout", "0") "; o4 1 " KEPT("200", "acknowledged", "1") "; o5 1 " KEPT("200", "acknowledged", "1")

START_TEST(outcomes_are_noted_and_decide_while_the_lease_holds) {
    struct delivery_outcome outcomes[OUTCOMES];
    make_outcomes(outcomes);
    struct recording recording = {.dispatcher_id = 77, .outcomes = outcomes, .count = OUTCOMES};
    for (int i = 0; i < 2; i++) { /* the second time nothing changes */
        ck_assert_int_eq(deliveries_record(deliverer, &recording, arena), STATUS_OK);
        ck_assert_str_eq(states(), STATES);
        ck_assert_str_eq(attempts(), ATTEMPTS);
    }
}
END_TEST

START_TEST(all_leases_must_hold_or_nothing_is_written) {
    struct delivery_outcome outcomes[OUTCOMES];
    make_outcomes(outcomes);
    const char *before = states();
    struct recording recording = {.dispatcher_id = 77, .outcomes = outcomes, .count = OUTCOMES, .all_must_hold = true};
    ck_assert_int_eq(deliveries_record(deliverer, &recording, arena), STATUS_CHANGED);
    ck_assert_str_eq(states(), before);
    ck_assert_ptr_null(attempts());
    recording.count = 3;
    ck_assert_int_eq(deliveries_record(deliverer, &recording, arena), STATUS_OK);
}
END_TEST

static const bool WHOLLY[] = {false, true};

#define NEXT_ATTEMPT "SELECT next_id FROM id_counters WHERE name = 'attempts'"

/* Nothing but ids that are used up. */
START_TEST(a_trial_leaves_nothing) {
    struct delivery_outcome outcomes[OUTCOMES];
    make_outcomes(outcomes);
    const char *before = states();
    uint64_t next = database_number(NEXT_ATTEMPT);
    const struct delivery_trial trial = {.dispatcher_id = 77, .lease = "a-trial", .wholly = WHOLLY[_i]};
    ck_assert_int_eq(delivery_try(deliverer, &trial, arena), STATUS_OK);
    ck_assert_str_eq(states(), before);
    ck_assert_ptr_null(attempts());
    ck_assert_uint_gt(database_number(NEXT_ATTEMPT), next);
}
END_TEST

TCase *deliveries_tests(void) {
    TCase *tests = database_case("deliveries");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, the_next_delivery_is_then, NEXT);
    add_table_test(tests, who_waits_longest_comes_first, MOST);
    tcase_add_test(tests, each_merchant_gets_its_share);
    tcase_add_test(tests, what_another_leases_is_passed_by);
    tcase_add_test(tests, only_what_is_leased_still_is_released);
    tcase_add_test(tests, outcomes_are_noted_and_decide_while_the_lease_holds);
    tcase_add_test(tests, all_leases_must_hold_or_nothing_is_written);
    add_table_test(tests, a_trial_leaves_nothing, WHOLLY);
    return tests;
}
