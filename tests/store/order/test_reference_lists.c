#include "store.h"

#include "store/order/references.h"
#include "store/payment/claims.h"

#include <inttypes.h>

/* What is told of references: whose one is, until when, which prefixes were given to whom, and who paid. The clock
 * stands still at noon. */

#define NOON      "'2030-05-05 12:00:00'"
#define BEFORE(n) NOON " - INTERVAL " #n " SECOND"
#define JUST      " + INTERVAL 1 MICROSECOND"

static struct text said;
static uint64_t north, south; /* merchants */

static void set_up(void) {
    said = TEXT("");
    database_stop_clock(owner, NOON);
    north = new_merchant(.name = "'north'");
    south = new_merchant(.name = "'south'");
}

static uint64_t add_order(uint64_t merchant, const char *reference, const char *state) {
    return new_order(.merchant_id = merchant, .reference = reference, .state = state);
}

/* Closes the order with this reference, which is kept for 90 days, so that it is kept until this moment. */
static void keep_until(const char *reference, const char *moment) {
    database_run("UPDATE reference_owners SET taken_at = %s - INTERVAL 90 DAY WHERE reference = '%s'", moment,
                 reference);
}

static const struct {
    const char *reference;
    const char *told; /* taken, an account's, whose, its open order, seconds from noon until it is free, kept, prefix */
} REFERENCES[] = {
    {"1001", "1 0 north open - 1  "},      {"1002", "1 0 south closed 0 0  "}, {"1003", "1 0 south closed 9 1  "},
    {"1004", "1 1  closed - 1  "},         {"1005", "0 0  closed - 0  "},      {"7771", "0 0  closed - 0 north "},
    {"7772", "1 0 south open - 1 north "},
};

static const char *describe(const char *reference) {
    struct reference_description it;
    instant noon = database_instant(NOON);
    ck_assert_int_eq(references_describe(owner, text_of(reference), arena, &it), STATUS_OK);
    const char *until = it.kept_until == 0 ? "-" : arena_print(arena, "%d", (int)((it.kept_until - noon) / SECOND)).at;
    return arena_print(arena, "%d %d %.*s %s %s %d %.*s ", it.is_taken, it.is_account, TEXT_ARGS(it.merchant),
                       it.open_order == 0 ? "closed" : "open", until, it.is_kept, TEXT_ARGS(it.prefix_merchant))
        .at;
}

START_TEST(a_reference_is_described) {
    add_order(south, "7772", "'PENDIENTE'");
    ck_assert_int_eq(references_give_prefix(owner, TEXT("777"), north, TEXT("test")), STATUS_OK);
    add_order(north, "1001", "'PENDIENTE'");
    add_order(south, "1002", "'CANCELADA'");
    add_order(south, "1003", "'CANCELADA'");
    keep_until("1002", NOON);
    keep_until("1003", NOON " + INTERVAL 9 SECOND");
    sample_account("1004");
    ck_assert_str_eq(describe(REFERENCES[_i].reference), REFERENCES[_i].told);
}
END_TEST

static void say_prefix(void *context, const struct reference_prefix *prefix) {
    (void)context;
    said = arena_print(arena, "%.*s%.*s %.*s %.*s; ", TEXT_ARGS(said), TEXT_ARGS(prefix->prefix),
                       TEXT_ARGS(prefix->merchant), TEXT_ARGS(prefix->changed_by));
}

static void give(const char *prefix, uint64_t merchant, const char *actor) {
    ck_assert_int_eq(references_give_prefix(owner, text_of(prefix), merchant, text_of(actor)), STATUS_OK);
}

START_TEST(prefixes_are_listed_until_they_are_taken_away) {
    struct text of_north;
    struct connection *by_operator = database_connect(OPERATOR);
    give("300", south, "Ana");
    give("500", north, "Ana");
    give("200", north, "Eva");
    give("400", north, "Ana");
    ck_assert_int_eq(references_take_prefix(by_operator, TEXT("400"), TEXT("Bob")), STATUS_OK);
    ck_assert_int_eq(references_take_prefix(by_operator, TEXT("400"), TEXT("Bob")), STATUS_CHANGED);
    connection_close(by_operator);
    ck_assert_int_eq(references_list_prefixes(owner, arena, say_prefix, NULL), STATUS_OK);
    assert_text(said, "200 north Eva; 300 south Ana; 500 north Ana; ");
    ck_assert_int_eq(references_prefixes_of(owner, north, arena, &of_north), STATUS_OK);
    assert_text(of_north, "200, 500");
    ck_assert_str_eq(database_text("SELECT actor FROM event_log ORDER BY id DESC LIMIT 1"), "Bob");
}
END_TEST

