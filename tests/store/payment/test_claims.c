#include "store.h"

#include "store/db/connection_private.h"
#include "store/db/routine.h"
#include "store/payment/claims.h"
#include "store/payment/windows.h"
#include "unit/files.h"

#include <inttypes.h>
#include <mysqld_error.h>
#include <pthread.h>

#define ACTOR  TEXT("operator:ana")
#define REASON TEXT("the shop was closed")
#define STORY                                                                                                          \
    "SELECT GROUP_CONCAT(CONCAT_WS(' ', what, from_state, to_state, actor, reason) ORDER BY id SEPARATOR '; ')"        \
    " FROM events WHERE subject = 'order' AND version > 1 AND subject_id = %" PRIu64
#define TOLD                                                                                                           \
    "SELECT GROUP_CONCAT(CONCAT_WS(' ', sequence, status, state, amount, payment_means, changed_by) ORDER BY sequence" \
    " SEPARATOR '; ') FROM notifications WHERE order_id = %" PRIu64

static struct connection *by_operator, *dispatcher;

static void set_up(void) {
    by_operator = database_connect(OPERATOR);
    dispatcher = database_connect(DISPATCHER);
}

static void tear_down(void) {
    connection_close(dispatcher);
    connection_close(by_operator);
}

static enum status claim(uint64_t order) {
    enum claim_outcome outcome;
    return claims_write(by_operator, &(struct claim){.order_id = order, .reason = REASON, .actor = ACTOR}, &outcome);
}

static uint64_t merchant_with_address(void) {
    return new_merchant(.notify_url = "'http://127.0.0.1/n'");
}

/* Inserts an order that a dispatcher has finalised. */
static uint64_t paid_order(uint64_t merchant, const char *amount) {
    uint64_t order = new_order(.merchant_id = merchant, .amount = amount), finalised = 0;
    confirmed_payment(order, "12500.50", AN_HOUR_AGO);
    ck_assert_int_eq(windows_finalise_orders(dispatcher, 10, &finalised), STATUS_OK);
    ck_assert_uint_eq(finalised, 1);
    return order;
}

static const struct {
    const char *approved, *cancelled;
} SEQUENCES[] = {
    {"pending", "waiting"},
    {"delivered", "pending"},
    {"exhausted", "pending"},
};

START_TEST(a_claim_annuls_and_the_notification_keeps_its_turn) {
    uint64_t order = paid_order(merchant_with_address(), "0");
    database_run("UPDATE notifications SET state = '%s'", SEQUENCES[_i].approved);
    ck_assert_int_eq(claim(order), STATUS_OK);
    ck_assert_str_eq(database_text("SELECT state FROM orders"), "ANULADA");
    ck_assert_str_eq(database_text(TOLD, order),
                     arena_print(arena,
                                 "1 approved %s 12500.5000 %s dispatcher; 2 cancelled %s 12500.5000 %s operator:ana",
                                 SEQUENCES[_i].approved, database_text("SELECT name FROM networks"),
                                 SEQUENCES[_i].cancelled, database_text("SELECT name FROM networks"))
                         .at);
}
END_TEST

START_TEST(the_log_says_who_and_why) {
    uint64_t order = paid_order(merchant_with_address(), "12500.50");
    ck_assert_int_eq(claim(order), STATUS_OK);
    ck_assert_str_eq(database_text(STORY, order),
                     "held PENDIENTE PENDIENTE db:root@localhost; state PENDIENTE APROBADA dispatcher;"
                     " state APROBADA ANULADA operator:ana the shop was closed");
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', r.transaction_id = o.paid_by,"
                                   " r.at BETWEEN e.at AND UTC_TIMESTAMP(6)) FROM refunds r"
                                   " JOIN orders o ON o.id = r.order_id"
                                   " JOIN events e ON e.subject = 'order' AND e.subject_id = o.id"
                                   " WHERE e.to_state = 'ANULADA' AND o.id = %" PRIu64,
                                   order),
                     "1 1");
}
END_TEST

START_TEST(without_an_address_both_wait_for_one) {
    uint64_t merchant = new_merchant(.notify_url = "NULL");
    uint64_t order = paid_order(merchant, "12500.50");
    ck_assert_int_eq(claim(order), STATUS_OK);
    database_run("UPDATE merchants SET notify_url = 'http://127.0.0.1/n' WHERE id = %" PRIu64, merchant);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(state ORDER BY sequence) FROM notifications"),
                     "pending,waiting");
}
END_TEST

