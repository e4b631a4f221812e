#include "store.h"

#include "store/operation/health.h"
#include "store/payment/windows.h"
#include "unit/files.h"

#include <inttypes.h>
#include <pthread.h>

enum { BATCH = 100 };

static struct connection *dispatcher;

static void set_up(void) {
    dispatcher = database_connect(DISPATCHER);
}

static void tear_down(void) {
    connection_close(dispatcher);
}

static uint64_t finalise_orders(uint64_t batch) {
    uint64_t finalised = 77;
    ck_assert_int_eq(windows_finalise_orders(dispatcher, batch, &finalised), STATUS_OK);
    return finalised;
}

static uint64_t finalise_top_ups(uint64_t batch) {
    uint64_t finalised = 77;
    ck_assert_int_eq(windows_finalise_top_ups(dispatcher, batch, &finalised), STATUS_OK);
    return finalised;
}

static uint64_t confirmed_top_up(uint64_t account, const char *amount, const char *window_ends_at) {
    return new_transaction(.account_id = account, .state = "'CONFIRMADA'", .amount = amount,
                           .window_ends_at = window_ends_at);
}

START_TEST(nothing_is_due) {
    ck_assert_uint_eq(finalise_orders(BATCH), 0);
    ck_assert_uint_eq(finalise_top_ups(BATCH), 0);
    ck_assert(!connection_in_transaction(dispatcher));
}
END_TEST

START_TEST(a_closed_window_approves_the_order) {
    uint64_t merchant = new_merchant(.notify_url = "'http://127.0.0.1/n'");
    uint64_t order = new_order(.merchant_id = merchant, .due_at = AN_HOUR_AGO);
    uint64_t id = confirmed_payment(order, "45000", NOW);
    ck_assert_uint_eq(finalise_orders(BATCH), 1);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', state, paid_by, held_by, held_until, changed_by) FROM orders"),
        arena_print(arena, "APROBADA %" PRIu64 " dispatcher", id).at);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', state, finalised_at IS NOT NULL, changed_by) FROM transactions"),
        "FINALIZADA 1 dispatcher");
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', order_id = %" PRIu64 ", merchant_id = %" PRIu64
                                   ", status, state, amount, attempts, settled_at) FROM notifications",
                                   order, merchant),
                     "1 1 approved pending 45000.0000 0");
    ck_assert_uint_eq(finalise_orders(BATCH), 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM notifications"), 1);
}
END_TEST

static const struct {
    const char *notify_url, *payment_means, *amount;
    const char *paid;
    const char *notification; /* state, amount, payment_means */
} NOTIFICATIONS[] = {
    {"'http://a/'", "NULL", "45000", "45000", "pending 45000.0000 its network"},
    {"'http://a/'", "'EFECTIVO'", "45000", "45000", "pending 45000.0000 EFECTIVO"},
    {"NULL", "NULL", "45000", "45000", "unaddressed 45000.0000 its network"},
    {"'http://a/'", "NULL", "0", "1234.5678",
     "pending 1234.5678 its network"}, /* of an order with an open amount: the amount paid */
    {"'http://a/'", "NULL", "999999999999999.9999", "999999999999999.9999", "pending 999999999999999.9999 its network"},
};

START_TEST(the_notification_says_what_was_paid_and_how) {
    uint64_t merchant = new_merchant(.notify_url = NOTIFICATIONS[_i].notify_url);
    uint64_t order = new_order(.merchant_id = merchant, .amount = NOTIFICATIONS[_i].amount,
                               .payment_means = NOTIFICATIONS[_i].payment_means);
    confirmed_payment(order, NOTIFICATIONS[_i].paid, AN_HOUR_AGO);
    ck_assert_uint_eq(finalise_orders(BATCH), 1);
    const char *told = database_text("SELECT CONCAT_WS(' ', n.state, n.amount, IF(n.payment_means = w.name,"
                                     " 'its network', n.payment_means)) FROM notifications n JOIN networks w");
    ck_assert_str_eq(told, NOTIFICATIONS[_i].notification);
}
END_TEST

