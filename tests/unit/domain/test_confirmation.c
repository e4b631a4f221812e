#include "unit.h"

#include "domain/transaction.h"

#define CONFIRMED  (1795253400 * SECOND)
#define WINDOW_END (CONFIRMED + 30 * SECOND)

#define STANDS  CONFIRMATION_STANDS
#define CONFIRM CONFIRMATION_CONFIRM
#define CANCEL  CONFIRMATION_CANCEL

/* doc/protocol.md, "Transactions": every state, true and false, before, in and after the window. */
static const struct {
    enum transaction_state state;
    bool confirm;
    instant now;
    enum refusal refusal;
    enum confirmation_act act; /* if granted */
} CASES[] = {
    {TRANSACTION_REGISTRADA, true, CONFIRMED, GRANTED, CONFIRM},
    {TRANSACTION_REGISTRADA, false, CONFIRMED, GRANTED, CANCEL},
    {TRANSACTION_CONFIRMADA, true, CONFIRMED, GRANTED, STANDS},
    {TRANSACTION_CONFIRMADA, true, WINDOW_END - 1, GRANTED, STANDS},
    {TRANSACTION_CONFIRMADA, true, WINDOW_END, GRANTED, STANDS},
    {TRANSACTION_CONFIRMADA, true, WINDOW_END + DAY, GRANTED, STANDS},
    {TRANSACTION_CONFIRMADA, false, CONFIRMED, GRANTED, CANCEL},
    {TRANSACTION_CONFIRMADA, false, CONFIRMED + 29999 * MILLISECOND, GRANTED, CANCEL},
    {TRANSACTION_CONFIRMADA, false, WINDOW_END - 1, GRANTED, CANCEL},
    {TRANSACTION_CONFIRMADA, false, CONFIRMED + 30000 * MILLISECOND, REFUSED_WINDOW_CLOSED, STANDS},
    {TRANSACTION_CONFIRMADA, false, CONFIRMED + 30001 * MILLISECOND, REFUSED_WINDOW_CLOSED, STANDS},
    {TRANSACTION_CONFIRMADA, false, WINDOW_END + DAY, REFUSED_WINDOW_CLOSED, STANDS},
    {TRANSACTION_FINALIZADA, true, WINDOW_END, GRANTED, STANDS},
    {TRANSACTION_FINALIZADA, false, WINDOW_END, REFUSED_WINDOW_CLOSED, STANDS},
    {TRANSACTION_FINALIZADA, true, WINDOW_END + DAY, GRANTED, STANDS},
    {TRANSACTION_FINALIZADA, false, WINDOW_END + DAY, REFUSED_WINDOW_CLOSED, STANDS},
    {TRANSACTION_CANCELADA, true, CONFIRMED, REFUSED_TRANSACTION_CANCELLED, STANDS},
    {TRANSACTION_CANCELADA, true, WINDOW_END + DAY, REFUSED_TRANSACTION_CANCELLED, STANDS},
    {TRANSACTION_CANCELADA, false, CONFIRMED, GRANTED, STANDS},
    {TRANSACTION_CANCELADA, false, WINDOW_END + DAY, GRANTED, STANDS},
};

static struct transaction transaction_in(enum transaction_state state) {
    bool registered = state == TRANSACTION_REGISTRADA;
    return (struct transaction){.id = 9,
                                .state = state,
                                .amount = {450000000},
                                .currency = TEXT("COP"),
                                .window_ends_at = registered ? 0 : WINDOW_END};
}

/* Returns an order as a transaction in that state leaves it. */
static struct order order_with(enum transaction_state state) {
    struct order order = {.amount = {450000000}, .currency = TEXT("COP"), .due_at = CONFIRMED + 1};
    if (state == TRANSACTION_CONFIRMADA) {
        order.held_by = 9;
        order.held_until = WINDOW_END;
    } else if (state == TRANSACTION_FINALIZADA) {
        order.state = ORDER_APROBADA;
    }
    return order;
}

static void check_case(int row, const struct paid_thing *paid) {
    struct transaction transaction = transaction_in(CASES[row].state);
    enum confirmation_act act;
    ck_assert_int_eq(confirmation_judge(CASES[row].confirm, &transaction, paid, CASES[row].now, &act),
                     CASES[row].refusal);
    ck_assert(CASES[row].refusal != GRANTED || act == CASES[row].act);
}

START_TEST(judges_an_orders_payment) {
    struct order order = order_with(CASES[_i].state);
    check_case(_i, &(struct paid_thing){.order = &order});
}
END_TEST

START_TEST(judges_a_top_up) {
    struct paid_thing paid = {.room = {CASES[_i].state == TRANSACTION_REGISTRADA ? 450000000 : 0}};
    check_case(_i, &paid);
}
END_TEST

static const struct {
    uint64_t room;
    enum refusal refusal;
} ROOMS[] = {
    {450000000, GRANTED},
    {450000001, GRANTED},
    {449999999, REFUSED_ACCOUNT_FULL},
    {0, REFUSED_ACCOUNT_FULL},
};

START_TEST(the_first_true_needs_room_in_the_account) {
    struct transaction transaction = transaction_in(TRANSACTION_REGISTRADA);
    struct paid_thing paid = {.room = {ROOMS[_i].room}};
    enum confirmation_act act;
    ck_assert_int_eq(confirmation_judge(true, &transaction, &paid, CONFIRMED, &act), ROOMS[_i].refusal);
    ck_assert_int_eq(confirmation_judge(false, &transaction, &paid, CONFIRMED, &act), GRANTED);
}
END_TEST

