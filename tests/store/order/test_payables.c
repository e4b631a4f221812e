#include "store.h"

#include "store/order/orders_now.h"
#include "store/order/payables.h"
#include "store/party/merchants.h"

#include <inttypes.h>

static struct connection *worker;
static struct payable payable;

static void set_up(void) {
    worker = database_connect(WORKER);
}

static void tear_down(void) {
    connection_close(worker);
}

static void find(const char *reference) {
    memset(&payable, 0x55, sizeof payable);
    ck_assert_int_eq(payables_find(worker, text_of(reference), arena, &payable), STATUS_OK);
    ck_assert_int_eq(payables_find_closed(worker, text_of(reference), arena, &payable), STATUS_OK);
}

/* Such a case arises from the time before references had owners, or after the quarantine of a closed order. */
static void account_with_the_same_number(const char *reference) {
    database_run("DELETE FROM reference_owners WHERE reference = '%s'", reference);
    sample_account(reference);
}

START_TEST(finds_nothing) {
    find("1000");
    ck_assert(!payable.has_order);
    ck_assert(!payable.has_account);
}
END_TEST

START_TEST(finds_an_open_order_with_all_it_needs) {
    uint64_t merchant = new_merchant(.commerce = "'Tienda'");
    uint64_t id = new_order(.merchant_id = merchant, .reference = "0012345678", .amount = "0", .min_amount = "1.5",
                            .max_amount = "999999999999999.9999", .description = "'Zapatos ñ'", .origin = "'imported'",
                            .due_at = "TIMESTAMP'2999-12-31 23:59:59.999999'");
    find("0012345678");
    ck_assert(payable.has_order);
    ck_assert(!payable.has_account);
    const struct order *order = &payable.order;
    ck_assert_uint_eq(order->id, id);
    ck_assert_uint_eq(order->version, 1);
    ck_assert_int_eq(order->state, ORDER_PENDIENTE);
    ck_assert_int_eq(order->origin, ORIGIN_IMPORTED);
    ck_assert_uint_eq(order->merchant_id, merchant);
    assert_text(order->reference, "0012345678");
    assert_text(order->currency, "COP");
    assert_text(order->description, "Zapatos ñ");
    ck_assert(order->has_limits);
    ck_assert_uint_eq(order->amount.units, 0);
    ck_assert_uint_eq(order->least.units, 15000);
    ck_assert_uint_eq(order->most.units, UINT64_C(9999999999999999999));
    ck_assert_int_eq(order->due_at, 32503679999 * SECOND + 999999);
    ck_assert_uint_eq(order->held_by, 0);
    ck_assert_int_eq(order->held_until, 0);
    ck_assert_uint_eq(order->document.size, 0);
}
END_TEST

START_TEST(tells_the_database_clock) {
    uint64_t before = database_number("SELECT FLOOR(UNIX_TIMESTAMP(NOW(6)) * 1000000)");
    find("1000");
    uint64_t after = database_number("SELECT CEIL(UNIX_TIMESTAMP(NOW(6)) * 1000000)");
    ck_assert_uint_ge((uint64_t)payable.now, before);
    ck_assert_uint_le((uint64_t)payable.now, after);
}
END_TEST

START_TEST(finds_an_account) {
    uint64_t id = sample_account("CC-10203040");
    find("CC-10203040");
    ck_assert(!payable.has_order);
    ck_assert(payable.has_account);
    ck_assert_uint_eq(payable.account.id, id);
    assert_text(payable.account.document, "CC-10203040");
    assert_text(payable.account.document_type, "CC");
    assert_text(payable.account.name, "Ana");
    assert_text(payable.account.lastname1, "Paz");
    assert_text(payable.account.lastname2, "Sol");
    assert_text(payable.account.currency, "COP");
    find("cc-10203040");
    ck_assert(!payable.has_account);
}
END_TEST

START_TEST(references_are_texts_not_numbers) {
    uint64_t id = new_order(.reference = "0012");
    account_with_the_same_number("0012");
    find("0012");
    ck_assert(payable.has_order);
    ck_assert_uint_eq(payable.order.id, id);
    static const char *const OTHERS[] = {"12", "00012", "0012 ", " 0012", "", "12.0"};
    for (size_t i = 0; i < COUNT_OF(OTHERS); i++) {
        find(OTHERS[i]);
        ck_assert_msg(!payable.has_order && !payable.has_account, "'%s' finds something", OTHERS[i]);
    }
}
END_TEST

