#include "store.h"

#include "store/payment/settlements.h"

#include <inttypes.h>

#define FROM "TIMESTAMP'2026-01-10 05:00:00'"
#define TO   "TIMESTAMP'2026-01-11 05:00:00'"

static struct connection *by_operator;
static struct arena *scratch;
static struct text story; /* "finalised 1 red T-1 shop PO-1 COP 5; " */

static void set_up(void) {
    by_operator = database_connect(OPERATOR);
    scratch = arena_create();
    story = TEXT("");
    database_run("TRUNCATE refunds"); /* from other tests */
}

static void tear_down(void) {
    arena_destroy(scratch);
    connection_close(by_operator);
}

static void tell(void *context, const struct operation *operation) {
    static const char *const KINDS[] = {"finalised", "cancelled", "refunded"};
    char amount[MONEY_TEXT_SIZE];
    (void)context;
    story = arena_print(arena, "%.*s%s %.*s %.*s %s; ", TEXT_ARGS(story), KINDS[operation->kind],
                        TEXT_ARGS(operation->transaction), TEXT_ARGS(operation->currency),
                        money_print(operation->amount, 0, amount));
}

static instant at(const char *sql) {
    return (instant)database_number("SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %s)", sql);
}

static const char *settled(uint64_t network_id, uint64_t merchant_id) {
    struct settlement_span span = {
        .from = at(FROM), .to = at(TO), .network_id = network_id, .merchant_id = merchant_id};
    story = TEXT("");
    ck_assert_int_eq(settlements_each(by_operator, &span, scratch, tell, NULL), STATUS_OK);
    return story.at;
}

/* Inserts a transaction with these instants; NULL: not set. */
static uint64_t transaction(const char *name, const char *state, const char *window_ends_at, const char *cancelled_at) {
    static unsigned number;
    const char *reference = arena_print(arena, "%u", ++number).at;
    uint64_t id = new_transaction(.order_id = new_order(.reference = reference, .state = "'VENCIDA'"),
                                  .network_transaction = arena_print(arena, "'%s'", name).at,
                                  .state = arena_print(arena, "'%s'", state).at, .window_ends_at = window_ends_at);
    if (cancelled_at != NULL) {
        database_run("UPDATE transactions SET cancelled_at = %s WHERE id = %" PRIu64, cancelled_at, id);
    }
    return id;
}

START_TEST(counts_at_the_instant_of_its_end) {
    transaction("before", "FINALIZADA", FROM " - INTERVAL 1 MICROSECOND", NULL);
    transaction("first", "FINALIZADA", FROM, NULL);
    transaction("last", "FINALIZADA", TO " - INTERVAL 1 MICROSECOND", NULL);
    transaction("after", "FINALIZADA", TO, NULL);
    transaction("not-yet-written", "CONFIRMADA", FROM " + INTERVAL 1 HOUR", NULL);
    transaction("registered", "REGISTRADA", NULL, NULL);
    transaction("cancelled-first", "CANCELADA", NULL, FROM);
    transaction("cancelled-in-time", "CANCELADA", TO " + INTERVAL 10 SECOND", TO " - INTERVAL 5 SECOND");
    transaction("cancelled-after", "CANCELADA", TO " - INTERVAL 1 SECOND", TO);
    ck_assert_str_eq(settled(0, 0), "finalised first COP 45000; cancelled cancelled-first COP 45000;"
                                    " cancelled cancelled-in-time COP 45000;"
                                    " finalised last COP 45000; ");
}
END_TEST

/* The clock alone does not make a payment final, because a cancellation may still commit. */
START_TEST(a_payment_counts_when_it_is_written) {
    uint64_t id = transaction("late", "CONFIRMADA", FROM, NULL);
    ck_assert_str_eq(settled(0, 0), "");
    database_run("UPDATE transactions SET state = 'FINALIZADA', finalised_at = " NOW " WHERE id = %" PRIu64, id);
    ck_assert_str_eq(settled(0, 0), "finalised late COP 45000; ");
}
END_TEST

