#include "unit.h"

#include "domain/order.h"
#include "domain/porder.h"

/* An order due at DUE. If it is held, the window ends at WINDOW_END, 30 s after CONFIRMED. */
#define CONFIRMED  (1795253400 * SECOND)
#define WINDOW_END (CONFIRMED + 30 * SECOND)
#define DUE        (CONFIRMED + 10 * SECOND)

static const struct {
    enum order_state state;
    bool held;
    instant now;
    enum refusal refusal;
    bool open;
} PAYABLE[] = {
    {ORDER_PENDIENTE, false, CONFIRMED, GRANTED, true},
    {ORDER_PENDIENTE, false, DUE - 1, GRANTED, true},
    {ORDER_PENDIENTE, false, DUE, REFUSED_EXPIRED, false},
    {ORDER_PENDIENTE, false, DUE + 1, REFUSED_EXPIRED, false},
    {ORDER_PENDIENTE, false, DUE + 365 * DAY, REFUSED_EXPIRED, false},
    {ORDER_PENDIENTE, true, CONFIRMED, REFUSED_HELD, true},
    {ORDER_PENDIENTE, true, DUE, REFUSED_HELD, true}, /* a held order never expires */
    {ORDER_PENDIENTE, true, DUE + 1, REFUSED_HELD, true},
    {ORDER_PENDIENTE, true, CONFIRMED + 29999 * MILLISECOND, REFUSED_HELD, true},
    {ORDER_PENDIENTE, true, WINDOW_END - 1, REFUSED_HELD, true},
    {ORDER_PENDIENTE, true, CONFIRMED + 30000 * MILLISECOND, REFUSED_HELD, true},
    {ORDER_PENDIENTE, true, CONFIRMED + 30001 * MILLISECOND, REFUSED_HELD, true},
    {ORDER_PENDIENTE, true, WINDOW_END + 365 * DAY, REFUSED_HELD, true},
    {ORDER_APROBADA, false, CONFIRMED, REFUSED_PAID, false},
    {ORDER_APROBADA, false, DUE, REFUSED_PAID, false},
    {ORDER_VENCIDA, false, CONFIRMED, REFUSED_EXPIRED, false},
    {ORDER_VENCIDA, false, DUE, REFUSED_EXPIRED, false},
    {ORDER_CANCELADA, false, CONFIRMED, REFUSED_DELETED, false},
    {ORDER_CANCELADA, false, DUE, REFUSED_DELETED, false},
    {ORDER_ANULADA, false, CONFIRMED, REFUSED_REFUNDED, false},
    {ORDER_ANULADA, false, DUE, REFUSED_REFUNDED, false},
};

START_TEST(is_payable_by_the_clock) {
    struct order order = {.state = PAYABLE[_i].state, .due_at = DUE};
    if (PAYABLE[_i].held) {
        order.held_by = 5;
        order.held_until = WINDOW_END;
    }
    ck_assert_int_eq(order_payable(&order, PAYABLE[_i].now), PAYABLE[_i].refusal);
    ck_assert(order_is_open(&order, PAYABLE[_i].now) == PAYABLE[_i].open);
}
END_TEST

/* Somebody may be paying it, or giving it a later due date. */
START_TEST(is_held_in_doubt) {
    struct order order = {.state = ORDER_PENDIENTE, .due_at = DUE, .in_doubt = true};
    ck_assert_int_eq(order_payable(&order, DUE + 1), REFUSED_HELD);
    ck_assert_int_eq(order_state_at(&order, DUE + 1), ORDER_PENDIENTE);
    ck_assert(!order_is_overdue(&order, DUE + 1));
    ck_assert_int_eq(porder_judge_change(&order, DUE + 1), REFUSED_TRY_AGAIN);
    order.in_doubt = false;
    ck_assert(order_is_overdue(&order, DUE));
    ck_assert(!order_is_overdue(&order, DUE - 1));
    order.held_by = 5;
    ck_assert(!order_is_overdue(&order, DUE));
}
END_TEST

/* The state that the refusal of a payment implies. */
START_TEST(has_a_state_by_the_clock) {
    static const enum order_state STATES[REFUSAL_COUNT] = {
        [GRANTED] = ORDER_PENDIENTE,       [REFUSED_HELD] = ORDER_PENDIENTE,    [REFUSED_PAID] = ORDER_APROBADA,
        [REFUSED_EXPIRED] = ORDER_VENCIDA, [REFUSED_DELETED] = ORDER_CANCELADA, [REFUSED_REFUNDED] = ORDER_ANULADA};
    struct order order = {.state = PAYABLE[_i].state, .due_at = DUE};
    if (PAYABLE[_i].held) {
        order.held_by = 5;
        order.held_until = WINDOW_END;
    }
    ck_assert_int_eq(order_state_at(&order, PAYABLE[_i].now), STATES[PAYABLE[_i].refusal]);
}
END_TEST

static const struct {
    const char *number;
    bool valid;
} NUMBERS[] = {{"a", true},  {"AZaz09_-", true}, {"", false},    {"a b", false}, {"a.b", false},
               {"ñ", false}, {"a\n", false},     {"a/b", false}, {"/", false}};

