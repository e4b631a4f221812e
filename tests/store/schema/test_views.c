#include "store.h"

#include "store/notification/notifications.h"
#include "store/operation/events.h"
#include "store/order/orders_now.h"
#include "store/payment/transactions_now.h"

#include <inttypes.h>

static struct connection *by_operator;

static void set_up(void) {
    by_operator = database_connect(OPERATOR);
}

static void tear_down(void) {
    connection_close(by_operator);
}

/* Words collected by the callbacks below, each followed by a comma. */
static struct text collected;

static void collect(struct text word) {
    collected = arena_print(arena, "%.*s%.*s,", TEXT_ARGS(collected), TEXT_ARGS(word));
}

static void collect_event(void *context, const struct event *event) {
    (void)context;
    collect(arena_print(arena, "%.*s %.*s", TEXT_ARGS(event->what), TEXT_ARGS(event->to)));
}

static void collect_order(void *context, const struct order_now *order) {
    (void)context;
    collect(arena_print(arena, "%.*s %.*s%s", TEXT_ARGS(order->reference), TEXT_ARGS(order->state),
                        order->window_closed ? " closed" : ""));
}

static void collect_transaction(void *context, const struct transaction_now *transaction) {
    (void)context;
    collect(arena_print(arena, "%.*s %.*s%s", TEXT_ARGS(transaction->network_transaction),
                        TEXT_ARGS(transaction->state), transaction->window_closed ? " closed" : ""));
}

static void collect_notification(void *context, const struct notification_row *notification) {
    (void)context;
    collect(arena_print(arena, "%.*s %.*s", TEXT_ARGS(notification->status), TEXT_ARGS(notification->state)));
}

static void insert_orders(void) {
    uint64_t merchant = new_merchant(.name = "'shop'");
    new_order(.reference = "1", .merchant_id = merchant);
    new_order(.reference = "2", .due_at = AN_HOUR_AGO);
    confirmed_payment(new_order(.reference = "3"), "5", AN_HOUR_AGO);
    new_order(.reference = "4", .state = "'CANCELADA'");
    new_order(.reference = "5", .state = "'APROBADA'", .paid_by = "5", .merchant_id = merchant);
}

static const struct {
    const char *state;
    bool of_shop;
    uint64_t limit;
    const char *orders;
} ORDER_LISTS[] = {
    {"", false, 10, "5 APROBADA,4 CANCELADA,3 PENDIENTE closed,2 VENCIDA,1 PENDIENTE,"},
    {"", false, 2, "5 APROBADA,4 CANCELADA,"},
    {"PENDIENTE", false, 10, "3 PENDIENTE closed,1 PENDIENTE,"},
    {"APROBADA", false, 10, "5 APROBADA,"},
    {"APROBADA", true, 10, "5 APROBADA,"},
    {"VENCIDA", false, 10, "2 VENCIDA,"},
    {"VENCIDA", true, 10, ""},
    {"CANCELADA", false, 10, "4 CANCELADA,"},
    {"ANULADA", false, 10, ""},
    {"", true, 10, "5 APROBADA,1 PENDIENTE,"},
};

START_TEST(lists_orders_by_their_state_now) {
    insert_orders();
    struct order_filter filter = {.state = text_of(ORDER_LISTS[_i].state), .limit = ORDER_LISTS[_i].limit};
    if (ORDER_LISTS[_i].of_shop) {
        filter.merchant_id = database_number("SELECT id FROM merchants WHERE name = 'shop'");
    }
    ck_assert_int_eq(orders_now_list(by_operator, &filter, arena, collect_order, NULL), STATUS_OK);
    assert_text(collected, ORDER_LISTS[_i].orders);
}
END_TEST

START_TEST(shows_an_order) {
    struct order_now order;
    uint64_t merchant = new_merchant(.name = "'shop'");
    uint64_t id = new_order(.reference = "7", .merchant_id = merchant, .po_id = "'PO-7'", .due_at = AN_HOUR_AGO,
                            .held_by = "5", .held_until = IN_AN_HOUR);
    ck_assert_int_eq(orders_now_find(by_operator, id, arena, &order), STATUS_OK);
    assert_text(order.merchant, "shop");
    assert_text(order.state, "PENDIENTE");
    ck_assert_int_gt(order.held_until, order.due_at);
    ck_assert_int_eq(orders_now_find(by_operator, id + 1, arena, &order), STATUS_NONE);
    ck_assert_int_eq(orders_now_find_by_number(by_operator, merchant, TEXT("PO-7"), arena, &order), STATUS_OK);
    ck_assert_uint_eq(order.id, id);
    ck_assert_int_eq(orders_now_find_by_number(by_operator, merchant + 1, TEXT("PO-7"), arena, &order), STATUS_NONE);
    ck_assert_int_eq(orders_now_find_by_reference(by_operator, TEXT("7"), arena, &order), STATUS_OK);
    ck_assert_uint_eq(order.id, id);
    ck_assert_int_eq(orders_now_find_by_reference(by_operator, TEXT("07"), arena, &order), STATUS_NONE);
}
END_TEST

