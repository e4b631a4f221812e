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

static const char *settled(uint64_t network_id, uint64_t merchant_id) {
    struct settlement_span span = {.from = database_instant(FROM),
                                   .to = database_instant(TO),
                                   .network_id = network_id,
                                   .merchant_id = merchant_id};
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
    database_run("INSERT INTO refunds (order_id, transaction_id, at) VALUES (%" PRIu64 ", %" PRIu64 ", " FROM ")",
                 order, paid);
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
    story = arena_print(arena, "%.*s%d %.*s/%.*s/%.*s; ", TEXT_ARGS(story), (int)(one->at - database_instant(FROM)),
                        TEXT_ARGS(one->network), TEXT_ARGS(one->merchant), TEXT_ARGS(one->order));
}

START_TEST(names_both_parties_in_the_order_of_time_and_number) {
    uint64_t network = sample_network("red"), merchant = new_merchant(.name = "'shop'");
    struct settlement_span span = {.from = database_instant(FROM), .to = database_instant(TO)};
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
    instant before = database_instant(NOW);
    ck_assert_int_eq(settlements_now(by_operator, &now), STATUS_OK);
    ck_assert_int_ge(now, before);
    ck_assert_int_le(now, database_instant(NOW));
}
END_TEST

static uint64_t open_settlement(void) {
    return database_number("SELECT number FROM settlements WHERE is_open = 1");
}

/* Adds an operation that is not collected yet. */
static void add_item(uint64_t payment, const char *kind, const char *at_instant) {
    database_run("INSERT INTO settlement_items (transaction_id, kind, at) VALUES (%" PRIu64 ", '%s', %s)", payment,
                 kind, at_instant);
}

enum { ITEMS = 5 };
static struct settlement_place places[ITEMS]; /* after each operation */

static void note_place(void *context, const struct operation *operation) {
    size_t *count = context;
    ck_assert_uint_lt(*count, ITEMS);
    places[(*count)++] =
        (struct settlement_place){.at = operation->at, .id = operation->id, .kind = (uint64_t)operation->kind + 1};
}

/* Several operations of one instant, two of one payment, and later ones of an earlier payment. */
START_TEST(a_page_begins_after_the_operation_read_last) {
    uint64_t ids[3];
    size_t count = 0, read;
    database_run("TRUNCATE settlement_items");
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        ids[i] = new_transaction(.account_id = sample_account(arena_print(arena, "P%zu", i).at));
    }
    add_item(ids[0], "finalised", FROM " + INTERVAL 1 SECOND");
    add_item(ids[0], "refunded", FROM " + INTERVAL 2 SECOND");
    add_item(ids[1], "refunded", FROM);
    add_item(ids[1], "finalised", FROM);
    add_item(ids[2], "cancelled", FROM);
    database_run("DO settlement_collect(9)");
    const struct settlement_span span = {.number = open_settlement()};
    ck_assert_int_eq(settlements_each(by_operator, &span, scratch, note_place, &count), STATUS_OK);
    ck_assert_uint_eq(count, ITEMS);
    for (size_t first = 0; first <= ITEMS; first++) {
        struct settlement_place expected[ITEMS], place = {.number = span.number};
        memcpy(expected, places, sizeof places);
        if (first > 0) {
            place = expected[first - 1];
            place.number = span.number;
        }
        read = 0;
        ck_assert_int_eq(settlements_page(by_operator, &place, scratch, note_place, &read), STATUS_OK);
        ck_assert_uint_eq(read, ITEMS - first);
        ck_assert_uint_eq(place.read, read);
        for (size_t i = 0; i < read; i++) {
            ck_assert(places[i].at == expected[first + i].at && places[i].id == expected[first + i].id &&
                      places[i].kind == expected[first + i].kind);
        }
        memcpy(places, expected, sizeof places);
    }
}
END_TEST

/* How far an operation has come, and whether it waits for a settlement to be closed. */
static const struct {
    const char *name;
    bool waits;
} STAGES[] = {{"in its window", true}, {"not collected", true}, {"collected", true}, {"closed", false}};

static const struct {
    const char *at;
    bool is_within;
} INSTANTS_OF_DAY[] = {
    {FROM " - INTERVAL 1 MICROSECOND", false}, {FROM, true}, {TO " - INTERVAL 1 MICROSECOND", true}, {TO, false}};

