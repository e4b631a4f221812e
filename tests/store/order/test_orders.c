#include "store.h"

#include "store/order/orders.h"

#include <inttypes.h>

#define ACTOR TEXT("operator:ana")

static struct connection *by_operator;
static uint64_t merchant;

static void set_up(void) {
    by_operator = database_connect(OPERATOR);
    merchant = new_merchant(.name = "'shop'");
}

static void tear_down(void) {
    connection_close(by_operator);
}

/* Returns an instant in an hour, by the database's clock. */
static instant in_an_hour(void) {
    return (instant)database_number("SELECT FLOOR(UNIX_TIMESTAMP(NOW(6)) * 1000000)") + HOUR;
}

static struct new_order order_of(const char *po_id, const char *reference) {
    return (struct new_order){.merchant_id = merchant,
                              .po_id = text_of(po_id),
                              .reference = text_of(reference),
                              .amount = {UINT64_C(9999999999999999999)},
                              .currency = TEXT("COP"),
                              .origin = TEXT("registered"),
                              .due_at = in_an_hour()};
}

static enum status insert(const struct new_order *order, enum order_clash *clash) {
    uint64_t id = 0;
    enum status status = orders_insert(by_operator, order, ACTOR, &id, clash);
    ck_assert(status != STATUS_OK || id == database_number("SELECT MAX(id) FROM orders"));
    return status;
}

#define ALL_COLUMNS                                                                                                    \
    "CONCAT_WS('|', po_id, reference, state, version, amount, currency, description, payment_means, email, document,"  \
    " document_type, customer_name, origin, changed_by)"

START_TEST(stores_an_order_as_it_is) {
    enum order_clash clash;
    struct new_order order = order_of("PO-1", "0012345678");
    order.description = TEXT("Zapatos \"nº 5\" \\ ñ");
    order.payment_means = TEXT("EFECTIVO");
    order.email = TEXT("a@b.c");
    order.document = TEXT("10203040");
    order.document_type = TEXT("CC");
    order.customer_name = TEXT("Ana Ñúñez");
    ck_assert_int_eq(insert(&order, &clash), STATUS_OK);
    ck_assert_str_eq(
        database_text("SELECT " ALL_COLUMNS " FROM orders"),
        "PO-1|0012345678|PENDIENTE|1|999999999999999.9999|COP|Zapatos \"nº 5\" \\ ñ|EFECTIVO|a@b.c|10203040|CC|"
        "Ana Ñúñez|registered|operator:ana");
    ck_assert_uint_eq(database_number("SELECT FLOOR(UNIX_TIMESTAMP(due_at) * 1000000) FROM orders"),
                      (uint64_t)order.due_at);
}
END_TEST

START_TEST(what_is_not_given_is_null) {
    enum order_clash clash;
    struct new_order order = order_of("PO-1", "1");
    ck_assert_int_eq(insert(&order, &clash), STATUS_OK);
    ck_assert_uint_eq(
        database_number("SELECT COUNT(*) FROM orders WHERE description = '' AND payment_means IS NULL AND"
                        " email IS NULL AND document IS NULL AND document_type IS NULL AND customer_name IS NULL"),
        1);
}
END_TEST

static const struct {
    const char *po_id, *reference;
    enum status status;
    enum order_clash clash;
} CLASHES[] = {
    {"PO-1", "2000", STATUS_CLASH, CLASH_ORDER_NUMBER},
    {"PO-2", "1000", STATUS_CLASH, CLASH_REFERENCE},
    {"po-1", "2000", STATUS_OK, 0},
    {"PO-2", "01000", STATUS_OK, 0},
};

START_TEST(tells_which_key_is_taken) {
    enum order_clash clash;
    struct new_order first = order_of("PO-1", "1000"), second = order_of(CLASHES[_i].po_id, CLASHES[_i].reference);
    ck_assert_int_eq(insert(&first, &clash), STATUS_OK);
    ck_assert_int_eq(insert(&second, &clash), CLASHES[_i].status);
    ck_assert(CLASHES[_i].status == STATUS_OK || clash == CLASHES[_i].clash);
}
END_TEST

START_TEST(a_due_date_must_be_in_the_future) {
    enum order_clash clash;
    struct new_order order = order_of("PO-1", "1");
    order.due_at -= HOUR;
    ck_assert_int_eq(insert(&order, &clash), STATUS_CHANGED);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders"), 0);
}
END_TEST

/* The obstacles that were reported, and how to react to them. */
static struct {
    struct order_obstacle obstacles[10];
    size_t count;
    struct batch_order *orders;
    const char *new_reference; /* NULL: the order is taken out */
    bool stored;
} met;

static bool judge(void *context, const struct order_obstacle *obstacle) {
    (void)context;
    ck_assert_uint_lt(met.count, COUNT_OF(met.obstacles));
    met.obstacles[met.count++] = *obstacle;
    struct batch_order *order = &met.orders[obstacle->at];
    order->included = met.new_reference != NULL;
    if (met.new_reference != NULL) {
        order->order.reference = text_of(met.new_reference);
    }
    return met.new_reference != NULL;
}

static enum status insert_all(struct batch_order *orders, size_t count) {
    struct order_batch batch = {orders, count, ACTOR, judge, NULL, false};
    met.orders = orders;
    enum status status = orders_insert_all(by_operator, &batch);
    met.stored = batch.stored;
    return status;
}

static struct batch_order batch_order_of(size_t number) {
    return (struct batch_order){
        order_of(arena_print(arena, "PO-%zu", number).at, arena_print(arena, "%zu", 1000000 + number).at), true};
}