static const struct {
    const char *state, *window_ends_at;
} NOT_DUE[] = {
    {"'REGISTRADA'", NULL},        {"'CONFIRMADA'", IN_AN_HOUR}, {"'CONFIRMADA'", NOW " + INTERVAL 5 SECOND"},
    {"'FINALIZADA'", AN_HOUR_AGO}, {"'CANCELADA'", AN_HOUR_AGO},
};

START_TEST(never_early_and_nothing_else) {
    uint64_t order = new_order(.reference = "1000");
    uint64_t id =
        new_transaction(.order_id = order, .state = NOT_DUE[_i].state, .window_ends_at = NOT_DUE[_i].window_ends_at);
    database_run("UPDATE orders SET held_by = %" PRIu64 ", held_until = " IN_AN_HOUR, id);
    new_transaction(.account_id = sample_account("1"), .state = NOT_DUE[_i].state,
                    .window_ends_at = NOT_DUE[_i].window_ends_at);
    ck_assert_uint_eq(finalise_orders(BATCH), 0);
    ck_assert_uint_eq(finalise_top_ups(BATCH), 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM events WHERE what = 'state' AND (subject, subject_id) IN"
                                      " (('order', %" PRIu64 "), ('transaction', %" PRIu64 "))",
                                      order, id),
                      0);
}
END_TEST

/* A confirmed transaction that does not hold its order cannot exist. If it did, it would pay nothing. */
START_TEST(only_the_holder_pays) {
    uint64_t order = new_order(.reference = "1000");
    confirmed_payment(order, "45000", IN_AN_HOUR);
    new_transaction(.order_id = order, .state = "'CONFIRMADA'", .window_ends_at = AN_HOUR_AGO);
    ck_assert_uint_eq(finalise_orders(BATCH), 0);
    ck_assert_str_eq(database_text("SELECT state FROM orders"), "PENDIENTE");
}
END_TEST

/* Of the transactions given, writes only those that are due and hold their order. */
START_TEST(only_what_is_due_is_written) {
    uint64_t held = new_order(.reference = "5");
    confirmed_payment(held, "45000", IN_AN_HOUR);
    uint64_t ids[] = {confirmed_payment(new_order(.reference = "1"), "45000", AN_HOUR_AGO),
                      confirmed_payment(new_order(.reference = "2"), "45000", IN_AN_HOUR),
                      new_transaction(.order_id = new_order(.reference = "3")),
                      confirmed_payment(new_order(.reference = "4"), "45000", AN_HOUR_AGO),
                      new_transaction(.order_id = held, .state = "'CONFIRMADA'", .window_ends_at = AN_HOUR_AGO),
                      confirmed_payment(new_order(.reference = "6"), "45000", AN_HOUR_AGO)};
    database_run("UPDATE orders SET held_by = NULL, held_until = NULL, state = 'VENCIDA' WHERE reference = '4'");
    database_run("UPDATE transactions SET state = 'FINALIZADA', finalised_at = '2026-01-01' WHERE id = %" PRIu64,
                 ids[5]);
    const char *list = "0";
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        list = arena_print(arena, "%s,%" PRIu64, list, ids[i]).at;
    }
    database_run("SET @written = 77; CALL payments_write('[%s]', 'eva', " NOW ", @written)", list);
    ck_assert_uint_eq(database_number("SELECT @written"), 1);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', reference, state) ORDER BY reference)"
                                   " FROM orders"),
                     "1 APROBADA,2 PENDIENTE,3 PENDIENTE,4 VENCIDA,5 PENDIENTE,6 PENDIENTE");
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', o.reference, n.changed_by)) FROM notifications n"
                                   " JOIN orders o ON o.id = n.order_id"),
                     "1 eva");
}
END_TEST

