#include "store.h"

#include "store/db/connection_private.h"
#include "store/payment/transactions.h"
#include "store/payment/windows.h"
#include "unit/files.h"

#include <inttypes.h>
#include <pthread.h>

#define WINDOW (30 * SECOND)
#define ACTOR  TEXT("network:Red Norte")
/* Only the owner can do this: a trigger protects the rows. */
#define GONE EMPTY_TABLE("transactions")

static struct connection *worker;
static uint64_t network;
static struct confirmation_rows rows;

static void set_up(void) {
    worker = database_connect(WORKER);
    network = sample_network("Red Norte");
}

static void tear_down(void) {
    connection_close(worker);
}

static uint64_t registered(uint64_t order_id, uint64_t account_id) {
    return new_transaction(.network_id = network, .order_id = order_id, .account_id = account_id,
                           .network_transaction = "'TX-1'");
}

static void find(void) {
    ck_assert_int_eq(transactions_find(worker, network, TEXT("TX-1"), arena, &rows), STATUS_OK);
}

/* Returns everything that confirming or cancelling could change. */
static const char *state_of_all(void) {
    return database_text("SELECT CONCAT_WS(';',"
                         " (SELECT GROUP_CONCAT(CONCAT_WS(',', id, state, version, held_by, held_until)) FROM orders),"
                         " (SELECT GROUP_CONCAT(CONCAT_WS(',', id, state, version, confirmed_at, window_ends_at,"
                         " cancelled_at)) FROM transactions))");
}

static void check_nothing_changes(enum status (*act)(void)) {
    const char *before = state_of_all();
    ck_assert_int_eq(act(), STATUS_CHANGED);
    ck_assert_str_eq(state_of_all(), before);
}

static enum status confirm(void) {
    const struct transaction_name name = {network, TEXT("TX-1"), ACTOR};
    return rows.has_order ? transactions_confirm(worker, &name)
                          : transactions_confirm_top_up(worker, rows.transaction.id, ACTOR);
}

static enum status cancel(void) {
    const struct transaction_name name = {network, TEXT("TX-1"), ACTOR};
    return transactions_cancel(worker, &name);
}

START_TEST(finds_what_a_confirmation_is_judged_on) {
    uint64_t order = new_order(.reference = "1000");
    uint64_t id = registered(order, 0);
    find();
    ck_assert_uint_eq(rows.transaction.id, id);
    ck_assert(rows.has_order);
    ck_assert_uint_eq(rows.order.id, order);
    ck_assert_int_eq(rows.transaction.window_ends_at, 0);
    ck_assert_int_gt(rows.now, 1700000000 * SECOND);
    ck_assert_int_eq(transactions_find(worker, network, TEXT("TX-2"), arena, &rows), STATUS_NONE);
    ck_assert_int_eq(transactions_find(worker, network + 1, TEXT("TX-1"), arena, &rows), STATUS_NONE);
}
END_TEST

START_TEST(confirming_holds_the_order_until_the_window_ends) {
    uint64_t order = new_order(.reference = "1000");
    uint64_t id = registered(order, 0);
    find();
    ck_assert_int_eq(confirm(), STATUS_OK);
    find();
    ck_assert_int_eq(rows.transaction.state, TRANSACTION_CONFIRMADA);
    ck_assert_uint_eq(rows.order.held_by, id);
    ck_assert_int_eq(rows.order.held_until, rows.transaction.window_ends_at);
    ck_assert_int_eq(rows.order.state, ORDER_PENDIENTE);
    ck_assert_uint_eq(
        database_number("SELECT TIMESTAMPDIFF(MICROSECOND, confirmed_at, window_ends_at) FROM transactions"), WINDOW);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(DISTINCT actor) FROM events WHERE version = 2 AND"
                                   " (subject, subject_id) IN (('order', %" PRIu64 "), ('transaction', %" PRIu64 "))",
                                   order, id),
                     "network:Red Norte");
}
END_TEST

START_TEST(confirming_a_top_up_holds_nothing) {
    registered(0, sample_account("1000"));
    find();
    ck_assert(!rows.has_order);
    ck_assert_int_eq(confirm(), STATUS_OK);
    find();
    ck_assert_int_eq(rows.transaction.state, TRANSACTION_CONFIRMADA);
    ck_assert_int_gt(rows.transaction.window_ends_at, rows.now);
    ck_assert_int_le(rows.transaction.window_ends_at, rows.now + WINDOW);
}
END_TEST

