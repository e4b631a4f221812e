#include "unit.h"

#include "domain/transaction.h"

#define NOW (1795253400 * SECOND)

static const struct text SERVICE = {"Recaudo", 7};

static struct money money(const char *text) {
    struct money amount;
    ck_assert(money_parse(text_of(text), &amount));
    return amount;
}

static struct payable order_of(const char *amount, const char *currency) {
    struct payable payable = {.now = NOW, .has_order = true};
    payable.order = (struct order){.state = ORDER_PENDIENTE,
                                   .amount = money(amount),
                                   .currency = text_of(currency),
                                   .due_at = NOW + 1,
                                   .commerce = TEXT("Tienda Ñandú"),
                                   .merchant_enabled = true};
    return payable;
}

static struct payable account_in(const char *currency) {
    return (struct payable){.now = NOW,
                            .has_account = true,
                            .account = {.currency = text_of(currency), .room = money("999999999999999.99")}};
}

#define SHOP "Tienda Ñandú"

static const struct {
    const char *due; /* NULL: an account */
    const char *currency;
    const char *commerce, *money, *amount;
    enum refusal refusal;
} CASES[] = {
    {"45000", "COP", SHOP, "COP", "45000.00", GRANTED},
    {"45000", "COP", "TIENDA ÑANDú", "COP", "45000", GRANTED},
    {"0", "COP", SHOP, "COP", "0.01", GRANTED},
    {NULL, "COP", "Recaudo", "COP", "0.01", GRANTED},
    {NULL, "COP", "RECAUDO", "COP", "999999999999999.99", GRANTED},
    {"45000", "COP", "Otra", "COP", "45000", REFUSED_OTHER_COMMERCE},
    {"45000", "COP", SHOP " ", "COP", "45000", REFUSED_OTHER_COMMERCE},
    {"45000", "COP", "Recaudo", "COP", "45000", REFUSED_OTHER_COMMERCE},
    {"45000", "COP", "Tienda Nandu", "COP", "45000", REFUSED_OTHER_COMMERCE},
    {NULL, "COP", SHOP, "COP", "5", REFUSED_OTHER_COMMERCE},
    {"45000", "COP", SHOP, "USD", "45000", REFUSED_CURRENCY},
    {"45000", "COP", SHOP, "cop", "45000", REFUSED_CURRENCY},
    {NULL, "COP", "Recaudo", "USD", "5", REFUSED_CURRENCY},
    {"45000", "COP", SHOP, "COP", "45000.01", REFUSED_AMOUNT},
    {"45000", "COP", SHOP, "COP", "45000.001", REFUSED_AMOUNT},
    {"0", "COP", SHOP, "COP", "0", REFUSED_AMOUNT},
    {"0", "COP", SHOP, "COP", "5.001", REFUSED_AMOUNT},
    {"0", "JPY", SHOP, "JPY", "5.1", REFUSED_AMOUNT},
    {"0", "JPY", SHOP, "JPY", "5", GRANTED},
    {"0", "JPY", SHOP, "JPY", "5.0", REFUSED_AMOUNT},
    /* This may be meant as forty-five thousand. */
    {"45", "COP", SHOP, "COP", "45.000", REFUSED_AMOUNT},
    {"0", "COP", SHOP, "COP", "45.000", REFUSED_AMOUNT},
    {NULL, "COP", "Recaudo", "COP", "45.000", REFUSED_AMOUNT},
    {"45000", "COP", SHOP, "COP", "45000.00", GRANTED},
    {"45000", "COP", SHOP, "COP", "45000.000", REFUSED_AMOUNT},
    {"0", "BHD", SHOP, "BHD", "5.001", GRANTED},
    {"0", "CLF", SHOP, "CLF", "5.0001", GRANTED},
    {NULL, "COP", "Recaudo", "COP", "0", REFUSED_AMOUNT},
    {NULL, "COP", "Recaudo", "COP", "0.001", REFUSED_AMOUNT},
    /* commerce is checked before currency, currency before amount */
    {"45000", "COP", "Otra", "USD", "1", REFUSED_OTHER_COMMERCE},
    {"45000", "COP", SHOP, "USD", "1", REFUSED_CURRENCY},
};

static enum refusal judge(int row, const struct payable *payable) {
    struct registration registration = {.commerce = text_of(CASES[row].commerce),
                                        .money = text_of(CASES[row].money),
                                        .amount = text_of(CASES[row].amount),
                                        .value = money(CASES[row].amount)};
    return registration_judge(&registration, payable, SERVICE);
}

START_TEST(judges_commerce_currency_amount) {
    struct payable payable =
        CASES[_i].due == NULL ? account_in(CASES[_i].currency) : order_of(CASES[_i].due, CASES[_i].currency);
    ck_assert_int_eq(judge(_i, &payable), CASES[_i].refusal);
}
END_TEST