START_TEST(batches_begin_with_the_window_that_closed_first) {
    uint64_t ids[3];
    static const char *const ENDS[] = {NOW " - INTERVAL 1 MINUTE", NOW " - INTERVAL 3 MINUTE",
                                       NOW " - INTERVAL 2 MINUTE"};
    for (int i = 0; i < 3; i++) {
        ids[i] = confirmed_payment(new_order(.reference = i == 0 ? "1" : i == 1 ? "2" : "3"), "45000", ENDS[i]);
    }
    ck_assert_uint_eq(finalise_orders(2), 2);
    ck_assert_uint_eq(database_number("SELECT id FROM transactions WHERE state = 'CONFIRMADA'"), ids[0]);
    ck_assert_uint_eq(finalise_orders(2), 1);
    ck_assert_uint_eq(finalise_orders(2), 0);
}
END_TEST

START_TEST(a_top_up_credits_the_account_through_its_ledger) {
    uint64_t account = sample_account("1"), other = sample_account("2");
    uint64_t first = confirmed_top_up(account, "1000.0001", NOW " - INTERVAL 2 SECOND");
    uint64_t second = confirmed_top_up(account, "999999999998999.9998", NOW " - INTERVAL 1 SECOND");
    uint64_t third = confirmed_top_up(other, "0.0001", NOW);
    ck_assert_uint_eq(finalise_top_ups(BATCH), 3);
    ck_assert_str_eq(
        database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', transaction_id, amount, balance) ORDER BY id)"
                      " FROM account_ledger WHERE account_id = %" PRIu64,
                      account),
        arena_print(arena, "%" PRIu64 " 1000.0001 1000.0001,%" PRIu64 " 999999999998999.9998 999999999999999.9999",
                    first, second)
            .at);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', balance, reserved, room) FROM accounts WHERE id = %" PRIu64, account),
        "999999999999999.9999 0.0000 0.0000");
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', transaction_id = %" PRIu64
                                   ", amount, balance) FROM account_ledger"
                                   " WHERE account_id = %" PRIu64,
                                   third, other),
                     "1 0.0001 0.0001");
    ck_assert_uint_eq(
        database_number("SELECT COUNT(*) FROM transactions WHERE state = 'FINALIZADA' AND finalised_at IS NOT NULL"),
        3);
    ck_assert_uint_eq(finalise_top_ups(BATCH), 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM notifications"), 0);
}
END_TEST

/* The instants are in UTC in any time zone of the session. */
START_TEST(a_top_up_is_confirmed_in_utc) {
    uint64_t id = new_transaction(.account_id = sample_account("1"));
    database_run("SET time_zone = '-05:00'; SET @confirmed = top_up_confirm(%" PRIu64 ", 'eva'); SET time_zone ="
                 " '+00:00'",
                 id);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', @confirmed, state, confirmed_at BETWEEN " NOW
                      " - INTERVAL 1 MINUTE AND " NOW
                      ", window_ends_at = confirmed_at + INTERVAL 30 SECOND, changed_by) FROM transactions"),
        "1 CONFIRMADA 1 1 eva");
}
END_TEST

/* This could happen before room was reserved. It is logged, and other accounts are credited. */
START_TEST(an_account_that_is_full_stops_nobody_else) {
    uint64_t full = sample_account("1"), other = sample_account("2"), without_room, finalised;
    confirmed_top_up(full, "1", NOW " - INTERVAL 2 SECOND");
    database_run("UPDATE accounts SET balance = 999999999999999.99 WHERE id = %" PRIu64, full);
    confirmed_top_up(other, "5", NOW " - INTERVAL 1 SECOND");
    capture_errors();
    (void)windows_finalise_top_ups(dispatcher, BATCH, &finalised);
    (void)windows_finalise_top_ups(dispatcher, BATCH, &finalised);
    ck_assert_str_eq(database_text("SELECT balance FROM accounts WHERE id = %" PRIu64, full), "999999999999999.9900");
    ck_assert_str_eq(database_text("SELECT balance FROM accounts WHERE id = %" PRIu64, other), "5.0000");
    ck_assert_int_eq(health_without_room(dispatcher, &without_room), STATUS_OK);
    ck_assert_uint_eq(without_room, 1);
}
END_TEST

