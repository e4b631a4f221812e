#include "store.h"

#include "store/console/operations.h"
#include "store/console/places.h"

#include <inttypes.h>

/* Where the console's lists begin that end at an instant, and its pages of operations: those of settlements_each. */

#define NOON "'2030-05-05 12:00:00'"
#define FROM "TIMESTAMP'2026-01-10 05:00:00'"
#define TO   "TIMESTAMP'2026-01-11 05:00:00'"
#define JUST " INTERVAL 1 MICROSECOND"

static struct connection *console;
static struct console_reader all;
static struct arena *scratch;
static struct text said;
static uint64_t mine, other; /* merchants */

static void set_up(void) {
    said = TEXT("");
    console = database_connect(CONSOLE);
    scratch = arena_create();
    all = (struct console_reader){console, arena, {.everything = true}};
    mine = new_merchant(.name = "'mine'");
    other = new_merchant(.name = "'other'");
    database_run("TRUNCATE refunds; TRUNCATE settlement_items");
    database_run(EMPTY_TABLE("event_log")); /* other tests have written events of later years */
}

static void tear_down(void) {
    arena_destroy(scratch);
    connection_close(console);
    database_run("TRUNCATE refunds; TRUNCATE settlement_items");
}

/* Adds a row of the list at that instant. The orders are turn about of two merchants. */
static uint64_t add_row(enum console_list list, const char *at) {
    static unsigned number;
    const char *reference = arena_print(arena, "%u", ++number).at;
    database_run("SET timestamp = UNIX_TIMESTAMP(%s)", at);
    if (list == CONSOLE_ORDERS) {
        new_order(.merchant_id = number % 2 == 0 ? mine : other, .reference = reference);
    } else if (list == CONSOLE_TRANSACTIONS) {
        new_transaction(.account_id = sample_account(reference));
    } else if (list == CONSOLE_NOTIFICATIONS) {
        database_run("INSERT INTO notifications SET order_id = %s, merchant_id = 1, status = 'approved', amount = 5,"
                     " state = 'pending', payment_means = '', created_at = %s",
                     reference, at);
    } else {
        database_run(
            "INSERT INTO event_log SET at = %s, subject = 'setting', subject_id = 1, what = 'x', actor = 'eva'", at);
    }
    uint64_t id = database_number("SELECT LAST_INSERT_ID()");
    database_run("SET timestamp = DEFAULT");
    return id;
}

/* Up to a minute after the end of the list, rows may be out of order. */
static const char *const INSTANTS[] = {
    NOON " - INTERVAL 1 HOUR",   NOON " - INTERVAL 1 HOUR",          NOON,
    NOON " + INTERVAL 1 MINUTE", NOON " + INTERVAL 1 MINUTE +" JUST, NOON " + INTERVAL 1 HOUR"};
enum { ROWS = 6, LAST = 3 }; /* LAST: the place of the last one that may be of the list */

static enum status seek(const struct console_reader *reader, enum console_list list, uint64_t merchant, uint64_t *out) {
    struct console_place place = {.id = 77};
    const struct console_filter filter = {.until = database_instant(NOON), .merchant_id = merchant};
    enum status status = console_places_seek(reader, list, &filter, &place);
    *out = place.id;
    return status;
}

START_TEST(a_list_begins_a_minute_after_its_end) {
    uint64_t ids[ROWS], found;
    enum console_list list = (enum console_list)_i;
    for (size_t i = 0; i < ROWS; i++) {
        ids[i] = add_row(list, INSTANTS[i]);
    }
    ck_assert_int_eq(seek(&all, list, 0, &found), STATUS_OK);
    ck_assert_uint_gt(found, ids[LAST]);
    ck_assert_uint_le(found, ids[LAST + 1]);
    const struct console_reader none = {console, arena, {false, 0}};
    ck_assert_int_eq(seek(&none, list, 0, &found), STATUS_OK);
    ck_assert_uint_eq(found, 0);
}
END_TEST

static const enum console_list LISTS[] = {CONSOLE_ORDERS, CONSOLE_TRANSACTIONS};

/* Of one merchant, the lists of orders and of their transactions go by the orders. */
START_TEST(a_merchants_list_begins_at_its_own_order) {
    uint64_t found;
    for (size_t i = 0; i < ROWS; i++) {
        add_row(CONSOLE_ORDERS, i < 4 ? INSTANTS[0] : INSTANTS[ROWS - 1]);
    }
    uint64_t older =
        database_number("SELECT MAX(id) FROM orders WHERE merchant_id = %" PRIu64 " AND created_at < " NOON, mine);
    uint64_t newer =
        database_number("SELECT MIN(id) FROM orders WHERE merchant_id = %" PRIu64 " AND created_at > " NOON, mine);
    const struct console_reader own = {console, arena, {.merchant_id = mine}};
    ck_assert_int_eq(seek(&own, LISTS[_i], 0, &found), STATUS_OK);
    ck_assert(found > older && found <= newer);
    ck_assert_int_eq(seek(&all, LISTS[_i], mine, &found), STATUS_OK);
    ck_assert(found > older && found <= newer);
    ck_assert_int_eq(seek(&own, LISTS[_i], other, &found), STATUS_OK);
    ck_assert_uint_eq(found, 0);
}
END_TEST