/* A dispatcher and a claim write the same rows, except for the actor. */
START_TEST(a_closed_window_is_written_as_a_dispatcher_writes_it) {
    static const char ROWS[] =
        "SELECT CONCAT_WS(' ', t.state, t.finalised_at >= t.window_ends_at, o.state, o.version, t.version, o.held_by,"
        " o.held_until, o.paid_by = t.id, n.sequence, n.status, n.state, n.amount, n.payment_means = w.name,"
        " n.attempts, n.due_at = n.created_at) FROM orders o JOIN transactions t ON t.order_id = o.id"
        " JOIN networks w ON w.id = t.network_id JOIN notifications n ON n.order_id = o.id WHERE o.id = %" PRIu64;
    uint64_t merchant = merchant_with_address();
    uint64_t by_dispatcher = paid_order(merchant, "12500.50");
    uint64_t by_claim = new_order(.merchant_id = merchant, .amount = "12500.50", .reference = "2000");
    confirmed_payment(by_claim, "12500.50", AN_HOUR_AGO);
    database_run("UPDATE notifications n JOIN transactions t ON t.order_id = n.order_id"
                 " JOIN networks w ON w.id = t.network_id SET n.payment_means = w.name");
    ck_assert_int_eq(windows_finalise_order(by_operator, by_claim, ACTOR), STATUS_OK);
    ck_assert_int_eq(windows_finalise_order(by_operator, by_claim, ACTOR), STATUS_CHANGED);
    ck_assert_str_eq(database_text(ROWS, by_claim), database_text(ROWS, by_dispatcher));
    ck_assert_str_eq(database_text("SELECT changed_by FROM orders WHERE id = %" PRIu64, by_claim), "operator:ana");
    ck_assert_int_eq(claim(by_claim), STATUS_OK);
}
END_TEST

START_TEST(a_claim_comes_before_the_dispatcher) {
    uint64_t order = new_order(.merchant_id = merchant_with_address(), .amount = "5");
    confirmed_payment(order, "5", NOW);
    ck_assert_int_eq(claim(order), STATUS_OK);
    ck_assert_str_eq(
        database_text("SELECT GROUP_CONCAT(CONCAT(status, ' ', state) ORDER BY sequence) FROM notifications"),
        "approved pending,cancelled waiting");
    uint64_t finalised = 77;
    ck_assert_int_eq(windows_finalise_orders(dispatcher, 10, &finalised), STATUS_OK);
    ck_assert_uint_eq(finalised, 0);
}
END_TEST

/* A statement that has waited, here for a backup, judges by the clock after its wait: the window has closed meanwhile.
 */
START_TEST(a_refund_is_never_before_its_payment) {
    static const char WAITS[] = "SELECT COUNT(*) FROM information_schema.processlist"
                                " WHERE user = 'recaudo_operator' AND info LIKE 'SELECT order_claim(%'";
    uint64_t order = new_order(.merchant_id = merchant_with_address(), .amount = "5");
    confirmed_payment(order, "5", NOW " + INTERVAL 3 SECOND");
    const char *claims = arena_print(arena, "SELECT order_claim(%" PRIu64 ", 'x', 'operator:eva')", order).at;
    MYSQL *session = database_login(OPERATOR);
    database_run("FLUSH TABLES WITH READ LOCK");
    database_send(session, claims);
    database_wait_for(WAITS);
    database_wait_for("SELECT held_until < UTC_TIMESTAMP(6) FROM orders");
    database_run("UNLOCK TABLES");
    ck_assert_str_eq(database_answer(session, claims), "1");
    mysql_close(session);
    ck_assert_uint_eq(database_number("SELECT r.at >= t.finalised_at FROM refunds r JOIN transactions t"
                                      " ON t.id = r.transaction_id"),
                      1);
}
END_TEST

static const struct {
    const char *state, *due_at, *held_until, *paid_by;
} NOT_PAID[] = {
    {"'PENDIENTE'", IN_AN_HOUR, NULL, NULL},       {"'PENDIENTE'", AN_HOUR_AGO, NULL, NULL},
    {"'PENDIENTE'", IN_AN_HOUR, IN_AN_HOUR, NULL}, {"'VENCIDA'", AN_HOUR_AGO, NULL, NULL},
    {"'CANCELADA'", IN_AN_HOUR, NULL, NULL},       {"'ANULADA'", IN_AN_HOUR, NULL, "5"},
};

START_TEST(in_any_other_state_nothing_happens) {
    uint64_t order =
        new_order(.state = NOT_PAID[_i].state, .due_at = NOT_PAID[_i].due_at, .paid_by = NOT_PAID[_i].paid_by);
    if (NOT_PAID[_i].held_until != NULL) {
        confirmed_payment(order, "45000", NOT_PAID[_i].held_until);
    }
    const char *before = database_text("SELECT CONCAT_WS(' ', state, version, changed_by) FROM orders");
    ck_assert_int_eq(claim(order), STATUS_CHANGED);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', state, version, changed_by) FROM orders"), before);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM notifications"), 0);
}
END_TEST

START_TEST(the_same_claim_again_changes_nothing) {
    uint64_t order = paid_order(merchant_with_address(), "12500.50");
    ck_assert_int_eq(claim(order), STATUS_OK);
    ck_assert_int_eq(claim(order), STATUS_CHANGED);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM notifications"), 2);
    ck_assert_int_eq(claim(order + 1000), STATUS_CHANGED);
}
END_TEST