/* Both were confirmed before room was reserved. The window that closed first takes the room that the other needs. */
START_TEST(the_last_room_goes_to_the_window_that_closed_first) {
    uint64_t account = sample_account("1");
    confirmed_top_up(account, "6", NOW " - INTERVAL 1 MINUTE");
    uint64_t first = confirmed_top_up(account, "5", NOW " - INTERVAL 2 MINUTE");
    database_run("UPDATE accounts SET balance = 999999999999999.9999 - 10");
    ck_assert_uint_eq(finalise_top_ups(BATCH), 1);
    ck_assert_uint_eq(database_number("SELECT id FROM transactions WHERE state = 'FINALIZADA'"), first);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', balance, reserved, changed_by) FROM accounts"),
                     "999999999999994.9999 6.0000 dispatcher");
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM account_ledger WHERE account_id = %" PRIu64, account), 1);
}
END_TEST

START_TEST(an_account_may_become_full_to_the_last_digit) {
    uint64_t account = sample_account("1");
    database_run("UPDATE accounts SET balance = 999999999999994.9999 WHERE id = %" PRIu64, account);
    confirmed_top_up(account, "5", NOW);
    ck_assert_uint_eq(finalise_top_ups(BATCH), 1);
    ck_assert_str_eq(database_text("SELECT balance FROM accounts"), "999999999999999.9999");
}
END_TEST

static void refuse_ledger_rows_of(uint64_t account) {
    database_run("CREATE TRIGGER refusing BEFORE INSERT ON account_ledger FOR EACH ROW IF NEW.account_id = %" PRIu64
                 " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'; END IF",
                 account);
}

/* Each step goes on after what it could not credit: here the account's trouble, a full account, and a lock. */
START_TEST(singly_only_a_top_up_that_is_refused_or_locked_waits) {
    uint64_t refused = sample_account("1"), full = sample_account("2"), other = sample_account("3"), finalised = 77;
    confirmed_top_up(refused, "5", NOW " - INTERVAL 6 SECOND");
    confirmed_top_up(full, "5", NOW " - INTERVAL 5 SECOND");
    uint64_t locked = confirmed_top_up(other, "5", NOW " - INTERVAL 4 SECOND");
    confirmed_top_up(other, "7", NOW " - INTERVAL 4 SECOND");
    confirmed_top_up(other, "9", IN_AN_HOUR);
    database_run("UPDATE accounts SET balance = 999999999999999 WHERE id = %" PRIu64, full);
    refuse_ledger_rows_of(refused);
    MYSQL *session = database_login(OWNER);
    ck_assert_int_eq(windows_finalise_top_ups(dispatcher, BATCH, &finalised), STATUS_FAULT);
    ck_assert_uint_eq(database_error(session,
                                     "START TRANSACTION; SELECT id FROM transactions WHERE id = %" PRIu64 " FOR UPDATE",
                                     locked),
                      0);
    struct routine_walk walk = {0};
    for (uint64_t step = 0; step < 5; step++) {
        ck_assert(!walk.has_ended);
        ck_assert_uint_eq(walk.written, step == 4);
        ck_assert_int_eq(windows_finalise_each_top_up(dispatcher, 1, &walk), STATUS_OK);
    }
    ck_assert(walk.has_ended);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', balance, reserved) FROM accounts WHERE id = %" PRIu64, other),
                     "7.0000 14.0000");
    ck_assert_int_eq(mysql_rollback(session), 0);
    mysql_close(session);
    database_run("DROP TRIGGER refusing");
    walk = (struct routine_walk){0};
    ck_assert_int_eq(windows_finalise_each_top_up(dispatcher, BATCH, &walk), STATUS_OK);
    ck_assert_uint_eq(walk.written, 2);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(l.amount ORDER BY l.id) FROM account_ledger l"
                                   " JOIN accounts a ON a.id = l.account_id"),
                     "7.0000,5.0000,5.0000");
}
END_TEST

