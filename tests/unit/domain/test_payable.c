#include "unit.h"

#include "domain/payable.h"

#define NOW (1795253400 * SECOND)

/* The condition of the order at NOW. */
enum condition {
    NO_ORDER,
    OPEN,
    OPEN_OF_DISABLED,
    HELD,
    HELD_OF_DISABLED,
    WINDOW_OVER,
    OVERDUE,
    OVERDUE_OF_DISABLED,
    APPROVED,
    EXPIRED,
    DELETED,
    REFUNDED
};

static const struct order ORDERS[] = {
    [OPEN] = {.state = ORDER_PENDIENTE, .due_at = NOW + 1, .merchant_enabled = true},
    [OPEN_OF_DISABLED] = {.state = ORDER_PENDIENTE, .due_at = NOW + 1},
    [HELD] = {.state = ORDER_PENDIENTE, .due_at = NOW, .held_by = 9, .held_until = NOW + 1, .merchant_enabled = true},
    [HELD_OF_DISABLED] = {.state = ORDER_PENDIENTE, .due_at = NOW, .held_by = 9, .held_until = NOW + 1},
    [WINDOW_OVER] =
        {.state = ORDER_PENDIENTE, .due_at = NOW + 1, .held_by = 9, .held_until = NOW, .merchant_enabled = true},
    [OVERDUE] = {.state = ORDER_PENDIENTE, .due_at = NOW, .merchant_enabled = true},
    [OVERDUE_OF_DISABLED] = {.state = ORDER_PENDIENTE, .due_at = NOW},
    [APPROVED] = {.state = ORDER_APROBADA, .due_at = NOW + 1, .merchant_enabled = true},
    [EXPIRED] = {.state = ORDER_VENCIDA, .due_at = NOW - 1, .merchant_enabled = true},
    [DELETED] = {.state = ORDER_CANCELADA, .due_at = NOW + 1, .merchant_enabled = true},
    [REFUNDED] = {.state = ORDER_ANULADA, .due_at = NOW + 1, .merchant_enabled = true},
};