START_TEST(shows_what_happened_to_an_order) {
    uint64_t id = new_order(.due_at = AN_HOUR_AGO);
    database_run("UPDATE orders SET state = 'VENCIDA' WHERE id = %" PRIu64, id);
    database_run("INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means)"
                 " SELECT id, merchant_id, 'cancelled', 'exhausted', 1, '' FROM orders WHERE id = %" PRIu64,
                 id);
    ck_assert_int_eq(events_list(by_operator, TEXT("order"), id, arena, collect_event, NULL), STATUS_OK);
    assert_text(collected, "created PENDIENTE,state VENCIDA,");
    collected = TEXT("");
    ck_assert_int_eq(notifications_of_order(by_operator, id, arena, collect_notification, NULL), STATUS_OK);
    assert_text(collected, "cancelled exhausted,");
}
END_TEST

START_TEST(shows_transactions_in_their_state_now) {
    struct transaction_now transaction;
    uint64_t network = sample_network("Red Norte"), order = new_order(.reference = "1");
    new_transaction(.network_id = network, .order_id = order, .network_transaction = "'A'");
    new_transaction(.network_id = network, .order_id = order, .network_transaction = "'B'", .state = "'CONFIRMADA'",
                    .window_ends_at = AN_HOUR_AGO);
    new_transaction(.account_id = sample_account("CC-1"), .network_transaction = "'C'");
    ck_assert_int_eq(transactions_now_of_order(by_operator, order, arena, collect_transaction, NULL), STATUS_OK);
    assert_text(collected, "A REGISTRADA,B CONFIRMADA closed,");
    ck_assert_int_eq(transactions_now_find(by_operator, TEXT("Red Norte"), TEXT("B"), arena, &transaction), STATUS_OK);
    assert_text(transaction.state, "CONFIRMADA");
    assert_text(transaction.state_written, "CONFIRMADA");
    ck_assert_uint_eq(transaction.order_id, order);
    ck_assert_int_eq(transactions_now_find(by_operator, TEXT("Red Sur"), TEXT("B"), arena, &transaction), STATUS_NONE);
    struct transaction_filter filter = {.state = TEXT("CONFIRMADA"), .network_id = network, .limit = 10};
    collected = TEXT("");
    ck_assert_int_eq(transactions_now_list(by_operator, &filter, arena, collect_transaction, NULL), STATUS_OK);
    assert_text(collected, "B CONFIRMADA closed,");
    filter = (struct transaction_filter){.limit = 2};
    collected = TEXT("");
    ck_assert_int_eq(transactions_now_list(by_operator, &filter, arena, collect_transaction, NULL), STATUS_OK);
    assert_text(collected, "C REGISTRADA,B CONFIRMADA closed,");
}
END_TEST

/* Orders and transactions that came at these seconds of a minute, and which of them a list from the second to the
 * fourth has: since <= at < until. */
static void add_at(unsigned second) {
    const char *name = arena_print(arena, "%u", second).at;
    database_run("SET timestamp = UNIX_TIMESTAMP('2026-01-10 05:00:0%u')", second);
    new_transaction(.order_id = new_order(.reference = name),
                    .network_transaction = arena_print(arena, "'%u'", second).at);
    database_run("SET timestamp = DEFAULT");
}

START_TEST(lists_what_came_within_a_time) {
    instant minute = database_instant("'2026-01-10 05:00:00'");
    for (unsigned second = 1; second <= 5; second++) {
        add_at(second);
    }
    const struct order_filter orders = {.since = minute + 2 * SECOND, .until = minute + 4 * SECOND, .limit = 9};
    ck_assert_int_eq(orders_now_list(by_operator, &orders, arena, collect_order, NULL), STATUS_OK);
    assert_text(collected, "3 VENCIDA,2 VENCIDA,");
    collected = TEXT("");
    const struct transaction_filter payments = {.since = orders.since, .until = orders.until, .limit = 9};
    ck_assert_int_eq(transactions_now_list(by_operator, &payments, arena, collect_transaction, NULL), STATUS_OK);
    assert_text(collected, "3 REGISTRADA,2 REGISTRADA,");
}
END_TEST

/* Due notifications for an endpoint that can be notified, for one that rests or is being probed, and for a merchant
 * without a URL. */
