#include "store.h"

#include "store/order/expiry.h"

#include <inttypes.h>

enum { BATCH = 100 };

static struct connection *dispatcher;

static void set_up(void) {
    dispatcher = database_connect(DISPATCHER);
}

static void tear_down(void) {
    connection_close(dispatcher);
}

static uint64_t expire(uint64_t batch) {
    uint64_t expired = 77;
    ck_assert_int_eq(expiry_run(dispatcher, batch, &expired), STATUS_OK);
    return expired;
}

START_TEST(an_overdue_order_expires_with_its_notification) {
    uint64_t merchant = new_merchant(.notify_url = "'http://127.0.0.1/n'");
    uint64_t order = new_order(.merchant_id = merchant, .due_at = NOW, .payment_means = "'EFECTIVO'");
    ck_assert_uint_eq(expire(BATCH), 1);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', state, version, changed_by, paid_by) FROM orders"),
                     "VENCIDA 2 dispatcher");
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', order_id = %" PRIu64 ", merchant_id = %" PRIu64
                                   ", status, state, amount, payment_means) FROM notifications",
                                   order, merchant),
                     "1 1 cancelled pending 45000.0000 EFECTIVO");
    ck_assert_uint_eq(expire(BATCH), 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM notifications"), 1);
}
END_TEST

START_TEST(a_merchant_without_an_address_gets_none) {
    new_order(.merchant_id = new_merchant(.notify_url = "NULL"), .due_at = AN_HOUR_AGO);
    ck_assert_uint_eq(expire(BATCH), 1);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', state, payment_means) FROM notifications"), "unaddressed ");
}
END_TEST

static const struct {
    const char *state, *due_at, *held_until, *paid_by;
} NOT_DUE[] = {
    {"'PENDIENTE'", IN_AN_HOUR, NULL, NULL},         {"'PENDIENTE'", NOW " + INTERVAL 5 SECOND", NULL, NULL},
    {"'PENDIENTE'", AN_HOUR_AGO, IN_AN_HOUR, NULL},  /* held */
    {"'PENDIENTE'", AN_HOUR_AGO, AN_HOUR_AGO, NULL}, /* paid, but not written yet */
    {"'APROBADA'", AN_HOUR_AGO, NULL, "5"},          {"'VENCIDA'", AN_HOUR_AGO, NULL, NULL},
    {"'CANCELADA'", AN_HOUR_AGO, NULL, NULL},        {"'ANULADA'", AN_HOUR_AGO, NULL, "5"},
};

START_TEST(never_early_and_never_a_held_one) {
    new_order(.state = NOT_DUE[_i].state, .due_at = NOT_DUE[_i].due_at, .held_until = NOT_DUE[_i].held_until,
              .held_by = NOT_DUE[_i].held_until == NULL ? NULL : "5", .paid_by = NOT_DUE[_i].paid_by);
    ck_assert_uint_eq(expire(BATCH), 0);
    ck_assert_uint_eq(database_number("SELECT version FROM orders"), 1);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM notifications"), 0);
}
END_TEST

START_TEST(batches_begin_with_the_oldest_due_date) {
    uint64_t youngest = new_order(.reference = "1", .due_at = NOW " - INTERVAL 1 MINUTE");
    new_order(.reference = "2", .due_at = NOW " - INTERVAL 3 MINUTE");
    new_order(.reference = "3", .due_at = NOW " - INTERVAL 2 MINUTE");
    ck_assert_uint_eq(expire(2), 2);
    ck_assert_uint_eq(database_number("SELECT id FROM orders WHERE state = 'PENDIENTE'"), youngest);
    ck_assert_uint_eq(expire(2), 1);
    ck_assert_uint_eq(expire(2), 0);
}
END_TEST

