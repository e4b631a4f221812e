#include "unit.h"

#include "wire/merchant/porder_reply.h"

#include <errno.h>

static struct arena *arena;

static void set_up(void) {
    arena = arena_create();
}

static void tear_down(void) {
    arena_destroy(arena);
}

static struct porder_written written(void) {
    return (struct porder_written){
        123, TEXT("PO-1"), TEXT("90972200867"), {450000000}, TEXT("pay.example.com/pay?token=ab")};
}

START_TEST(tells_what_was_stored) {
    const struct porder_written order = written();
    assert_text(
        porder_reply_stored(&order, "CREADA", arena).body,
        "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DESC\":\"OK\",\"DATA\":{\"Monto\":\"45000.0\",\"Operacion\":\"CREADA\","
        "\"OrdenID\":\"PO-1\",\"PVordenID\":\"123\",\"Referencia\":\"90972200867\","
        "\"checkout\":\"pay.example.com/pay?token=ab\"}}");
}
END_TEST

static const struct {
    uint64_t units;
    const char *printed;
} ENDED[] = {{450000000, "45000.0"}, {450000500, "45000.05"}};

START_TEST(tells_what_was_ended) {
    struct porder_written order = written();
    order.amount = (struct money){ENDED[_i].units};
    struct text expected = arena_print(
        arena,
        "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DESC\":\"OK\",\"DATA\":{\"OrderID\":\"PO-1\",\"Amount\":\"%s\","
        "\"PVOrderID\":\"123\",\"Reference\":\"90972200867\",\"Operation\":\"DELETED\"}}",
        ENDED[_i].printed);
    assert_text(porder_reply_ended(&order, "DELETED", arena).body, expected.at);
}
END_TEST

/* An allocation that failed before, and was dealt with, is none of this reply's. */
START_TEST(an_error_of_before_is_not_its_own) {
    errno = ENOMEM;
    assert_text(
        porder_reply_plugin_keys(arena).body,
        "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DESC\":\"OK\",\"DATA\":{\"Token\":\"\",\"AmbProd\":\"Produccion\","
        "\"AmbSand\":\"Pruebas\",\"AmbDev\":\"Desarrollo\"}}");
}
END_TEST

#define STATE_START                                                                                                    \
    "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DESC\":\"OK\",\"DATA\":{\"CODE\":123,\"ORDER\":\"PO-1\","                    \
    "\"REFERENCE\":\"90972200867\",\"AMOUNT\":\"45000.00\",\"CURRENCY\":\"COP\",\"STATE\":\"APROBADA\","               \
    "\"DESCRIPTION\":\"a/b\",\"EMAIL\":\"a@b.c\",\"PAYMNENT_METHOD\":\"PSE\",\"CREATION_DATE\":\"2026-11-21 "          \
    "09:30:00\","                                                                                                      \
    "\"UDPATE_DATE\":\"2026-11-21 10:30:00\",\"LIFE_TIME\":\"445h\",\"NOTIFICATION_RESPONSE\":\"OK\",\"TRANSACTION\":"
#define STATE_END ",\"ADITIONAL_INFO\":{},\"checkout\":\"pay.example.com/pay?token=ab\"}}"

START_TEST(tells_the_state) {
    const instant at = 1795253400 * SECOND;
    struct porder_state state = {.order = written(),
                                 .currency = TEXT("COP"),
                                 .description = TEXT("a/b"),
                                 .email = TEXT("a@b.c"),
                                 .payment_means = TEXT("PSE"),
                                 .state = ORDER_APROBADA,
                                 .created_at = at,
                                 .changed_at = at + HOUR + 999999,
                                 .lives = 445 * HOUR + 59 * MINUTE,
                                 .notification_response = TEXT("OK"),
                                 .transaction_id = 77,
                                 .network = TEXT("Red"),
                                 .paid = {450000000},
                                 .paid_at = at + MINUTE};
    assert_text(porder_reply_state(&state, arena).body, STATE_START "{}" STATE_END);
    state.has_transaction = true;
    assert_text(porder_reply_state(&state, arena).body,
                STATE_START "{\"IDSERVICE\":\"77\",\"DATE\":\"2026-11-21 09:31:00\",\"AMOUNT\":\"45000.00\","
                            "\"NETWORK\":\"Red\"}" STATE_END);
}
END_TEST

START_TEST(describes_refusals) {
    const struct fault fault = {.field = "email", .problem = "is missing"};
    struct reply reply = porder_reply_refusal(REFUSED_FIELD, &fault, arena);
    assert_text(reply.body, "{\"CODE\":\"0011\",\"TEXT\":\"field not valid: email is missing\","
                            "\"DESC\":\"field not valid: email is missing\"}");
    ck_assert_int_eq(reply.http_status, 200);
}
END_TEST

TCase *porder_reply_tests(void) {
    TCase *tests = unit_case("porder_reply");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, tells_what_was_stored);
    add_table_test(tests, tells_what_was_ended, ENDED);
    tcase_add_test(tests, an_error_of_before_is_not_its_own);
    tcase_add_test(tests, tells_the_state);
    tcase_add_test(tests, describes_refusals);
    return tests;
}