static const struct {
    const char *notify_url, *resting_until; /* NULL: healthy */
    const char *due_at, *work;
} DUE[] = {
    {"'https://a.example/'", NULL, AN_HOUR_AGO, "notify"},
    {"'https://a.example/'", IN_AN_HOUR, AN_HOUR_AGO, "held"},
    {"'https://a.example/'", AN_HOUR_AGO, AN_HOUR_AGO, "held"},
    {"NULL", NULL, AN_HOUR_AGO, "held"},
    {"'https://a.example/'", NULL, IN_AN_HOUR, ""},
    {"'https://a.example/'", IN_AN_HOUR, IN_AN_HOUR, ""},
};

START_TEST(what_is_held_is_work_of_its_own) {
    uint64_t merchant = new_merchant(.name = "'due'");
    uint64_t order = new_order(.reference = "9", .merchant_id = merchant, .state = "'VENCIDA'");
    database_run("UPDATE merchants SET notify_url = %s WHERE id = %" PRIu64, DUE[_i].notify_url, merchant);
    database_run("INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, due_at)"
                 " VALUES (%" PRIu64 ", %" PRIu64 ", 'approved', 'pending', 5, '', %s)",
                 order, merchant, DUE[_i].due_at);
    if (DUE[_i].resting_until != NULL) {
        database_run("INSERT INTO endpoints (merchant_id, failures, resting_until) VALUES (%" PRIu64 ", 9, %s)",
                     merchant, DUE[_i].resting_until);
    }
    ck_assert_str_eq(database_text("SELECT COALESCE(GROUP_CONCAT(work), '') FROM due_now"), DUE[_i].work);
}
END_TEST

#define A_URL        "'https://a.example/'"
#define IN_4_SECONDS "UTC_TIMESTAMP(6) + INTERVAL 4 SECOND"

/* The second notification of an order, its due time, and the state of the first (NULL: there is none). */
static const struct {
    const char *notify_url, *first, *second, *due_at;
    uint64_t stuck;
} STUCK[] = {
    {A_URL, "delivered", "waiting", AN_HOUR_AGO, 1},
    {A_URL, "exhausted", "waiting", AN_HOUR_AGO, 1},
    {A_URL, "pending", "waiting", AN_HOUR_AGO, 0},
    {A_URL, "waiting", "pending", AN_HOUR_AGO, 1}, /* the first one is stuck */
    {A_URL, NULL, "waiting", AN_HOUR_AGO, 1},
    {A_URL, "delivered", "waiting", IN_4_SECONDS, 0},
    {A_URL, "delivered", "exhausted", AN_HOUR_AGO, 0},
    {A_URL, NULL, "pending", AN_HOUR_AGO, 0},
    {A_URL, NULL, "unaddressed", AN_HOUR_AGO, 1},
    {A_URL, NULL, "unaddressed", IN_4_SECONDS, 0},
    {"NULL", NULL, "unaddressed", AN_HOUR_AGO, 0},
    {"NULL", "unaddressed", "waiting", AN_HOUR_AGO, 0},
};

static void add_notification(uint64_t order, uint64_t merchant, unsigned sequence, const char *state,
                             const char *due_at) {
    bool has_finished = strcmp(state, "delivered") == 0 || strcmp(state, "exhausted") == 0;
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = %" PRIu64 ", sequence = %u,"
                 " status = '%s', state = '%s', amount = 5, payment_means = '', due_at = %s, settled_at = %s",
                 order, merchant, sequence, sequence == 1 ? "approved" : "cancelled", state, due_at,
                 has_finished ? NOW : "NULL");
}

START_TEST(waits_for_nothing_only_what_is_stuck) {
    uint64_t merchant = new_merchant(.name = "'tienda'");
    uint64_t order = new_order(.merchant_id = merchant, .state = "'VENCIDA'");
    database_run("UPDATE merchants SET notify_url = %s WHERE id = %" PRIu64, STUCK[_i].notify_url, merchant);
    if (STUCK[_i].first != NULL) {
        add_notification(order, merchant, 1, STUCK[_i].first, AN_HOUR_AGO);
    }
    add_notification(order, merchant, 2, STUCK[_i].second, STUCK[_i].due_at);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM notifications_stuck"), STUCK[_i].stuck);
}
END_TEST

TCase *views_tests(void) {
    TCase *tests = database_case("views");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, lists_orders_by_their_state_now, ORDER_LISTS);
    tcase_add_test(tests, shows_an_order);
    add_table_test(tests, what_is_held_is_work_of_its_own, DUE);
    add_table_test(tests, waits_for_nothing_only_what_is_stuck, STUCK);
    tcase_add_test(tests, shows_what_happened_to_an_order);
    tcase_add_test(tests, shows_transactions_in_their_state_now);
    tcase_add_test(tests, lists_what_came_within_a_time);
    return tests;
}
