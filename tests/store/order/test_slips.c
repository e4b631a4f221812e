#include "store.h"

#include "store/order/slips.h"

#include <inttypes.h>

#define TOKEN "0123456789abcdef0123456789abcdef"

static struct connection *by_worker;

static void set_up(void) {
    by_worker = database_connect(WORKER);
}

static void tear_down(void) {
    connection_close(by_worker);
}

/* Inserts an order with a known token. */
static uint64_t order_with_token(void) {
    uint64_t merchant = new_merchant(.name = "'shop'", .commerce = "'Tienda Única'");
    uint64_t id = new_order(.merchant_id = merchant, .po_id = "'PO-1'", .reference = "1000", .amount = "45000");
    database_run("UPDATE orders SET token = '" TOKEN "', language = 'en', country = 314 WHERE id = %" PRIu64, id);
    return id;
}

static struct slip found(void) {
    struct slip slip;
    ck_assert_int_eq(slips_find(by_worker, TEXT(TOKEN), arena, &slip), STATUS_OK);
    return slip;
}

START_TEST(finds_what_a_customer_may_see) {
    uint64_t id = order_with_token();
    struct slip slip = found();
    ck_assert_uint_eq(slip.order.id, id);
    assert_text(slip.order.reference, "1000");
    assert_text(slip.order.commerce, "Tienda Única");
    ck_assert(slip.order.merchant_enabled);
    assert_text(slip.po_id, "PO-1");
    assert_text(slip.language, "en");
    ck_assert_uint_eq(slip.country, 314);
    ck_assert(money_is_zero(slip.paid));
    ck_assert(slip.now > slip.order.due_at - 10 * 366 * DAY && order_payable(&slip.order, slip.now) == GRANTED);
}
END_TEST

START_TEST(an_order_without_a_country_has_its_merchants) {
    uint64_t id = order_with_token();
    database_run("UPDATE orders SET country = NULL WHERE id = %" PRIu64, id);
    ck_assert_uint_eq(found().country, 343);
}
END_TEST

START_TEST(tells_whether_the_merchant_is_enabled) {
    order_with_token();
    database_run("UPDATE merchants SET enabled = FALSE");
    ck_assert(!found().order.merchant_enabled);
}
END_TEST

static enum refusal payable_now(void) {
    struct slip slip = found();
    return order_payable(&slip.order, slip.now);
}

START_TEST(tells_what_was_paid) {
    uint64_t id = order_with_token();
    uint64_t payment = confirmed_payment(id, "123.45", IN_AN_HOUR);
    ck_assert_uint_eq(found().paid.units, 1234500);
    ck_assert_int_eq(payable_now(), REFUSED_HELD);
    approve(id, payment);
    ck_assert_uint_eq(found().paid.units, 1234500);
    ck_assert_int_eq(payable_now(), REFUSED_PAID);
}
END_TEST

static const char *const OTHERS[] = {"", "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcde",
                                     TOKEN "0", "' OR 1 = 1"};

START_TEST(finds_nothing_by_another_token) {
    struct slip slip;
    order_with_token();
    ck_assert_int_eq(slips_find(by_worker, text_of(OTHERS[_i]), arena, &slip), STATUS_NONE);
}
END_TEST

TCase *slips_tests(void) {
    TCase *tests = database_case("slips");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, finds_what_a_customer_may_see);
    tcase_add_test(tests, an_order_without_a_country_has_its_merchants);
    tcase_add_test(tests, tells_whether_the_merchant_is_enabled);
    tcase_add_test(tests, tells_what_was_paid);
    add_table_test(tests, finds_nothing_by_another_token, OTHERS);
    return tests;
}