static const struct {
    enum order_state state;
    instant due_at, held_until;
    bool merchant_enabled;
    enum refusal refusal;
} CLOSED[] = {
    {ORDER_PENDIENTE, NOW, 0, true, REFUSED_EXPIRED},     {ORDER_PENDIENTE, NOW, NOW + 1, true, REFUSED_HELD},
    {ORDER_PENDIENTE, NOW, NOW, true, REFUSED_HELD},      {ORDER_PENDIENTE, NOW + 1, 0, false, REFUSED_NOT_AUTHORISED},
    {ORDER_APROBADA, NOW + 1, 0, true, REFUSED_PAID},     {ORDER_VENCIDA, NOW + 1, 0, true, REFUSED_EXPIRED},
    {ORDER_CANCELADA, NOW + 1, 0, true, REFUSED_DELETED}, {ORDER_ANULADA, NOW + 1, 0, true, REFUSED_REFUNDED},
};

/* The last row of CASES has every other error too. */
START_TEST(what_cannot_be_paid_comes_first) {
    struct payable payable = order_of("45000", "COP");
    payable.order.state = CLOSED[_i].state;
    payable.order.due_at = CLOSED[_i].due_at;
    payable.order.held_by = CLOSED[_i].held_until == 0 ? 0 : 9;
    payable.order.held_until = CLOSED[_i].held_until;
    payable.order.merchant_enabled = CLOSED[_i].merchant_enabled;
    ck_assert_int_eq(judge((int)COUNT_OF(CASES) - 1, &payable), CLOSED[_i].refusal);
}
END_TEST

START_TEST(nothing_has_the_reference) {
    struct payable payable = {.now = NOW};
    ck_assert_int_eq(judge(0, &payable), REFUSED_NO_SUCH_REFERENCE);
}
END_TEST

static const struct {
    const char *amount;
    enum refusal refusal;
} LIMITS[] = {{"99.99", REFUSED_AMOUNT}, {"100", GRANTED}, {"200", GRANTED}, {"200.01", REFUSED_AMOUNT}};

START_TEST(keeps_the_limits_of_an_open_order) {
    struct payable payable = order_of("0", "COP");
    payable.order.has_limits = true;
    payable.order.least = money("100");
    payable.order.most = money("200");
    struct registration registration = {.commerce = TEXT(SHOP),
                                        .money = TEXT("COP"),
                                        .amount = text_of(LIMITS[_i].amount),
                                        .value = money(LIMITS[_i].amount)};
    ck_assert_int_eq(registration_judge(&registration, &payable, SERVICE), LIMITS[_i].refusal);
}
END_TEST

static const struct {
    const char *room, *amount;
    enum refusal refusal;
} ROOMS[] = {
    {"200.00", "200", GRANTED},
    {"200.00", "200.01", REFUSED_ACCOUNT_FULL},
    {"199.9999", "200", REFUSED_ACCOUNT_FULL},
    {"0", "0.01", REFUSED_ACCOUNT_FULL},
    {"0", "0", REFUSED_AMOUNT},
    {"0", "0.001", REFUSED_AMOUNT},
    {"999999999999999.9999", "999999999999999.99", GRANTED},
};

START_TEST(asks_for_room_in_the_account) {
    struct payable payable = account_in("COP");
    payable.account.room = money(ROOMS[_i].room);
    struct registration registration = {.commerce = SERVICE,
                                        .money = TEXT("COP"),
                                        .amount = text_of(ROOMS[_i].amount),
                                        .value = money(ROOMS[_i].amount)};
    ck_assert_int_eq(registration_judge(&registration, &payable, SERVICE), ROOMS[_i].refusal);
}
END_TEST

static const struct {
    const char *currency, *amount;
    enum refusal refusal;
} REQUESTS[] = {
    {"COP", "45000", GRANTED},         {"COP", "0.01", GRANTED},         {"COP", "0", REFUSED_AMOUNT},
    {"COP", "0.00", REFUSED_AMOUNT},   {"COP", "0.001", REFUSED_AMOUNT}, {"JPY", "5", GRANTED},
    {"JPY", "5.0", REFUSED_AMOUNT},    {"BHD", "5.001", GRANTED},        {"AAA", "5", REFUSED_AMOUNT},
    {"COP", "0.0000", REFUSED_AMOUNT},
};

/* Checks that need no database: the amount is not zero, and its decimals are allowed for the currency. */
START_TEST(judges_the_amount_of_a_request_alone) {
    struct registration registration = {.money = text_of(REQUESTS[_i].currency),
                                        .amount = text_of(REQUESTS[_i].amount),
                                        .value = money(REQUESTS[_i].amount)};
    ck_assert_int_eq(registration_judge_request(&registration), REQUESTS[_i].refusal);
}
END_TEST

TCase *registration_tests(void) {
    TCase *tests = unit_case("registration");
    add_table_test(tests, judges_commerce_currency_amount, CASES);
    add_table_test(tests, what_cannot_be_paid_comes_first, CLOSED);
    tcase_add_test(tests, nothing_has_the_reference);
    add_table_test(tests, keeps_the_limits_of_an_open_order, LIMITS);
    add_table_test(tests, judges_the_amount_of_a_request_alone, REQUESTS);
    add_table_test(tests, asks_for_room_in_the_account, ROOMS);
    return tests;
}