/* The condition of an order at this moment. */
enum condition { NONE, OPEN, OFFERED, OVERDUE, HELD, WINDOW_OVER, APPROVED, EXPIRED, DELETED, REFUNDED };

static const struct sample_order SAMPLES[] = {
    [OPEN] = {.due_at = IN_AN_HOUR},
    [OFFERED] = {.due_at = IN_AN_HOUR, .origin = "'external'"},
    [OVERDUE] = {.due_at = AN_HOUR_AGO},
    [HELD] = {.due_at = AN_HOUR_AGO, .held_by = "5", .held_until = IN_AN_HOUR},
    [WINDOW_OVER] = {.due_at = IN_AN_HOUR, .held_by = "5", .held_until = AN_HOUR_AGO},
    [APPROVED] = {.state = "'APROBADA'", .paid_by = "5"},
    [EXPIRED] = {.state = "'VENCIDA'", .due_at = AN_HOUR_AGO},
    [DELETED] = {.state = "'CANCELADA'"},
    [REFUNDED] = {.state = "'ANULADA'", .paid_by = "5"},
};

enum { ORDERS_MAX = 3 };

static const struct {
    enum condition orders[ORDERS_MAX]; /* of one reference, oldest first */
    bool account;
    int found; /* index of the order found; -1: none */
    enum payable_kind kind;
    enum refusal refusal;
} CASES[] = {
    {{OPEN}, false, 0, PAYABLE_ORDER, GRANTED},
    {{OVERDUE}, false, 0, PAYABLE_ORDER, REFUSED_EXPIRED},
    {{HELD}, false, 0, PAYABLE_ORDER, REFUSED_HELD},
    {{WINDOW_OVER}, false, 0, PAYABLE_ORDER, REFUSED_HELD},
    {{APPROVED}, false, 0, PAYABLE_ORDER, REFUSED_PAID},
    {{EXPIRED}, false, 0, PAYABLE_ORDER, REFUSED_EXPIRED},
    {{DELETED}, false, 0, PAYABLE_ORDER, REFUSED_DELETED},
    {{REFUNDED}, false, 0, PAYABLE_ORDER, REFUSED_REFUNDED},
    /* the open one, else the latest closed one */
    {{EXPIRED, OPEN}, false, 1, PAYABLE_ORDER, GRANTED},
    {{APPROVED, OVERDUE}, false, 1, PAYABLE_ORDER, REFUSED_EXPIRED},
    {{APPROVED, EXPIRED, DELETED}, false, 2, PAYABLE_ORDER, REFUSED_DELETED},
    {{DELETED, APPROVED}, false, 1, PAYABLE_ORDER, REFUSED_PAID},
    {{EXPIRED, DELETED, HELD}, false, 2, PAYABLE_ORDER, REFUSED_HELD},
    /* an account comes after an open order and before a closed one */
    {{OPEN}, true, 0, PAYABLE_ORDER, GRANTED},
    {{OFFERED}, false, 0, PAYABLE_ORDER, GRANTED},
    {{EXPIRED, OFFERED}, true, 1, PAYABLE_ACCOUNT, GRANTED},
    {{HELD}, true, 0, PAYABLE_ORDER, REFUSED_HELD},
    {{OVERDUE}, true, 0, PAYABLE_ACCOUNT, GRANTED},
    {{WINDOW_OVER}, true, 0, PAYABLE_ORDER, REFUSED_HELD},
    {{EXPIRED}, true, -1, PAYABLE_ACCOUNT, GRANTED},
    {{APPROVED, DELETED}, true, -1, PAYABLE_ACCOUNT, GRANTED},
    {{NONE}, true, -1, PAYABLE_ACCOUNT, GRANTED},
    {{NONE}, false, -1, PAYABLE_NOTHING, REFUSED_NO_SUCH_REFERENCE},
};

static void insert_case(int row, uint64_t ids[ORDERS_MAX]) {
    uint64_t merchant = new_merchant(.enabled = "TRUE");
    new_order(.reference = "999"); /* never found */
    for (int i = 0; i < ORDERS_MAX && CASES[row].orders[i] != NONE; i++) {
        struct sample_order order = SAMPLES[CASES[row].orders[i]];
        order.reference = "1000";
        order.merchant_id = merchant;
        ids[i] = insert_order(&order);
    }
    if (CASES[row].account) {
        account_with_the_same_number("1000");
    }
}