/* This caller knows outcomes up to CLAIM_REFUSED only, so CLAIM_DONE is unknown to it. */
START_TEST(an_unknown_outcome_is_a_fault) {
    uint64_t order = paid_order(merchant_with_address(), "12500.50"), outcome = 7;
    capture_errors();
    static const enum status RETURNED[] = {STATUS_FAULT, STATUS_OK}; /* the second call is refused */
    for (size_t i = 0; i < COUNT_OF(RETURNED); i++) {
        struct sql *sql = sql_begin(by_operator, SQL_order_claim);
        sql_number(sql, order);
        sql_text(sql, REASON);
        sql_text(sql, ACTOR);
        ck_assert_int_eq(routine_outcome(sql, CLAIM_REFUSED, &outcome), RETURNED[i]);
        ck_assert_uint_eq(outcome, CLAIM_REFUSED);
    }
    ck_assert_ptr_nonnull(strstr(errors_text(), "order_claim returned 1"));
}
END_TEST

static void *claim_elsewhere(void *order) {
    static enum status status;
    status = claim(*(uint64_t *)order);
    return &status;
}

/* A dispatcher is recording that `approved` was acknowledged. The claim waits for it, so its notification need not
 * wait. */
START_TEST(a_claim_sees_what_a_dispatcher_is_writing) {
    uint64_t order = paid_order(merchant_with_address(), "12500.50");
    MYSQL *other = database_login(OWNER);
    pthread_t thread;
    void *status;
    ck_assert_uint_eq(database_error(other, "START TRANSACTION"), 0);
    ck_assert_uint_eq(database_error(other, "UPDATE notifications SET state = 'delivered'"), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, claim_elsewhere, &order), 0);
    database_wait_for(SOMEBODY_WAITS);
    ck_assert_uint_eq(database_error(other, "COMMIT"), 0);
    pthread_join(thread, &status);
    mysql_close(other);
    ck_assert_int_eq(*(enum status *)status, STATUS_OK);
    ck_assert_str_eq(database_text("SELECT state FROM notifications WHERE status = 'cancelled'"), "pending");
}
END_TEST

/* Of an approval that fails at its last step, the notification, no part stays: neither with the claim nor with what
 * waits for a second user. */
START_TEST(a_claim_writes_the_whole_approval_or_nothing) {
    static const char WRITTEN[] =
        "SELECT CONCAT_WS(' ', t.state, o.state, (SELECT COUNT(*) FROM notifications),"
        " (SELECT COUNT(*) FROM approvals)) FROM orders o JOIN transactions t ON t.order_id = o.id";
    uint64_t order = new_order(.merchant_id = merchant_with_address(), .amount = "5");
    confirmed_payment(order, "5", AN_HOUR_AGO);
    database_run("TRUNCATE approvals; INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 1");
    MYSQL *holder = database_login(OWNER);
    ck_assert_uint_eq(database_error(holder, "START TRANSACTION"), 0);
    ck_assert_uint_eq(database_error(holder, "UPDATE merchants SET changed_by = 'x'"), 0);
    ck_assert_int_eq(mysql_query(by_operator->mysql, "SET SESSION innodb_lock_wait_timeout = 0"), 0);
    ck_assert_int_eq(claim(order), STATUS_AGAIN);
    ck_assert_str_eq(database_text(WRITTEN), "CONFIRMADA PENDIENTE 0 0");
    ck_assert_uint_eq(database_error(holder, "ROLLBACK"), 0);
    mysql_close(holder);
    ck_assert_int_eq(claim(order), STATUS_OK);
    ck_assert_str_eq(database_text(WRITTEN), "FINALIZADA APROBADA 1 1");
    database_run("DELETE FROM dual_control");
}
END_TEST

START_TEST(refunds_cannot_be_changed) {
    uint64_t order = paid_order(merchant_with_address(), "12500.50");
    MYSQL *as_owner = database_login(OWNER);
    ck_assert_int_eq(claim(order), STATUS_OK);
    ck_assert_uint_eq(database_error(as_owner, "UPDATE refunds SET at = NULL"), ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(database_error(as_owner, "DELETE FROM refunds"), ER_SIGNAL_EXCEPTION);
    mysql_close(as_owner);
}
END_TEST

TCase *claims_tests(void) {
    TCase *tests = database_case("claims");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, a_claim_annuls_and_the_notification_keeps_its_turn, SEQUENCES);
    tcase_add_test(tests, the_log_says_who_and_why);
    tcase_add_test(tests, without_an_address_both_wait_for_one);
    tcase_add_test(tests, a_closed_window_is_written_as_a_dispatcher_writes_it);
    tcase_add_test(tests, a_claim_comes_before_the_dispatcher);
    tcase_add_test(tests, a_refund_is_never_before_its_payment);
    add_table_test(tests, in_any_other_state_nothing_happens, NOT_PAID);
    tcase_add_test(tests, the_same_claim_again_changes_nothing);
    tcase_add_test(tests, an_unknown_outcome_is_a_fault);
    tcase_add_test(tests, a_claim_sees_what_a_dispatcher_is_writing);
    tcase_add_test(tests, a_claim_writes_the_whole_approval_or_nothing);
    tcase_add_test(tests, refunds_cannot_be_changed);
    return tests;
}
