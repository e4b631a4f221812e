#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* Withdrawals and refunds, as the database itself judges them for any caller. Of several orders, one is named. */

static const struct {
    const char *state, *due_at, *held_until, *seen; /* seen NULL: any version */
    uint64_t withdrawn;
} WITHDRAWALS[] = {
    {"PENDIENTE", IN_AN_HOUR, NULL, "NULL", 1},    {"PENDIENTE", IN_AN_HOUR, NULL, "2", 1},
    {"PENDIENTE", IN_AN_HOUR, NULL, "1", 0},       {"PENDIENTE", IN_AN_HOUR, NULL, "3", 0},
    {"PENDIENTE", NOW, NULL, "NULL", 0},           {"PENDIENTE", AN_HOUR_AGO, NULL, "2", 0},
    {"PENDIENTE", IN_AN_HOUR, IN_AN_HOUR, "2", 0}, {"PENDIENTE", IN_AN_HOUR, AN_HOUR_AGO, "NULL", 0},
    {"VENCIDA", IN_AN_HOUR, NULL, "2", 0},         {"CANCELADA", IN_AN_HOUR, NULL, "2", 0},
    {"APROBADA", IN_AN_HOUR, NULL, "2", 0},        {"ANULADA", IN_AN_HOUR, NULL, "NULL", 0},
};

/* Inserts the order, in version 2, beside others that could be withdrawn or refunded. */
static uint64_t order_in_state(const char *state, const char *due_at, const char *held_until) {
    bool paid = strcmp(state, "APROBADA") == 0 || strcmp(state, "ANULADA") == 0;
    const char *payment =
        database_text("SELECT 910000 + COUNT(*) FROM settlement_items"); /* not used by another refund */
    new_order(.reference = "2");
    new_order(.reference = "3", .state = "'APROBADA'", .paid_by = "7");
    uint64_t order = new_order(.reference = "1", .state = arena_print(arena, "'%s'", state).at, .due_at = due_at,
                               .held_by = held_until == NULL ? NULL : "5", .held_until = held_until,
                               .paid_by = paid ? payment : NULL);
    database_run("UPDATE orders SET vat = 1 WHERE id = %" PRIu64, order);
    return order;
}

static const char *all_orders(void) {
    return database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', reference, state, version, changed_by, state_reason)"
                         " ORDER BY reference) FROM orders");
}

START_TEST(only_what_nobody_pays_is_withdrawn) {
    uint64_t order = order_in_state(WITHDRAWALS[_i].state, WITHDRAWALS[_i].due_at, WITHDRAWALS[_i].held_until);
    ck_assert_uint_eq(
        database_number("SELECT order_cancel(%" PRIu64 ", %s, 'merchant:eva')", order, WITHDRAWALS[_i].seen),
        WITHDRAWALS[_i].withdrawn);
    const char *first = WITHDRAWALS[_i].withdrawn == 1 ? "CANCELADA 3 merchant:eva"
                                                       : arena_print(arena, "%s 2 test", WITHDRAWALS[_i].state).at;
    ck_assert_str_eq(all_orders(), arena_print(arena, "1 %s,2 PENDIENTE 1 test,3 APROBADA 1 test", first).at);
}
END_TEST

static const char *const STATES[] = {"PENDIENTE", "APROBADA", "VENCIDA", "CANCELADA", "ANULADA"};

START_TEST(only_what_was_paid_is_given_back) {
    uint64_t order = order_in_state(STATES[_i], IN_AN_HOUR, NULL), refunds = strcmp(STATES[_i], "APROBADA") == 0;
    ck_assert_uint_eq(database_number("SELECT order_refund(%" PRIu64 ", 'roto', 'merchant:eva')", order), refunds);
    ck_assert_str_eq(all_orders(), arena_print(arena, "1 %s,2 PENDIENTE 1 test,3 APROBADA 1 test",
                                               refunds == 1 ? "ANULADA 3 merchant:eva roto"
                                                            : arena_print(arena, "%s 2 test", STATES[_i]).at)
                                       .at);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM refunds r JOIN orders o ON o.id = r.order_id"
                                      " AND r.transaction_id = o.paid_by WHERE o.id = %" PRIu64,
                                      order),
                      refunds);
}
END_TEST

/* A claim's notification must follow an earlier one, so an order without any cannot be claimed. */
START_TEST(nothing_is_claimed_that_nobody_was_told_of) {
    uint64_t order = order_in_state("APROBADA", IN_AN_HOUR, NULL);
    MYSQL *mysql = database_login(OWNER);
    ck_assert_uint_eq(database_error(mysql, "SET @done = order_claim_now(%" PRIu64 ", 'roto', 'eva')", order),
                      ER_SIGNAL_EXCEPTION);
    mysql_close(mysql);
    ck_assert_str_eq(all_orders(), "1 APROBADA 2 test,2 PENDIENTE 1 test,3 APROBADA 1 test");
}
END_TEST

TCase *withdrawals_tests(void) {
    TCase *tests = database_case("withdrawals");
    add_table_test(tests, only_what_nobody_pays_is_withdrawn, WITHDRAWALS);
    add_table_test(tests, only_what_was_paid_is_given_back, STATES);
    tcase_add_test(tests, nothing_is_claimed_that_nobody_was_told_of);
    return tests;
}