/* The payment counts on its own day and stays there. */
START_TEST(a_refund_counts_when_it_was_made) {
    uint64_t order = new_order(.state = "'PENDIENTE'"),
             paid = new_transaction(.order_id = order, .state = "'FINALIZADA'", .network_transaction = "'T'",
                                    .amount = "7.25", .window_ends_at = FROM " - INTERVAL 1 DAY");
    ck_assert_str_eq(settled(0, 0), "");
    database_run("UPDATE orders SET state = 'APROBADA', paid_by = %" PRIu64 " WHERE id = %" PRIu64, paid, order);
    database_run("SET timestamp = UNIX_TIMESTAMP(" FROM ")");
    database_run("UPDATE orders SET state = 'ANULADA' WHERE id = %" PRIu64, order);
    database_run("SET timestamp = DEFAULT");
    ck_assert_str_eq(settled(0, 0), "refunded T COP 7.25; ");
    database_run("UPDATE orders SET email = NULL, changed_by = 'later'");
    ck_assert_str_eq(settled(0, 0), "refunded T COP 7.25; ");
}
END_TEST

START_TEST(only_a_networks_or_a_merchants) {
    uint64_t network = sample_network("red"), merchant = new_merchant(.name = "'shop'"), account = sample_account("D1");
    new_transaction(.network_id = network, .network_transaction = "'a'", .state = "'FINALIZADA'",
                    .window_ends_at = FROM, .order_id = new_order(.merchant_id = merchant));
    new_transaction(.network_transaction = "'b'", .state = "'FINALIZADA'",
                    .window_ends_at = FROM " + INTERVAL 1 SECOND",
                    .order_id = new_order(.merchant_id = merchant, .reference = "2"));
    new_transaction(.network_id = network, .network_transaction = "'top-up'", .state = "'FINALIZADA'",
                    .window_ends_at = FROM " + INTERVAL 2 SECOND", .account_id = account);
    ck_assert_str_eq(settled(0, 0), "finalised a COP 45000; finalised b COP 45000; finalised top-up COP 45000; ");
    ck_assert_str_eq(settled(network, 0), "finalised a COP 45000; finalised top-up COP 45000; ");
    ck_assert_str_eq(settled(0, merchant), "finalised a COP 45000; finalised b COP 45000; ");
    ck_assert_str_eq(settled(network + 1000, 0), "");
}
END_TEST

static void tell_parties(void *context, const struct operation *operation) {
    const struct operation *one = operation;
    (void)context;
    story = arena_print(arena, "%.*s%d %.*s/%.*s/%.*s; ", TEXT_ARGS(story), (int)(one->at - at(FROM)),
                        TEXT_ARGS(one->network), TEXT_ARGS(one->merchant), TEXT_ARGS(one->order));
}

START_TEST(names_both_parties_in_the_order_of_time_and_number) {
    uint64_t network = sample_network("red"), merchant = new_merchant(.name = "'shop'");
    struct settlement_span span = {.from = at(FROM), .to = at(TO)};
    for (int i = 0; i < 3; i++) {
        const char *po_id = arena_print(arena, "'PO-%d'", i).at;
        const char *reference = arena_print(arena, "%d", i).at;
        new_transaction(.network_id = network, .state = "'FINALIZADA'",
                        .window_ends_at = i == 0 ? FROM " + INTERVAL 1 MICROSECOND" : FROM,
                        .order_id = new_order(.merchant_id = merchant, .po_id = po_id, .reference = reference));
    }
    new_transaction(.network_id = network, .state = "'FINALIZADA'", .window_ends_at = FROM,
                    .account_id = sample_account("D2"));
    ck_assert_int_eq(settlements_each(by_operator, &span, scratch, tell_parties, NULL), STATUS_OK);
    assert_text(story, "0 red/shop/PO-1; 0 red/shop/PO-2; 0 red//; 1 red/shop/PO-0; ");
}
END_TEST

START_TEST(knows_the_zone_of_a_merchants_country_and_the_time) {
    struct text zone;
    instant now;
    uint64_t merchant = new_merchant(.name = "'shop'");
    ck_assert_int_eq(settlements_zone(by_operator, merchant, arena, &zone), STATUS_OK);
    assert_text(zone, "America/Bogota");
    instant before = at(NOW);
    ck_assert_int_eq(settlements_now(by_operator, &now), STATUS_OK);
    ck_assert_int_ge(now, before);
    ck_assert_int_le(now, at(NOW));
}
END_TEST

TCase *settlements_tests(void) {
    TCase *tests = database_case("settlements");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, counts_at_the_instant_of_its_end);
    tcase_add_test(tests, a_payment_counts_when_it_is_written);
    tcase_add_test(tests, a_refund_counts_when_it_was_made);
    tcase_add_test(tests, only_a_networks_or_a_merchants);
    tcase_add_test(tests, names_both_parties_in_the_order_of_time_and_number);
    tcase_add_test(tests, knows_the_zone_of_a_merchants_country_and_the_time);
    return tests;
}