/* Without an order at this place, the one before it; orders of others are passed by. */
START_TEST(a_place_has_the_time_of_its_order) {
    uint64_t first = new_order(.merchant_id = mine, .reference = "1"),
             between = new_order(.merchant_id = other, .reference = "2"),
             last = new_order(.merchant_id = mine, .reference = "3");
    const struct console_filter filter = {.merchant_id = mine};
    const struct {
        uint64_t place, order;
    } PLACES[] = {{first - 1, 0}, {first, first}, {between, first}, {last, last}, {last + 9, last}, {0, 0}};
    database_run("UPDATE orders SET created_at = '2030-01-01' + INTERVAL id SECOND");
    for (size_t i = 0; i < COUNT_OF(PLACES); i++) {
        struct console_place place = {.id = PLACES[i].place, .at = 0};
        ck_assert_int_eq(console_places_date(&all, &filter, &place), STATUS_OK);
        instant expected = PLACES[i].order == 0
                               ? 0
                               : database_instant(database_text("SELECT QUOTE(created_at) FROM orders WHERE id"
                                                                " = %" PRIu64,
                                                                PLACES[i].order));
        ck_assert_int_eq(place.at, expected);
    }
}
END_TEST

static void tell(void *context, const struct operation *operation) {
    size_t *count = context;
    char amount[MONEY_TEXT_SIZE];
    (*count)++;
    said = arena_print(arena, "%.*s%d-%d-%.*s-%.*s-%.*s-%.*s-%s ", TEXT_ARGS(said),
                       (int)((operation->at - database_instant(FROM)) / SECOND), (int)operation->kind,
                       TEXT_ARGS(operation->network), TEXT_ARGS(operation->transaction), TEXT_ARGS(operation->merchant),
                       TEXT_ARGS(operation->order), money_print(operation->amount, 2, amount));
}

/* Payments of many orders; among them those of one instant, and of instants at both ends. */
static const char *const ENDS[] = {FROM " -" JUST, FROM, TO " -" JUST, TO, FROM " + INTERVAL 5 SECOND"};

enum { PAYMENTS = 170 };

static void add_payments(uint64_t network) {
    uint64_t account = sample_account("P");
    for (unsigned i = 0; i < PAYMENTS; i++) {
        const char *reference = arena_print(arena, "9%03u", PAYMENTS - i).at;
        const char *when = i < 4 ? ENDS[i] : i == 5 ? FROM " + INTERVAL 1 SECOND" : ENDS[4];
        uint64_t order = i % 7 == 6 ? 0 : new_order(.merchant_id = i % 3 == 0 ? other : mine, .reference = reference);
        uint64_t id = new_transaction(.network_id = i % 5 == 0 ? network + 1 : network, .order_id = order,
                                      .account_id = order == 0 ? account : 0, .amount = reference,
                                      .state = i % 11 == 10 ? "'CONFIRMADA'"
                                               : i % 4 == 0 ? "'CANCELADA'"
                                                            : "'FINALIZADA'",
                                      .window_ends_at = when);
        database_run("UPDATE transactions SET cancelled_at = IF(cancelled_at IS NULL, NULL, %s) WHERE id = %" PRIu64,
                     when, id);
        if (order != 0) {
            database_run("INSERT INTO refunds (order_id, transaction_id, at) VALUES (%" PRIu64 ", %" PRIu64 ", %s)",
                         order, id, when);
        }
    }
}

static uint64_t collect(void) {
    database_run("INSERT IGNORE INTO settlement_items (transaction_id, kind, at) SELECT id, IF(state = 'CANCELADA',"
                 " 'cancelled', 'finalised'), settled_at FROM transactions WHERE state <> 'CONFIRMADA';"
                 "DO settlement_collect(1000)");
    return database_number("SELECT number FROM settlements WHERE is_open = 1");
}

/* All operations, page after page. */
static struct text console_pages(const struct console_reader *reader, const struct settlement_span *span, size_t most) {
    struct console_operation_place place = {.ended = false};
    size_t pages = 0, count = 0;
    said = TEXT("");
    for (; !place.ended && pages < 9; pages++) {
        size_t before = count;
        ck_assert_int_eq(console_operations_next(reader, span, &place, tell, &count), STATUS_OK);
        ck_assert_uint_le(count - before, most);
    }
    ck_assert(place.ended);
    return said;
}

static void assert_same_operations(const struct console_reader *reader, struct settlement_span span) {
    struct text shown = console_pages(reader, &span, 120);
    size_t count = 0;
    struct settlement_span reported = span;
    if (!reader->scope.everything) {
        reported.merchant_id = reader->scope.merchant_id;
    }
    said = TEXT("");
    ck_assert_int_eq(settlements_each(owner, &reported, scratch, tell, &count), STATUS_OK);
    ck_assert_uint_gt(count, 0);
    assert_text(shown, said.at);
}

START_TEST(pages_are_what_the_report_has) {
    uint64_t network = sample_network("a");
    sample_network("b");
    add_payments(network);
    uint64_t number = _i == 0 ? collect() : 0;
    const struct settlement_span span = {.number = number, .from = database_instant(FROM), .to = database_instant(TO)};
    const struct console_reader own = {console, arena, {.merchant_id = mine}}, none = {console, arena, {false, 0}};
    struct settlement_span part = span;
    assert_same_operations(&all, span);
    assert_same_operations(&own, span);
    part.network_id = network;
    assert_same_operations(&all, part);
    part.merchant_id = other;
    assert_same_operations(&all, part);
    assert_text(console_pages(&own, &part, 0), "");
    assert_text(console_pages(&none, &span, 0), "");
}
END_TEST

TCase *console_pages_tests(void) {
    TCase *tests = database_case("console_pages");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, a_list_begins_a_minute_after_its_end, CONSOLE_ORDERS, CONSOLE_EVENTS + 1);
    add_table_test(tests, a_merchants_list_begins_at_its_own_order, LISTS);
    tcase_add_test(tests, a_place_has_the_time_of_its_order);
    tcase_add_loop_test(tests, pages_are_what_the_report_has, 0, 2);
    return tests;
}