START_TEST(what_no_closed_settlement_has_is_found) {
    size_t stage = (size_t)_i % COUNT_OF(STAGES), moment = (size_t)_i / COUNT_OF(STAGES);
    bool is_within = INSTANTS_OF_DAY[moment].is_within, any = !is_within;
    uint64_t open = open_settlement(), since_then = 77;
    struct text with_day = TEXT("?");
    database_run("TRUNCATE settlement_items");
    uint64_t id = new_transaction(.account_id = sample_account("P"), .state = stage == 0 ? "'CONFIRMADA'" : NULL,
                                  .window_ends_at = stage == 0 ? INSTANTS_OF_DAY[moment].at : NULL);
    if (stage > 0) {
        add_item(id, "cancelled", INSTANTS_OF_DAY[moment].at);
    }
    if (stage > 1) {
        ck_assert_uint_eq(database_number("SELECT settlement_collect(9)"), 1);
    }
    if (stage > 2) {
        ck_assert_uint_eq(database_number("SELECT settlement_close(%" PRIu64 ", 'eva', NULL, NULL, NULL)", open), 1);
    }
    ck_assert_int_eq(settlements_find_unsettled(by_operator, database_instant(FROM), database_instant(TO), &any),
                     STATUS_OK);
    ck_assert_int_eq(any, is_within && STAGES[stage].waits);
    ck_assert_int_eq(settlements_with_day(by_operator, database_instant(FROM), database_instant(TO), arena, &with_day),
                     STATUS_OK);
    assert_text(with_day, is_within && !STAGES[stage].waits ? arena_print(arena, "%" PRIu64, open).at : "");
    ck_assert_int_eq(settlements_count_since(by_operator, open, database_instant(FROM), &since_then), STATUS_OK);
    ck_assert_uint_eq(since_then, stage > 1 && moment > 0 ? 1 : 0);
}
END_TEST

/* Each is of another payment in truth; the table of items takes one of each payment. */
static void add_refund(unsigned order, uint64_t paid, const char *when) {
    database_run("TRUNCATE settlement_items; INSERT INTO refunds (order_id, transaction_id, at) VALUES (%u, %" PRIu64
                 ", %s)",
                 order, paid, when);
}

START_TEST(refunds_count_at_their_instant) {
    uint64_t paid = transaction("T", "FINALIZADA", FROM " - INTERVAL 1 DAY", NULL);
    add_refund(1, paid, FROM " - INTERVAL 1 MICROSECOND");
    add_refund(2, paid, TO);
    ck_assert_str_eq(settled(0, 0), "");
    add_refund(3, paid, FROM);
    ck_assert_str_eq(settled(0, 0), "refunded T COP 45000; ");
    add_refund(4, paid, TO " - INTERVAL 1 MICROSECOND");
    ck_assert_str_eq(settled(0, 0), "refunded T COP 45000; refunded T COP 45000; ");
}
END_TEST

/* One payment is not collected yet. */
START_TEST(only_what_a_settlement_has) {
    database_run("TRUNCATE settlement_items");
    uint64_t final = transaction("final", "FINALIZADA", FROM, NULL);
    add_item(final, "finalised", FROM);
    add_item(transaction("cancelled", "CANCELADA", NULL, FROM), "cancelled", FROM);
    database_run("INSERT INTO refunds (order_id, transaction_id, at) VALUES (7, %" PRIu64 ", " FROM ")", final);
    ck_assert_uint_eq(database_number("SELECT settlement_collect(9)"), 3);
    add_item(transaction("late", "FINALIZADA", FROM, NULL), "finalised", FROM);
    struct settlement_span span = {
        .from = database_instant(FROM), .to = database_instant(TO), .among = open_settlement()};
    ck_assert_int_eq(settlements_each(by_operator, &span, scratch, tell, NULL), STATUS_OK);
    assert_text(story, "finalised final COP 45000; cancelled cancelled COP 45000; refunded final COP 45000; ");
    story = TEXT("");
    span.among++;
    ck_assert_int_eq(settlements_each(by_operator, &span, scratch, tell, NULL), STATUS_OK);
    assert_text(story, "");
}
END_TEST

START_TEST(all_settlements_of_a_day_are_named) {
    struct text with_day = TEXT("?");
    uint64_t first = open_settlement();
    database_run("TRUNCATE settlement_items");
    for (uint64_t number = first; number < first + 2; number++) {
        uint64_t id = new_transaction(.account_id = sample_account(arena_print(arena, "P%" PRIu64, number).at));
        add_item(id, "finalised", FROM);
        add_item(id, "refunded", FROM);
        ck_assert_uint_eq(database_number("SELECT settlement_collect(9)"), 2);
        ck_assert_uint_eq(database_number("SELECT settlement_close(%" PRIu64 ", 'eva', NULL, NULL, NULL)", number), 1);
    }
    ck_assert_int_eq(settlements_with_day(by_operator, database_instant(FROM), database_instant(TO), arena, &with_day),
                     STATUS_OK);
    assert_text(with_day, arena_print(arena, "%" PRIu64 ", %" PRIu64, first, first + 1).at);
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
    tcase_add_test(tests, a_page_begins_after_the_operation_read_last);
    tcase_add_loop_test(tests, what_no_closed_settlement_has_is_found, 0,
                        (int)(COUNT_OF(STAGES) * COUNT_OF(INSTANTS_OF_DAY)));
    tcase_add_test(tests, refunds_count_at_their_instant);
    tcase_add_test(tests, only_what_a_settlement_has);
    tcase_add_test(tests, all_settlements_of_a_day_are_named);
    return tests;
}