START_TEST(passes_by_what_another_has_locked) {
    uint64_t locked = new_order(.reference = "1", .due_at = AN_HOUR_AGO);
    new_order(.reference = "2", .due_at = AN_HOUR_AGO);
    MYSQL *other = database_login(OWNER);
    ck_assert_uint_eq(
        database_error(other, "START TRANSACTION; SELECT id FROM orders WHERE id = %" PRIu64 " FOR UPDATE", locked), 0);
    ck_assert_uint_eq(expire(BATCH), 1);
    ck_assert_int_eq(mysql_rollback(other), 0);
    mysql_close(other);
    ck_assert_uint_eq(expire(BATCH), 1);
}
END_TEST

static uint64_t expire_singly(uint64_t most) {
    struct routine_walk walk = {0};
    ck_assert_int_eq(expiry_run_each(dispatcher, most, &walk), STATUS_OK);
    return walk.written;
}

START_TEST(singly_only_what_is_refused_or_locked_waits) {
    uint64_t refused = new_order(.reference = "1", .due_at = AN_HOUR_AGO), expired = 77;
    uint64_t locked = new_order(.reference = "2", .due_at = AN_HOUR_AGO);
    new_order(.reference = "3", .due_at = NOW);
    MYSQL *other = database_login(OWNER);
    database_run("CREATE TRIGGER refusing BEFORE UPDATE ON orders FOR EACH ROW IF NEW.id = %" PRIu64
                 " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'; END IF",
                 refused);
    ck_assert_int_eq(expiry_run(dispatcher, BATCH, &expired), STATUS_FAULT);
    ck_assert_uint_eq(
        database_error(other, "START TRANSACTION; SELECT id FROM orders WHERE id = %" PRIu64 " FOR UPDATE", locked), 0);
    ck_assert_uint_eq(expire_singly(BATCH), 1);
    ck_assert_int_eq(mysql_rollback(other), 0);
    mysql_close(other);
    ck_assert_uint_eq(expire_singly(BATCH), 1);
    database_run("DROP TRIGGER refusing");
    ck_assert_uint_eq(database_number("SELECT id FROM orders WHERE state = 'PENDIENTE'"), refused);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM notifications WHERE status = 'cancelled'"), 2);
    ck_assert_uint_eq(expire_singly(BATCH), 1);
}
END_TEST

/* A walk comes to its end, however many become due meanwhile. */
START_TEST(singly_what_was_due_when_it_began) {
    new_order(.reference = "1", .due_at = AN_HOUR_AGO);
    new_order(.reference = "2", .due_at = NOW " - INTERVAL 1 MINUTE");
    struct routine_walk walk = {0};
    ck_assert_int_eq(expiry_run_each(dispatcher, 1, &walk), STATUS_OK);
    walk.began -= 30 * SECOND;
    new_order(.reference = "3", .due_at = NOW);
    ck_assert_int_eq(expiry_run_each(dispatcher, 1, &walk), STATUS_OK);
    ck_assert(!walk.has_ended);
    ck_assert_int_eq(expiry_run_each(dispatcher, 1, &walk), STATUS_OK);
    ck_assert(walk.has_ended && walk.written == 2);
    ck_assert_uint_eq(expire_singly(BATCH), 1);
}
END_TEST

/* They are due at the same instant: the walk goes on by their ids. */
START_TEST(singly_more_than_a_step_may_be_refused) {
    uint64_t last = 0;
    for (int i = 0; i < 5; i++) {
        last = new_order(.reference = arena_print(arena, "%d", i).at, .due_at = "'2026-01-01'");
    }
    database_run("CREATE TRIGGER refusing BEFORE UPDATE ON orders FOR EACH ROW IF NEW.id < %" PRIu64
                 " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'; END IF",
                 last);
    struct routine_walk walk = {0};
    for (int step = 0; step < 3; step++) {
        ck_assert_uint_eq(walk.written, 0);
        ck_assert(!walk.has_ended);
        ck_assert_int_eq(expiry_run_each(dispatcher, 2, &walk), STATUS_OK);
    }
    database_run("DROP TRIGGER refusing");
    ck_assert_uint_eq(walk.written, 1);
    ck_assert(walk.has_ended);
}
END_TEST