static const struct {
    const char *prefix;
    uint64_t most, count;
} OTHERS[] = {{"300", 9, 3}, {"300", 2, 2}, {"30", 9, 4}, {"301", 9, 1}, {"9", 9, 0}};

START_TEST(open_orders_of_others_under_a_prefix_are_counted) {
    static const char *const OF_SOUTH[] = {"300", "3000", "3009", "299", "301", "4"};
    uint64_t count;
    for (size_t i = 0; i < COUNT_OF(OF_SOUTH); i++) {
        add_order(south, OF_SOUTH[i], "'PENDIENTE'");
    }
    add_order(south, "3003", "'CANCELADA'");
    add_order(north, "3004", "'PENDIENTE'");
    ck_assert_int_eq(references_count_others(owner, text_of(OTHERS[_i].prefix), north, OTHERS[_i].most, &count),
                     STATUS_OK);
    ck_assert_uint_eq(count, OTHERS[_i].count);
}
END_TEST

START_TEST(a_merchants_quarantine_is_set) {
    static const struct text NORTH = TEXT("north");
    ck_assert_int_eq(references_set_quarantine(owner, NORTH, 5 * SECOND, TEXT("Ana")), STATUS_OK);
    ck_assert_int_eq(references_set_quarantine(owner, NORTH, 5 * SECOND, TEXT("Eva")), STATUS_CHANGED);
    ck_assert_int_eq(references_set_quarantine(owner, TEXT("west"), 5 * SECOND, TEXT("Eva")), STATUS_CHANGED);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', name, reference_quarantine, changed_by)"
                                   " ORDER BY name) FROM merchants"),
                     "north 5 Ana,south 7776000 test");
}
END_TEST

static void say_paid(void *context, const struct paid_order *order) {
    char amount[MONEY_TEXT_SIZE];
    (void)context;
    said = arena_print(arena, "%.*s%.*s %.*s %s %.*s; ", TEXT_ARGS(said), TEXT_ARGS(order->merchant),
                       TEXT_ARGS(order->po_id), money_print(order->amount, 2, amount), TEXT_ARGS(order->currency));
}

static uint64_t paid(uint64_t merchant, const char *po_id, const char *reference, const char *amount) {
    uint64_t order = new_order(.merchant_id = merchant, .po_id = po_id, .reference = reference);
    approve(order, confirmed_payment(order, amount, BEFORE(90)));
    return order;
}

/* Of one reference: an older payment, one whose window has just closed, and one whose window ends in a moment. */
START_TEST(what_was_paid_with_a_reference_is_listed) {
    database_run("UPDATE merchants SET reference_quarantine = 0");
    paid(north, "'A'", "1", "5.25");
    paid(south, "'B'", "1", "6");
    paid(south, "'C'", "2", "7");
    database_run("UPDATE orders SET state = 'ANULADA' WHERE id = %" PRIu64, paid(north, "'D'", "1", "8"));
    add_order(north, "1", "'CANCELADA'");
    uint64_t held = new_order(.merchant_id = north, .po_id = "'E'", .reference = "1");
    uint64_t payment = confirmed_payment(held, "9", NOON);
    ck_assert_int_eq(claims_list_paid(owner, TEXT("1"), arena, say_paid, NULL), STATUS_OK);
    assert_text(said, "north E 9.00 COP; south B 6.00 COP; north A 5.25 COP; ");
    said = TEXT("");
    database_run("UPDATE orders SET held_by = NULL, held_until = NULL WHERE id = %" PRIu64, held);
    database_run("UPDATE orders SET held_by = %" PRIu64 ", held_until = " NOON JUST " WHERE id = %" PRIu64, payment,
                 held);
    ck_assert_int_eq(claims_list_paid(owner, TEXT("1"), arena, say_paid, NULL), STATUS_OK);
    assert_text(said, "south B 6.00 COP; north A 5.25 COP; ");
}
END_TEST

TCase *reference_lists_tests(void) {
    TCase *tests = database_case("reference_lists");
    tcase_add_checked_fixture(tests, set_up, NULL);
    add_table_test(tests, a_reference_is_described, REFERENCES);
    tcase_add_test(tests, prefixes_are_listed_until_they_are_taken_away);
    add_table_test(tests, open_orders_of_others_under_a_prefix_are_counted, OTHERS);
    tcase_add_test(tests, a_merchants_quarantine_is_set);
    tcase_add_test(tests, what_was_paid_with_a_reference_is_listed);
    return tests;
}