/* Changes between reading and confirming; o is the order, t the transaction. */
static const char *const BEFORE_CONFIRM[] = {
    "UPDATE orders SET amount = 44999",
    "UPDATE orders SET amount = 0, min_amount = 45000.01",
    "UPDATE orders SET amount = 0, max_amount = 44999.99",
    "UPDATE orders SET currency = 'CRC'",
    "UPDATE orders SET due_at = " NOW,
    "UPDATE orders SET due_at = " AN_HOUR_AGO,
    "UPDATE orders SET held_by = 5, held_until = " IN_AN_HOUR,
    "UPDATE orders SET held_by = 5, held_until = " AN_HOUR_AGO,
    "UPDATE orders SET state = 'CANCELADA'",
    "UPDATE orders SET state = 'VENCIDA'",
    "UPDATE transactions SET state = 'CONFIRMADA', confirmed_at = " NOW ", window_ends_at = " NOW ";"
    "UPDATE transactions SET state = 'FINALIZADA', finalised_at = " NOW ";"
    "UPDATE orders SET state = 'APROBADA', paid_by = (SELECT id FROM transactions)",
    "UPDATE transactions SET state = 'CANCELADA', cancelled_at = " NOW,
    "UPDATE transactions SET state = 'CONFIRMADA', confirmed_at = " NOW ", window_ends_at = " IN_AN_HOUR,
    "DELETE FROM orders",
    "DELETE FROM transactions",
};

START_TEST(confirms_only_what_was_judged) {
    registered(new_order(.reference = "1000"), 0);
    find();
    database_run("%s", BEFORE_CONFIRM[_i]);
    check_nothing_changes(confirm);
}
END_TEST

/* The row was read in time, but the due date passed before the statement ran. The version is the same. */
START_TEST(never_confirms_an_overdue_order) {
    registered(new_order(.reference = "1000", .due_at = AN_HOUR_AGO), 0);
    find();
    check_nothing_changes(confirm);
}
END_TEST

/* The confirmation began in time. Whoever looks at the order before it is locked calls it expired. */
START_TEST(never_confirms_what_fell_due_before_it_was_locked) {
    uint64_t order = new_order(.reference = "1000");
    registered(order, 0);
    MYSQL *holder = database_login(OWNER), *payer = database_login(OWNER);
    ck_assert_uint_eq(database_error(payer, "SET time_zone = '+00:00', tx_isolation = 'READ-COMMITTED'"), 0);
    ck_assert_uint_eq(database_error(holder, "BEGIN; SELECT * FROM orders WHERE id = %" PRIu64 " FOR UPDATE", order),
                      0);
    const char *pay = arena_print(arena, "SELECT payment_confirm(%" PRIu64 ", 'TX-1', 'network:red')", network).at;
    database_send(payer, pay);
    database_wait_for(SOMEBODY_WAITS);
    ck_assert_uint_eq(database_error(holder, "UPDATE orders SET due_at = SYSDATE(6); COMMIT"), 0);
    ck_assert_str_eq(database_answer(payer, pay), "0");
    ck_assert_str_eq(database_text("SELECT state FROM transactions"), "REGISTRADA");
    mysql_close(payer);
    mysql_close(holder);
}
END_TEST

START_TEST(confirms_a_top_up_only_once) {
    registered(0, sample_account("1000"));
    find();
    ck_assert_int_eq(confirm(), STATUS_OK);
    check_nothing_changes(confirm);
}
END_TEST

static const char *money_of_the_account(void) {
    return database_text("SELECT CONCAT_WS(' ', balance, reserved, room) FROM accounts");
}

#define GREATEST "999999999999999.9999"

/* Exact to the last digit: a confirmed top-up reserves its room beside the balance. */
START_TEST(a_top_up_keeps_its_room) {
    static const struct {
        const char *balance;
        enum status status;
        const char *after;
    } CASES[] = {
        {"0", STATUS_OK, "0.0000 45000.0000 999999999954999.9999"},
        {GREATEST " - 45000", STATUS_OK, "999999999954999.9999 45000.0000 0.0000"},
        {GREATEST " - 44999.9999", STATUS_AGAIN, "999999999955000.0000 0.0000 44999.9999"},
        {GREATEST, STATUS_AGAIN, GREATEST " 0.0000 0.0000"},
    };
    uint64_t account = sample_account("1000");
    registered(0, account);
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        database_run("UPDATE accounts SET balance = %s", CASES[i].balance);
        find();
        capture_errors();
        ck_assert_int_eq(confirm(), CASES[i].status);
        ck_assert_str_eq(money_of_the_account(), CASES[i].after);
        if (CASES[i].status == STATUS_OK) {
            find();
            ck_assert_int_eq(cancel(), STATUS_OK);
            database_run(GONE);
            registered(0, account);
        }
    }
    ck_assert_str_eq(money_of_the_account(), GREATEST " 0.0000 0.0000");
    find();
    ck_assert_uint_eq(rows.room.units, 0);
}
END_TEST