static void check_case(int row, const uint64_t ids[ORDERS_MAX]) {
    enum refusal refusal;
    payable.order.merchant_enabled = true;
    ck_assert_int_eq(payable_resolve(&payable, &refusal), CASES[row].kind);
    ck_assert_int_eq(refusal, CASES[row].refusal);
    /* beside an open order nobody needs the account */
    ck_assert(payable.has_account == CASES[row].account || CASES[row].kind == PAYABLE_ORDER);
    if (CASES[row].found >= 0) {
        ck_assert(payable.has_order);
        ck_assert_uint_eq(payable.order.id, ids[CASES[row].found]);
    }
}

START_TEST(finds_what_the_reference_stands_for) {
    uint64_t ids[ORDERS_MAX] = {0};
    insert_case(_i, ids);
    find("1000");
    check_case(_i, ids);
}
END_TEST

static struct payable first, last;
static struct payable_search searches[] = {{TEXT("2000"), NULL, &first, .with_accounts = false},
                                           {TEXT("1000"), NULL, &payable, .with_accounts = false},
                                           {TEXT("3000"), NULL, &last, .with_accounts = false}};
static struct payable_search *const all[] = {&searches[0], &searches[1], &searches[2]};
static struct payable_search *const not_open[] = {&searches[2], &searches[1]};

/* Between an open order and a closed one. `with_accounts`: of the first, which decides for all. */
static void find_with_others(bool with_accounts) {
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        searches[i].arena = arena;
        searches[i].with_accounts = with_accounts && i == 0;
        memset(searches[i].found, 0x55, sizeof first);
    }
    ck_assert_int_eq(payables_find_shared(worker, all, COUNT_OF(all), arena), STATUS_OK);
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        ck_assert_int_eq(searches[i].with_accounts, with_accounts);
    }
}

START_TEST(finds_with_others_what_it_finds_alone) {
    uint64_t ids[ORDERS_MAX] = {0};
    insert_case(_i, ids);
    uint64_t open = new_order(.reference = "2000"), expired = new_order(.reference = "3000", .state = "'VENCIDA'");
    find_with_others(true);
    ck_assert(first.has_order && first.order.id == open);
    ck_assert(!last.has_order && !last.has_account);
    size_t count = payable.has_order || payable.has_account ? 1 : 2;
    ck_assert_int_eq(payables_find_closed_shared(worker, not_open, count, arena), STATUS_OK);
    ck_assert(last.has_order && last.order.id == expired);
    check_case(_i, ids);
}
END_TEST

/* If nobody looks for the whole, exactly the open orders that no account and no offer is looked at for. */
START_TEST(finds_with_others_what_decides_alone) {
    uint64_t ids[ORDERS_MAX] = {0};
    insert_case(_i, ids);
    uint64_t open = new_order(.reference = "2000");
    new_order(.reference = "3000", .state = "'VENCIDA'");
    find("1000");
    bool decides =
        payable.has_order && payable.order.origin != ORIGIN_EXTERNAL && order_is_open(&payable.order, payable.now);
    find_with_others(false);
    ck_assert(first.has_order && first.order.id == open);
    ck_assert(!last.has_order);
    ck_assert_int_eq(payable.has_order, decides);
    ck_assert(!payable.has_account);
    if (decides) {
        check_case(_i, ids);
    }
}
END_TEST

/* An order that takes over a reference may be older than one that had it before. */
START_TEST(finds_an_open_order_that_is_not_the_newest) {
    uint64_t merchant = new_merchant(.enabled = "TRUE");
    uint64_t open = new_order(.reference = "1000", .merchant_id = merchant);
    uint64_t closed = new_order(.reference = "2000", .merchant_id = merchant, .state = "'VENCIDA'");
    database_run("DELETE FROM reference_owners");
    ck_assert_uint_gt(closed, open);
    database_run("UPDATE orders SET reference = '2000', changed_by = 'test' WHERE id = %" PRIu64, open);
    find("2000");
    ck_assert(payable.has_order);
    ck_assert_uint_eq(payable.order.id, open);
    struct order_now found;
    struct connection *operator_here = database_connect(OPERATOR);
    ck_assert_int_eq(orders_now_find_by_reference(operator_here, TEXT("2000"), arena, &found), STATUS_OK);
    ck_assert_uint_eq(found.id, open);
    connection_close(operator_here);
}
END_TEST