START_TEST(orders_and_top_ups_keep_apart) {
    confirmed_payment(new_order(.reference = "1"), "45000", AN_HOUR_AGO);
    confirmed_top_up(sample_account("2"), "5", AN_HOUR_AGO);
    ck_assert_uint_eq(finalise_top_ups(BATCH), 1);
    ck_assert_uint_eq(finalise_orders(BATCH), 1);
}
END_TEST

/* A row that another transaction has locked is skipped without waiting. */
START_TEST(passes_by_what_another_has_locked) {
    uint64_t locked = confirmed_payment(new_order(.reference = "1"), "45000", AN_HOUR_AGO);
    confirmed_payment(new_order(.reference = "2"), "45000", AN_HOUR_AGO);
    MYSQL *other = database_login(OWNER);
    ck_assert_uint_eq(database_error(other,
                                     "START TRANSACTION; SELECT id FROM transactions WHERE id = %" PRIu64 " FOR UPDATE",
                                     locked),
                      0);
    ck_assert_uint_eq(finalise_orders(BATCH), 1);
    ck_assert_int_eq(mysql_rollback(other), 0);
    mysql_close(other);
    ck_assert_uint_eq(finalise_orders(BATCH), 1);
}
END_TEST

/* A request that looks up the order must not wait for a cancellation in flight, nor fail on a replica. */
START_TEST(settling_an_order_never_waits) {
    uint64_t order = new_order(.reference = "1");
    uint64_t payment = confirmed_payment(order, "45000", AN_HOUR_AGO);
    struct connection *worker = database_connect(WORKER);
    MYSQL *other = database_login(OWNER);
    ck_assert_uint_eq(database_error(other,
                                     "START TRANSACTION; SELECT id FROM transactions WHERE id = %" PRIu64 " FOR UPDATE",
                                     payment),
                      0);
    instant began = clock_monotonic();
    ck_assert_int_eq(windows_finalise_order(worker, order, TEXT("slip")), STATUS_AGAIN);
    ck_assert_int_lt(clock_monotonic() - began, 3 * SECOND); /* less than the lock wait time-out */
    ck_assert_int_eq(mysql_rollback(other), 0);
    ck_assert_uint_eq(database_error(other, "SET GLOBAL read_only = 1"), 0);
    ck_assert_int_eq(windows_finalise_order(worker, order, TEXT("slip")), STATUS_AGAIN);
    ck_assert_uint_eq(database_error(other, "SET GLOBAL read_only = 0"), 0);
    mysql_close(other);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM notifications"), 0);
    ck_assert_str_eq(database_text("SELECT state FROM orders"), "PENDIENTE");
    ck_assert_int_eq(windows_finalise_order(worker, order, TEXT("slip")), STATUS_OK);
    ck_assert_int_eq(windows_finalise_order(worker, order, TEXT("slip")), STATUS_CHANGED);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', state, changed_by) FROM orders"), "APROBADA slip");
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(status) FROM notifications"), "approved");
    connection_close(worker);
}
END_TEST

/* The functions that write a state. A change by hand that follows in the session must not pass for the function's. */
static const char *const WRITERS[] = {"payment_confirm(7, 'TX', 'eva')", "payment_cancel(7, 'TX', 'eva')",
                                      "top_up_confirm(7, 'eva')", "payments_finalise(9)", "top_ups_finalise(9)"};

START_TEST(no_moment_is_left_behind) {
    confirmed_payment(new_order(.reference = "1"), "45000", AN_HOUR_AGO);
    confirmed_top_up(sample_account("2"), "5", AN_HOUR_AGO);
    database_run("SET @recaudo_moment = '2026-01-01'; DO %s", WRITERS[_i]);
    ck_assert_ptr_null(database_text("SELECT @recaudo_moment"));
}
END_TEST