static const struct {
    enum order_state state;
    instant due_at, held_until;
    uint64_t units; /* of the order's amount */
    enum refusal refusal;
} ORDERS[] = {
    {ORDER_PENDIENTE, CONFIRMED + 1, 0, 450000000, GRANTED},
    {ORDER_PENDIENTE, CONFIRMED + 1, 0, 0, GRANTED},
    {ORDER_PENDIENTE, CONFIRMED, 0, 450000000, REFUSED_EXPIRED},
    {ORDER_PENDIENTE, CONFIRMED - 1, 0, 450000000, REFUSED_EXPIRED},
    {ORDER_PENDIENTE, CONFIRMED + 1, CONFIRMED + 1, 450000000, REFUSED_HELD},
    {ORDER_PENDIENTE, CONFIRMED + 1, CONFIRMED, 450000000, REFUSED_HELD},
    {ORDER_APROBADA, CONFIRMED + 1, 0, 450000000, REFUSED_PAID},
    {ORDER_VENCIDA, CONFIRMED + 1, 0, 450000000, REFUSED_EXPIRED},
    {ORDER_CANCELADA, CONFIRMED + 1, 0, 450000000, REFUSED_DELETED},
    {ORDER_ANULADA, CONFIRMED + 1, 0, 450000000, REFUSED_REFUNDED},
    {ORDER_PENDIENTE, CONFIRMED + 1, 0, 450000001, REFUSED_AMOUNT},
    {ORDER_PENDIENTE, CONFIRMED, 0, 1, REFUSED_EXPIRED}, /* checked before the amount */
};

static struct order order_of(int row) {
    return (struct order){.state = ORDERS[row].state,
                          .due_at = ORDERS[row].due_at,
                          .held_by = ORDERS[row].held_until == 0 ? 0 : 8,
                          .held_until = ORDERS[row].held_until,
                          .amount = {ORDERS[row].units},
                          .currency = TEXT("COP")};
}

START_TEST(the_first_true_needs_a_payable_order) {
    struct transaction transaction = transaction_in(TRANSACTION_REGISTRADA);
    struct order order = order_of(_i);
    enum confirmation_act act;
    ck_assert_int_eq(confirmation_judge(true, &transaction, &(struct paid_thing){.order = &order}, CONFIRMED, &act),
                     ORDERS[_i].refusal);
    ck_assert(ORDERS[_i].refusal != GRANTED || act == CONFIRMATION_CONFIRM);
}
END_TEST

START_TEST(the_first_true_needs_the_currency_of_the_registration) {
    struct transaction transaction = transaction_in(TRANSACTION_REGISTRADA);
    struct order order = order_with(TRANSACTION_REGISTRADA);
    enum confirmation_act act;
    order.currency = TEXT("CRC");
    ck_assert_int_eq(confirmation_judge(true, &transaction, &(struct paid_thing){.order = &order}, CONFIRMED, &act),
                     REFUSED_CURRENCY);
    order.due_at = CONFIRMED;
    ck_assert_int_eq(confirmation_judge(true, &transaction, &(struct paid_thing){.order = &order}, CONFIRMED, &act),
                     REFUSED_EXPIRED);
}
END_TEST

/* Whatever the order's state, a registration can be given up. */
START_TEST(false_needs_nothing) {
    struct transaction transaction = transaction_in(TRANSACTION_REGISTRADA);
    struct order order = order_of(_i);
    enum confirmation_act act;
    ck_assert_int_eq(confirmation_judge(false, &transaction, &(struct paid_thing){.order = &order}, CONFIRMED, &act),
                     GRANTED);
    ck_assert_int_eq(act, CONFIRMATION_CANCEL);
}
END_TEST

static const struct {
    const char *name;
    bool valid;
    enum transaction_state state;
} STATES[] = {{"REGISTRADA", true, TRANSACTION_REGISTRADA},
              {"CONFIRMADA", true, TRANSACTION_CONFIRMADA},
              {"FINALIZADA", true, TRANSACTION_FINALIZADA},
              {"CANCELADA", true, TRANSACTION_CANCELADA},
              {"cancelada", false, 0},
              {"", false, 0}};

START_TEST(knows_states) {
    enum transaction_state state = TRANSACTION_FINALIZADA;
    ck_assert(transaction_state_parse(text_of(STATES[_i].name), &state) == STATES[_i].valid);
    ck_assert_int_eq(state, STATES[_i].valid ? STATES[_i].state : TRANSACTION_FINALIZADA);
}
END_TEST

TCase *confirmation_tests(void) {
    TCase *tests = unit_case("confirmation");
    add_table_test(tests, judges_an_orders_payment, CASES);
    add_table_test(tests, judges_a_top_up, CASES);
    add_table_test(tests, the_first_true_needs_room_in_the_account, ROOMS);
    add_table_test(tests, the_first_true_needs_a_payable_order, ORDERS);
    tcase_add_test(tests, the_first_true_needs_the_currency_of_the_registration);
    add_table_test(tests, false_needs_nothing, ORDERS);
    add_table_test(tests, knows_states, STATES);
    return tests;
}