START_TEST(finds_the_same_for_a_registration) {
    uint64_t ids[ORDERS_MAX] = {0};
    bool exists = true;
    struct transaction transaction;
    insert_case(_i, ids);
    uint64_t network = sample_network("Red Norte");
    ck_assert_int_eq(
        payables_find_for(worker, TEXT("1000"), network, TEXT("TX"), arena, &payable, &exists, &transaction),
        STATUS_OK);
    ck_assert(!exists);
    check_case(_i, ids);
}
END_TEST

START_TEST(finds_the_networks_transaction_along) {
    uint64_t network = sample_network("Red Norte"), other = sample_network("Red Sur");
    uint64_t order = new_order(.reference = "1000");
    uint64_t id =
        new_transaction(.network_id = network, .order_id = order, .network_transaction = "'TX-1'", .amount = "45000.5",
                        .state = "'CONFIRMADA'", .window_ends_at = "TIMESTAMP'2999-12-31 23:59:59.5'");
    bool exists = false;
    struct transaction transaction;
    ck_assert_int_eq(
        payables_find_for(worker, TEXT("777"), network, TEXT("TX-1"), arena, &payable, &exists, &transaction),
        STATUS_OK);
    ck_assert(exists);
    ck_assert(!payable.has_order);
    ck_assert_uint_eq(transaction.id, id);
    ck_assert_uint_eq(transaction.order_id, order);
    ck_assert_uint_eq(transaction.account_id, 0);
    ck_assert_uint_eq(transaction.amount.units, 450005000);
    ck_assert_int_eq(transaction.state, TRANSACTION_CONFIRMADA);
    ck_assert_int_eq(transaction.window_ends_at, 32503679999 * SECOND + 500000);
    ck_assert_int_eq(transaction.fingerprint[0], 'f');
    ck_assert_int_eq(transaction.fingerprint[31], 'f');
    static const char *const OTHERS[] = {"tx-1", "TX-1 ", "TX-2"};
    for (size_t i = 0; i < COUNT_OF(OTHERS); i++) {
        ck_assert_int_eq(
            payables_find_for(worker, TEXT("777"), network, text_of(OTHERS[i]), arena, &payable, &exists, &transaction),
            STATUS_OK);
        ck_assert(!exists);
    }
    ck_assert_int_eq(
        payables_find_for(worker, TEXT("777"), other, TEXT("TX-1"), arena, &payable, &exists, &transaction), STATUS_OK);
    ck_assert(!exists);
}
END_TEST

START_TEST(finds_a_merchants_commerce) {
    uint64_t id = new_merchant(.commerce = "'Tienda Ñandú'", .enabled = "FALSE");
    struct text commerce;
    bool enabled = true;
    ck_assert_int_eq(merchants_find_commerce(worker, id, arena, &commerce, &enabled), STATUS_OK);
    assert_text(commerce, "Tienda Ñandú");
    ck_assert(!enabled);
    ck_assert_int_eq(merchants_find_commerce(worker, id + 1, arena, &commerce, &enabled), STATUS_NONE);
}
END_TEST

TCase *payables_tests(void) {
    TCase *tests = database_case("payables");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, finds_nothing);
    tcase_add_test(tests, finds_an_open_order_with_all_it_needs);
    tcase_add_test(tests, tells_the_database_clock);
    tcase_add_test(tests, finds_an_account);
    tcase_add_test(tests, references_are_texts_not_numbers);
    add_table_test(tests, finds_what_the_reference_stands_for, CASES);
    add_table_test(tests, finds_with_others_what_it_finds_alone, CASES);
    add_table_test(tests, finds_with_others_what_decides_alone, CASES);
    tcase_add_test(tests, finds_an_open_order_that_is_not_the_newest);
    add_table_test(tests, finds_the_same_for_a_registration, CASES);
    tcase_add_test(tests, finds_the_networks_transaction_along);
    tcase_add_test(tests, finds_a_merchants_commerce);
    return tests;
}