/* Older ones that are held or closed leave room for those that are due, the oldest first. */
START_TEST(singly_the_oldest_that_are_due) {
    new_order(.reference = "1", .due_at = AN_HOUR_AGO, .held_until = IN_AN_HOUR, .held_by = "5");
    new_order(.reference = "2", .due_at = AN_HOUR_AGO, .state = "'VENCIDA'");
    new_order(.reference = "3", .due_at = IN_AN_HOUR);
    uint64_t younger = new_order(.reference = "4", .due_at = NOW " - INTERVAL 1 MINUTE");
    new_order(.reference = "5", .due_at = NOW " - INTERVAL 2 MINUTE");
    ck_assert_uint_eq(expire_singly(1), 1);
    ck_assert_str_eq(database_text("SELECT state FROM orders WHERE id = %" PRIu64, younger), "PENDIENTE");
    ck_assert_uint_eq(expire_singly(1), 1);
    ck_assert_uint_eq(expire_singly(BATCH), 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders WHERE state = 'PENDIENTE'"), 2);
}
END_TEST

/* When the next expiry is due: seconds from now, or NULL for none. */
static const struct {
    const char *window_ends_at, *due_at;
    const char *held_until; /* of the due order */
    duration least, most;
} NEXT[] = {
    {NULL, NULL, NULL, MINUTE, MINUTE},
    {NULL, IN_AN_HOUR, NULL, MINUTE, MINUTE},
    {NULL, NOW " + INTERVAL 30 SECOND", NULL, 20 * SECOND, 30 * SECOND},
    {NOW " + INTERVAL 30 SECOND", NULL, NULL, 20 * SECOND, 30 * SECOND},
    {NOW " + INTERVAL 50 SECOND", NOW " + INTERVAL 30 SECOND", NULL, 20 * SECOND, 30 * SECOND},
    {NOW " + INTERVAL 30 SECOND", NOW " + INTERVAL 50 SECOND", NULL, 20 * SECOND, 30 * SECOND},
    {NULL, AN_HOUR_AGO, NULL, 0, 0},
    {AN_HOUR_AGO, NULL, NULL, 0, 0},
    {AN_HOUR_AGO, AN_HOUR_AGO, NULL, 0, 0},
    {NULL, AN_HOUR_AGO, IN_AN_HOUR, MINUTE, MINUTE}, /* held, so not due at its due date */
};

START_TEST(knows_when_something_is_due) {
    duration wait = 77;
    new_order(.reference = "8", .due_at = NOW " + INTERVAL 2 HOUR");
    new_order(.reference = "9", .due_at = NOW " + INTERVAL 3 HOUR");
    if (NEXT[_i].window_ends_at != NULL) {
        new_transaction(.account_id = sample_account("1"), .state = "'CONFIRMADA'",
                        .window_ends_at = NEXT[_i].window_ends_at);
    }
    if (NEXT[_i].due_at != NULL) {
        new_order(.due_at = NEXT[_i].due_at, .held_until = NEXT[_i].held_until,
                  .held_by = NEXT[_i].held_until == NULL ? NULL : "5");
    }
    ck_assert_int_eq(expiry_next_work(dispatcher, MINUTE, &wait), STATUS_OK);
    ck_assert_int_ge(wait, NEXT[_i].least);
    ck_assert_int_le(wait, NEXT[_i].most);
}
END_TEST

TCase *expiry_tests(void) {
    TCase *tests = database_case("expiry");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, an_overdue_order_expires_with_its_notification);
    tcase_add_test(tests, a_merchant_without_an_address_gets_none);
    add_table_test(tests, never_early_and_never_a_held_one, NOT_DUE);
    tcase_add_test(tests, batches_begin_with_the_oldest_due_date);
    tcase_add_test(tests, passes_by_what_another_has_locked);
    tcase_add_test(tests, singly_only_what_is_refused_or_locked_waits);
    tcase_add_test(tests, singly_more_than_a_step_may_be_refused);
    tcase_add_test(tests, singly_what_was_due_when_it_began);
    tcase_add_test(tests, singly_the_oldest_that_are_due);
    add_table_test(tests, knows_when_something_is_due, NEXT);
    return tests;
}