/* The first is confirmed but not credited yet; the second was read before that. */
START_TEST(what_waits_counts_as_the_balance_does) {
    uint64_t account = sample_account("1000");
    database_run("UPDATE accounts SET balance = " GREATEST " - 89999.9999");
    registered(0, account);
    find();
    new_transaction(.account_id = account, .state = "'CONFIRMADA'", .window_ends_at = IN_AN_HOUR);
    capture_errors();
    ck_assert_int_eq(confirm(), STATUS_AGAIN);
    find();
    ck_assert_uint_eq(rows.room.units, 449999999);
    ck_assert_int_eq(rows.transaction.state, TRANSACTION_REGISTRADA);
}
END_TEST

static const char *const TARGETS[] = {"order", "account"};

static void register_for(int target) {
    registered(target == 0 ? new_order(.reference = "1000") : 0, target == 0 ? 0 : sample_account("1000"));
    find();
}

START_TEST(cancels_a_registration) {
    register_for(_i);
    ck_assert_int_eq(cancel(), STATUS_OK);
    find();
    ck_assert_int_eq(rows.transaction.state, TRANSACTION_CANCELADA);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM transactions WHERE cancelled_at IS NOT NULL"), 1);
}
END_TEST

START_TEST(cancels_inside_the_window_and_lets_go) {
    register_for(_i);
    ck_assert_int_eq(confirm(), STATUS_OK);
    find();
    ck_assert_int_eq(cancel(), STATUS_OK);
    find();
    ck_assert_int_eq(rows.transaction.state, TRANSACTION_CANCELADA);
    ck_assert_uint_eq(rows.has_order ? rows.order.held_by : 0, 0);
    ck_assert_uint_eq(
        database_number("SELECT COUNT(*) FROM orders WHERE held_until IS NOT NULL OR state <> 'PENDIENTE'"), 0);
}
END_TEST

/* Changes between reading a confirmed transaction and cancelling it. */
static const char *const BEFORE_CANCEL[] = {
    "UPDATE transactions SET window_ends_at = " NOW,
    "UPDATE transactions SET window_ends_at = " AN_HOUR_AGO,
    "UPDATE transactions SET state = 'CANCELADA', cancelled_at = " NOW,
    "UPDATE transactions SET state = 'FINALIZADA', finalised_at = " NOW,
    GONE,
};

START_TEST(cancels_only_inside_the_window) {
    register_for(_i % 2);
    ck_assert_int_eq(confirm(), STATUS_OK);
    find();
    database_run("%s", BEFORE_CANCEL[_i / 2]);
    check_nothing_changes(cancel);
}
END_TEST

/* A cancellation applies to the payment in its present state. */
START_TEST(a_registration_confirmed_meanwhile_is_cancelled_with_its_hold) {
    register_for(_i);
    ck_assert_int_eq(confirm(), STATUS_OK);
    ck_assert_int_eq(cancel(), STATUS_OK);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders WHERE held_by IS NOT NULL"), 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM transactions WHERE state <> 'CANCELADA'"), 0);
}
END_TEST

enum { RIVALS = 4 };

struct rival {
    struct connection *connection;
    uint64_t network;
    enum status status;
};

static void *confirm_in_thread(void *of_rival) {
    struct rival *rival = of_rival;
    const struct transaction_name name = {rival->network, TEXT("TX-1"), ACTOR};
    do {
        rival->status = transactions_confirm(rival->connection, &name);
    } while (rival->status == STATUS_AGAIN);
    return NULL;
}

START_TEST(one_of_several_confirmations_takes_the_order) {
    uint64_t order = new_order(.reference = "1000");
    struct rival rivals[RIVALS];
    pthread_t threads[RIVALS];
    int winners = 0;
    for (int i = 0; i < RIVALS; i++) {
        rivals[i].network = sample_network(NULL);
        new_transaction(.network_id = rivals[i].network, .order_id = order, .network_transaction = "'TX-1'");
        rivals[i].connection = database_connect(WORKER);
    }
    for (int i = 0; i < RIVALS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, confirm_in_thread, &rivals[i]), 0);
    }
    for (int i = 0; i < RIVALS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert(rivals[i].status == STATUS_OK || rivals[i].status == STATUS_CHANGED);
        winners += rivals[i].status == STATUS_OK;
        connection_close(rivals[i].connection);
    }
    ck_assert_int_eq(winners, 1);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM transactions t JOIN orders o ON o.held_by = t.id"
                                      " WHERE t.state = 'CONFIRMADA'"),
                      1);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM transactions WHERE state = 'CONFIRMADA'"), 1);
}
END_TEST