START_TEST(numbers_are_letters_digits_and_two_signs) {
    char longest[ORDER_NUMBER_MAX + 1];
    ck_assert_msg(order_number_is_valid(text_of(NUMBERS[_i].number)) == NUMBERS[_i].valid, "%s", NUMBERS[_i].number);
    memset(longest, 'x', sizeof longest);
    ck_assert(order_number_is_valid((struct text){longest, ORDER_NUMBER_MAX}));
    ck_assert(!order_number_is_valid((struct text){longest, ORDER_NUMBER_MAX + 1}));
}
END_TEST

static const struct {
    const char *due, *least, *most; /* least NULL: no limits */
    const char *amount;
    bool accepted;
} AMOUNTS[] = {
    {"45000", NULL, NULL, "45000", true},
    {"45000", NULL, NULL, "45000.00", true},
    {"45000", NULL, NULL, "45000.0001", false},
    {"45000", NULL, NULL, "44999.9999", false},
    {"45000", NULL, NULL, "0", false},
    {"0", NULL, NULL, "0", false},
    {"0", NULL, NULL, "0.0001", true},
    {"0", NULL, NULL, "999999999999999.9999", true},
    {"0", "100", "200", "99.9999", false},
    {"0", "100", "200", "100", true},
    {"0", "100", "200", "150", true},
    {"0", "100", "200", "200", true},
    {"0", "100", "200", "200.0001", false},
    {"0", "0", "200", "0", false},
    {"0", "0", "200", "0.0001", true},
    {"0", "0", "0", "0", false},
    {"150", "100", "200", "150", true}, /* only open orders have limits */
    {"150", "100", "200", "160", false},
    {"999999999999999.9999", NULL, NULL, "999999999999999.9999", true},
    {"999999999999999.9999", NULL, NULL, "999999999999999.9998", false},
};

static struct money money(const char *text) {
    struct money amount = {0};
    ck_assert(text == NULL || money_parse(text_of(text), &amount));
    return amount;
}

START_TEST(judges_amounts) {
    struct order order = {.amount = money(AMOUNTS[_i].due),
                          .has_limits = AMOUNTS[_i].least != NULL,
                          .least = money(AMOUNTS[_i].least),
                          .most = money(AMOUNTS[_i].most)};
    enum refusal expected = AMOUNTS[_i].accepted ? GRANTED : REFUSED_AMOUNT;
    ck_assert_int_eq(order_judge_amount(&order, money(AMOUNTS[_i].amount)), expected);
}
END_TEST

static const struct {
    enum order_state state;
    const char *name;
} STATES[] = {{ORDER_PENDIENTE, "PENDIENTE"},
              {ORDER_APROBADA, "APROBADA"},
              {ORDER_VENCIDA, "VENCIDA"},
              {ORDER_CANCELADA, "CANCELADA"},
              {ORDER_ANULADA, "ANULADA"}};

START_TEST(names_states_as_the_specification) {
    enum order_state state;
    ck_assert_str_eq(order_state_name(STATES[_i].state), STATES[_i].name);
    ck_assert(order_state_parse(text_of(STATES[_i].name), &state));
    ck_assert_int_eq(state, STATES[_i].state);
}
END_TEST

START_TEST(knows_no_other_names) {
    enum order_state state = ORDER_CANCELADA;
    enum order_origin origin;
    ck_assert(!order_state_parse(TEXT("pendiente"), &state));
    ck_assert(!order_state_parse(TEXT("PENDIENTE "), &state));
    ck_assert(!order_state_parse(TEXT(""), &state));
    ck_assert(order_origin_parse(TEXT("external"), &origin) && origin == ORIGIN_EXTERNAL);
    ck_assert(order_origin_parse(TEXT("imported"), &origin) && origin == ORIGIN_IMPORTED);
    ck_assert(order_origin_parse(TEXT("registered"), &origin) && origin == ORIGIN_REGISTERED);
    ck_assert(!order_origin_parse(TEXT(""), &origin));
    ck_assert(state == ORDER_CANCELADA && origin == ORIGIN_REGISTERED);
}
END_TEST

static const struct {
    const char *bytes;
    size_t size; /* what follows is no part of it */
    bool valid;
} EMAILS[] = {
    {"a@b", 3, true},    {"a@b@", 3, true},   {"a@b @", 3, true}, {"ana.n+1@example.com", 19, true},
    {"", 0, false},      {"@", 1, false},     {"a", 1, false},    {"@b", 2, false},
    {"a@", 2, false},    {"a@b", 2, false},   {"a@@b", 4, false}, {"a@b@", 4, false},
    {"a@b@c", 5, false}, {"a b@c", 5, false}, {"a@b ", 4, false}, {" a@b", 4, false},
};

START_TEST(an_email_has_one_at_and_no_space) {
    ck_assert_msg(order_email_is_valid((struct text){EMAILS[_i].bytes, EMAILS[_i].size}) == EMAILS[_i].valid, "%.*s",
                  (int)EMAILS[_i].size, EMAILS[_i].bytes);
}
END_TEST

TCase *order_tests(void) {
    TCase *tests = unit_case("order");
    add_table_test(tests, is_payable_by_the_clock, PAYABLE);
    tcase_add_test(tests, is_held_in_doubt);
    add_table_test(tests, has_a_state_by_the_clock, PAYABLE);
    add_table_test(tests, numbers_are_letters_digits_and_two_signs, NUMBERS);
    add_table_test(tests, judges_amounts, AMOUNTS);
    add_table_test(tests, names_states_as_the_specification, STATES);
    tcase_add_test(tests, knows_no_other_names);
    add_table_test(tests, an_email_has_one_at_and_no_space, EMAILS);
    return tests;
}