static const struct {
    enum condition order;
    enum order_origin origin;
    bool account;
    enum payable_kind kind;
    enum refusal refusal;
    bool may_be_asked_about;
} CASES[] = {
    {NO_ORDER, 0, false, PAYABLE_NOTHING, REFUSED_NO_SUCH_REFERENCE, true},
    {NO_ORDER, 0, true, PAYABLE_ACCOUNT, GRANTED, false},
    /* first: an open order registered here */
    {OPEN, ORIGIN_REGISTERED, false, PAYABLE_ORDER, GRANTED, false},
    {OPEN, ORIGIN_REGISTERED, true, PAYABLE_ORDER, GRANTED, false},
    {OPEN, ORIGIN_IMPORTED, false, PAYABLE_ORDER, GRANTED, false},
    {OPEN, ORIGIN_IMPORTED, true, PAYABLE_ORDER, GRANTED, false},
    {HELD, ORIGIN_REGISTERED, false, PAYABLE_ORDER, REFUSED_HELD, false},
    {HELD, ORIGIN_REGISTERED, true, PAYABLE_ORDER, REFUSED_HELD, false},
    {OPEN_OF_DISABLED, ORIGIN_REGISTERED, false, PAYABLE_ORDER, REFUSED_NOT_AUTHORISED, false},
    {OPEN_OF_DISABLED, ORIGIN_REGISTERED, true, PAYABLE_ORDER, REFUSED_NOT_AUTHORISED, false},
    {HELD_OF_DISABLED, ORIGIN_REGISTERED, false, PAYABLE_ORDER, REFUSED_HELD, false},
    /* second: an account */
    {OPEN, ORIGIN_EXTERNAL, true, PAYABLE_ACCOUNT, GRANTED, false},
    {HELD, ORIGIN_EXTERNAL, true, PAYABLE_ACCOUNT, GRANTED, false},
    {WINDOW_OVER, ORIGIN_REGISTERED, true, PAYABLE_ORDER, REFUSED_HELD, false},
    {OVERDUE, ORIGIN_REGISTERED, true, PAYABLE_ACCOUNT, GRANTED, false},
    {APPROVED, ORIGIN_REGISTERED, true, PAYABLE_ACCOUNT, GRANTED, false},
    {EXPIRED, ORIGIN_IMPORTED, true, PAYABLE_ACCOUNT, GRANTED, false},
    {DELETED, ORIGIN_REGISTERED, true, PAYABLE_ACCOUNT, GRANTED, false},
    {REFUNDED, ORIGIN_EXTERNAL, true, PAYABLE_ACCOUNT, GRANTED, false},
    /* third: an order from an external query, as it was stored */
    {OPEN, ORIGIN_EXTERNAL, false, PAYABLE_ORDER, GRANTED, true},
    {HELD, ORIGIN_EXTERNAL, false, PAYABLE_ORDER, REFUSED_HELD, false},
    {OPEN_OF_DISABLED, ORIGIN_EXTERNAL, false, PAYABLE_ORDER, REFUSED_NOT_AUTHORISED, true},
    /* last: the latest closed order, whether closed by a write or by the clock */
    {WINDOW_OVER, ORIGIN_REGISTERED, false, PAYABLE_ORDER, REFUSED_HELD, false},
    {OVERDUE, ORIGIN_REGISTERED, false, PAYABLE_ORDER, REFUSED_EXPIRED, true},
    {OVERDUE_OF_DISABLED, ORIGIN_REGISTERED, false, PAYABLE_ORDER, REFUSED_EXPIRED, true},
    {APPROVED, ORIGIN_REGISTERED, false, PAYABLE_ORDER, REFUSED_PAID, true},
    {APPROVED, ORIGIN_EXTERNAL, false, PAYABLE_ORDER, REFUSED_PAID, true},
    {EXPIRED, ORIGIN_REGISTERED, false, PAYABLE_ORDER, REFUSED_EXPIRED, true},
    {DELETED, ORIGIN_IMPORTED, false, PAYABLE_ORDER, REFUSED_DELETED, true},
    {REFUNDED, ORIGIN_REGISTERED, false, PAYABLE_ORDER, REFUSED_REFUNDED, true},
};

START_TEST(resolves_in_the_order_decided) {
    struct payable payable = {.now = NOW, .has_order = CASES[_i].order != NO_ORDER, .has_account = CASES[_i].account};
    if (payable.has_order) {
        payable.order = ORDERS[CASES[_i].order];
        payable.order.origin = CASES[_i].origin;
    }
    enum refusal refusal = REFUSAL_COUNT;
    ck_assert_int_eq(payable_resolve(&payable, &refusal), CASES[_i].kind);
    ck_assert_int_eq(refusal, CASES[_i].refusal);
    ck_assert_int_eq(payable_may_be_asked_about(&payable), CASES[_i].may_be_asked_about);
}
END_TEST

START_TEST(what_others_were_offered_is_nothing) {
    static const struct {
        bool account;
        enum payable_kind kind;
        enum refusal refusal;
    } FOUND[] = {{false, PAYABLE_NOTHING, REFUSED_NO_SUCH_REFERENCE}, {true, PAYABLE_ACCOUNT, GRANTED}};
    struct payable payable = {.now = NOW,
                              .has_order = true,
                              .is_others_offer = true,
                              .order = ORDERS[OPEN],
                              .has_account = FOUND[_i].account};
    payable.order.origin = ORIGIN_EXTERNAL;
    enum refusal refusal = REFUSAL_COUNT;
    ck_assert_int_eq(payable_resolve(&payable, &refusal), FOUND[_i].kind);
    ck_assert_int_eq(refusal, FOUND[_i].refusal);
}
END_TEST

TCase *payable_tests(void) {
    TCase *tests = unit_case("payable");
    tcase_add_loop_test(tests, what_others_were_offered_is_nothing, 0, 2);
    add_table_test(tests, resolves_in_the_order_decided, CASES);
    return tests;
}