/* Every confirmation reads the window. If it locked that row, payments of all networks would wait for one another. */
START_TEST(a_confirmation_locks_nothing_that_all_need) {
    register_for(0);
    ck_assert_int_eq(mysql_query(worker->mysql, "START TRANSACTION"), 0);
    ck_assert_int_eq(confirm(), STATUS_OK);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM (SELECT id FROM settings FOR UPDATE SKIP LOCKED) AS free"),
                      1);
    ck_assert_int_eq(mysql_query(worker->mysql, "COMMIT"), 0);
}
END_TEST

static enum status confirm_an_hour_ago(void) {
    enum status status = confirm();
    database_run("UPDATE transactions SET confirmed_at = confirmed_at - INTERVAL 1 HOUR,"
                 " window_ends_at = window_ends_at - INTERVAL 1 HOUR, changed_by = 'eva'");
    database_run("UPDATE orders SET held_until = held_until - INTERVAL 1 HOUR, changed_by = 'eva'");
    return status;
}

static enum status finalise(void) {
    return windows_finalise_order(worker, rows.order.id, ACTOR);
}

/* What the worker's functions write, and nothing else. */
static const struct {
    enum status (*before)(void), (*act)(void);
    const char *payment, *order;
} WRITTEN[] = {
    {NULL, confirm, "state version confirmed_at window_ends_at order_version settled_at changed_by",
     "version held_by held_until changed_at"},
    {NULL, cancel, "state version cancelled_at settled_at changed_by", ""},
    {confirm, cancel, "state version order_version cancelled_at settled_at",
     "version held_by held_until changed_by changed_at"},
    {confirm_an_hour_ago, finalise, "state version order_version finalised_at changed_by",
     "state open_reference version held_by held_until paid_by closed_at changed_by changed_at"},
};

static const char *changed_columns(const char *table) {
    database_run("SET SESSION group_concat_max_len = 65536");
    const char *list = database_text("SELECT GROUP_CONCAT(CONCAT('IF(b.', COLUMN_NAME, ' <=> a.', COLUMN_NAME,"
                                     " ', NULL, \"', COLUMN_NAME, '\")') ORDER BY ORDINAL_POSITION)"
                                     " FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()"
                                     " AND TABLE_NAME = '%s'",
                                     table);
    return database_text("SELECT CONCAT_WS(' ', %s) FROM %s a JOIN %s_before b USING (id)", list, table, table);
}

START_TEST(a_function_writes_its_columns_alone) {
    registered(new_order(.reference = "1000"), 0);
    find();
    if (WRITTEN[_i].before != NULL) {
        ck_assert_int_eq(WRITTEN[_i].before(), STATUS_OK);
    }
    database_run("CREATE TEMPORARY TABLE transactions_before AS SELECT * FROM transactions");
    database_run("CREATE TEMPORARY TABLE orders_before AS SELECT * FROM orders");
    ck_assert_int_eq(WRITTEN[_i].act(), STATUS_OK);
    ck_assert_str_eq(changed_columns("transactions"), WRITTEN[_i].payment);
    ck_assert_str_eq(changed_columns("orders"), WRITTEN[_i].order);
    database_run("DROP TEMPORARY TABLE transactions_before, orders_before");
}
END_TEST

TCase *transactions_tests(void) {
    TCase *tests = database_case("transactions");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, finds_what_a_confirmation_is_judged_on);
    tcase_add_test(tests, confirming_holds_the_order_until_the_window_ends);
    tcase_add_test(tests, confirming_a_top_up_holds_nothing);
    add_table_test(tests, confirms_only_what_was_judged, BEFORE_CONFIRM);
    tcase_add_test(tests, never_confirms_an_overdue_order);
    tcase_add_test(tests, never_confirms_what_fell_due_before_it_was_locked);
    tcase_add_test(tests, confirms_a_top_up_only_once);
    tcase_add_test(tests, a_top_up_keeps_its_room);
    tcase_add_test(tests, what_waits_counts_as_the_balance_does);
    add_table_test(tests, cancels_a_registration, TARGETS);
    add_table_test(tests, cancels_inside_the_window_and_lets_go, TARGETS);
    tcase_add_loop_test(tests, cancels_only_inside_the_window, 0, 2 * (int)COUNT_OF(BEFORE_CANCEL));
    add_table_test(tests, a_registration_confirmed_meanwhile_is_cancelled_with_its_hold, TARGETS);
    tcase_add_test(tests, one_of_several_confirmations_takes_the_order);
    tcase_add_test(tests, a_confirmation_locks_nothing_that_all_need);
    add_table_test(tests, a_function_writes_its_columns_alone, WRITTEN);
    return tests;
}