enum { DISPATCHERS = 3, PAYMENTS = 60 };

struct helper {
    struct connection *connection;
    uint64_t finalised;
    enum status status;
};

static void *finalise_in_thread(void *of_helper) {
    struct helper *helper = of_helper;
    uint64_t done = 1;
    helper->status = STATUS_OK;
    while (helper->status == STATUS_OK && done > 0) {
        helper->status = windows_finalise_orders(helper->connection, 7, &done);
        helper->finalised += done;
        if (helper->status == STATUS_OK && done == 0) {
            helper->status = windows_finalise_top_ups(helper->connection, 7, &done);
            helper->finalised += done;
        }
    }
    return NULL;
}

START_TEST(several_dispatchers_share_the_work) {
    struct helper helpers[DISPATCHERS] = {0};
    pthread_t threads[DISPATCHERS];
    uint64_t account = sample_account("CC-1"), finalised = 0;
    for (int i = 0; i < PAYMENTS; i++) {
        confirmed_payment(new_order(.reference = arena_print(arena, "%d", i).at), "45000", AN_HOUR_AGO);
        confirmed_top_up(account, "1.5", AN_HOUR_AGO);
    }
    for (int i = 0; i < DISPATCHERS; i++) {
        helpers[i].connection = database_connect(DISPATCHER);
        ck_assert_int_eq(pthread_create(&threads[i], NULL, finalise_in_thread, &helpers[i]), 0);
    }
    for (int i = 0; i < DISPATCHERS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_int_eq(helpers[i].status, STATUS_OK);
        finalised += helpers[i].finalised;
        connection_close(helpers[i].connection);
    }
    finalised += finalise_orders(BATCH) + finalise_top_ups(BATCH);
    ck_assert_uint_eq(finalised, 2 * PAYMENTS);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders WHERE state = 'APROBADA'"), PAYMENTS);
    ck_assert_uint_eq(database_number("SELECT COUNT(DISTINCT order_id) FROM notifications"), PAYMENTS);
    ck_assert_str_eq(database_text("SELECT balance FROM accounts"), "90.0000");
    ck_assert_str_eq(database_text("SELECT SUM(amount) FROM account_ledger WHERE account_id = %" PRIu64, account),
                     "90.0000");
    ck_assert_str_eq(database_text("SELECT MAX(balance) FROM account_ledger WHERE account_id = %" PRIu64, account),
                     "90.0000");
}
END_TEST

TCase *windows_tests(void) {
    TCase *tests = database_case("windows");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, nothing_is_due);
    tcase_add_test(tests, a_closed_window_approves_the_order);
    add_table_test(tests, the_notification_says_what_was_paid_and_how, NOTIFICATIONS);
    add_table_test(tests, never_early_and_nothing_else, NOT_DUE);
    tcase_add_test(tests, only_the_holder_pays);
    tcase_add_test(tests, only_what_is_due_is_written);
    tcase_add_test(tests, batches_begin_with_the_window_that_closed_first);
    tcase_add_test(tests, a_top_up_credits_the_account_through_its_ledger);
    tcase_add_test(tests, a_top_up_is_confirmed_in_utc);
    tcase_add_test(tests, an_account_that_is_full_stops_nobody_else);
    tcase_add_test(tests, the_last_room_goes_to_the_window_that_closed_first);
    tcase_add_test(tests, an_account_may_become_full_to_the_last_digit);
    tcase_add_test(tests, singly_only_a_top_up_that_is_refused_or_locked_waits);
    tcase_add_test(tests, orders_and_top_ups_keep_apart);
    tcase_add_test(tests, passes_by_what_another_has_locked);
    tcase_add_test(tests, settling_an_order_never_waits);
    add_table_test(tests, no_moment_is_left_behind, WRITERS);
    tcase_add_test(tests, several_dispatchers_share_the_work);
    return tests;
}