START_TEST(stores_many_at_once) {
    enum { COUNT = 2345 }; /* more than two batches */
    struct batch_order *orders = arena_alloc(arena, COUNT * sizeof *orders);
    for (size_t i = 0; i < COUNT; i++) {
        orders[i] = batch_order_of(i);
        orders[i].order.amount = (struct money){i + 1};
        orders[i].order.description = TEXT("Zapatos \"nº 5\" \\ / ñ");
    }
    ck_assert_int_eq(insert_all(orders, COUNT), STATUS_OK);
    ck_assert(met.stored);
    ck_assert_uint_eq(met.count, 0);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', COUNT(*), COUNT(DISTINCT reference), SUM(amount), MIN(description),"
                      " MAX(description)) FROM orders"),
        "2345 2345 275.0685 Zapatos \"nº 5\" \\ / ñ Zapatos \"nº 5\" \\ / ñ");
}
END_TEST

/* Obstacles for the second of three orders. */
static const struct {
    bool same_number, same_reference, is_document, is_due;
} OBSTACLES[] = {{true, false, false, false},
                 {false, true, false, false},
                 {false, false, true, false},
                 {false, false, false, true},
                 {true, true, false, true}};

static void put_obstacle(int row, struct batch_order *order) {
    if (OBSTACLES[row].same_number) {
        new_order(.merchant_id = merchant, .po_id = "'PO-2'", .reference = "77");
    }
    if (OBSTACLES[row].same_reference) {
        new_order(.reference = "1000002");
    }
    if (OBSTACLES[row].is_document) {
        sample_account("1000002");
    }
    if (OBSTACLES[row].is_due) {
        order->order.due_at -= HOUR;
    }
}

START_TEST(all_or_nothing) {
    struct batch_order orders[3] = {batch_order_of(1), batch_order_of(2), batch_order_of(3)};
    put_obstacle(_i, &orders[1]);
    uint64_t before = database_number("SELECT COUNT(*) FROM orders");
    ck_assert_int_eq(insert_all(orders, 3), STATUS_OK);
    ck_assert(!met.stored);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders"), before);
    ck_assert_uint_eq(met.count, 1);
    const struct order_obstacle *obstacle = &met.obstacles[0];
    ck_assert_uint_eq(obstacle->at, 1);
    ck_assert((obstacle->same_number != 0) == OBSTACLES[_i].same_number);
    ck_assert((obstacle->same_reference != 0) == OBSTACLES[_i].same_reference);
    ck_assert(obstacle->is_document == OBSTACLES[_i].is_document);
    ck_assert(obstacle->is_due == OBSTACLES[_i].is_due);
}
END_TEST

START_TEST(what_was_closed_stands_in_nobodys_way) {
    struct batch_order orders[1] = {batch_order_of(2)};
    new_order(.merchant_id = merchant, .po_id = "'old'", .reference = "1000002", .state = "'VENCIDA'");
    new_order(.po_id = "'PO-2'", .reference = "77"); /* of another merchant */
    ck_assert_int_eq(insert_all(orders, 1), STATUS_OK);
    ck_assert_uint_eq(met.count, 0);
}
END_TEST

START_TEST(a_new_reference_is_looked_at_again) {
    struct batch_order orders[2] = {batch_order_of(1), batch_order_of(2)};
    new_order(.reference = "1000002");
    met.new_reference = "5000";
    ck_assert_int_eq(insert_all(orders, 2), STATUS_OK);
    ck_assert_uint_eq(met.count, 1);
    ck_assert_uint_eq(
        database_number("SELECT reference FROM orders WHERE po_id = 'PO-2' AND merchant_id = %" PRIu64, merchant),
        5000);
}
END_TEST

START_TEST(two_of_the_batch_with_one_reference_are_a_clash) {
    struct batch_order orders[2] = {batch_order_of(1), batch_order_of(2)};
    orders[1].order.reference = orders[0].order.reference;
    ck_assert_int_eq(insert_all(orders, 2), STATUS_CLASH);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders"), 0);
    ck_assert(!connection_in_transaction(by_operator));
}
END_TEST

#define NOON "'2030-05-05 12:00:00'"

/* Due so many microseconds after this moment, alone and in a batch. */
static const struct {
    instant due_after;
    bool is_stored;
} DUE[] = {{0, false}, {1, true}};

START_TEST(an_order_must_be_due_later_than_now) {
    enum order_clash clash;
    struct new_order order = order_of("PO-1", "1");
    struct batch_order batch = batch_order_of(2);
    database_stop_clock(by_operator, NOON);
    order.due_at = database_instant(NOON);
    order.due_at += DUE[_i].due_after;
    batch.order.due_at = order.due_at;
    ck_assert_int_eq(insert(&order, &clash), DUE[_i].is_stored ? STATUS_OK : STATUS_CHANGED);
    ck_assert_int_eq(insert_all(&batch, 1), STATUS_OK);
    ck_assert_int_eq(met.stored, DUE[_i].is_stored);
    ck_assert_uint_eq(met.count, !DUE[_i].is_stored);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders"), DUE[_i].is_stored ? 2 : 0);
}
END_TEST

TCase *orders_tests(void) {
    TCase *tests = database_case("orders");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, stores_an_order_as_it_is);
    tcase_add_test(tests, what_is_not_given_is_null);
    add_table_test(tests, tells_which_key_is_taken, CLASHES);
    tcase_add_test(tests, a_due_date_must_be_in_the_future);
    add_table_test(tests, an_order_must_be_due_later_than_now, DUE);
    tcase_add_test(tests, stores_many_at_once);
    add_table_test(tests, all_or_nothing, OBSTACLES);
    tcase_add_test(tests, what_was_closed_stands_in_nobodys_way);
    tcase_add_test(tests, a_new_reference_is_looked_at_again);
    tcase_add_test(tests, two_of_the_batch_with_one_reference_are_a_clash);
    return tests;
}
