#include "store.h"

#include "store/accounts.h"
#include "store/countries.h"
#include "store/currencies.h"
#include "store/events.h"
#include "store/merchants.h"
#include "store/networks.h"
#include "store/orders_now.h"
#include "store/transactions_now.h"

#include <inttypes.h>

#define ACTOR TEXT("operator:ana")

static struct connection *by_operator;

static void set_up(void) {
    by_operator = database_connect(OPERATOR);
}

static void tear_down(void) {
    connection_close(by_operator);
}

/* Words collected by the callbacks below, with a comma behind each. */
static struct text collected;

static void collect(struct text word) {
    collected = arena_print(arena, "%.*s%.*s,", TEXT_ARGS(collected), TEXT_ARGS(word));
}

static void collect_network(void *context, const struct network_description *network) {
    (void)context;
    collect(network->name);
}

static void collect_merchant(void *context, const struct merchant_description *merchant) {
    (void)context;
    collect(merchant->name);
}

static void collect_account(void *context, const struct account_description *account) {
    (void)context;
    collect(account->account.document);
}

static void collect_movement(void *context, const struct movement *movement) {
    char amount[MONEY_TEXT_SIZE], balance[MONEY_TEXT_SIZE];
    (void)context;
    collect(arena_print(arena, "%s %s %.*s", money_print(movement->amount, 0, amount),
                        money_print(movement->balance, 0, balance), TEXT_ARGS(movement->network_transaction)));
}

static void collect_event(void *context, const struct event *event) {
    (void)context;
    collect(arena_print(arena, "%.*s %.*s", TEXT_ARGS(event->what), TEXT_ARGS(event->to)));
}

static void collect_order(void *context, const struct order_now *order) {
    (void)context;
    collect(arena_print(arena, "%.*s %.*s", TEXT_ARGS(order->reference), TEXT_ARGS(order->state)));
}

static void collect_transaction(void *context, const struct transaction_now *transaction) {
    (void)context;
    collect(arena_print(arena, "%.*s %.*s", TEXT_ARGS(transaction->network_transaction), TEXT_ARGS(transaction->state)));
}

static void collect_notification(void *context, const struct order_notification *notification) {
    (void)context;
    collect(arena_print(arena, "%.*s %.*s", TEXT_ARGS(notification->status), TEXT_ARGS(notification->state)));
}

static void collect_country(void *context, const struct country_row *country) {
    (void)context;
    collect(arena_print(arena, "%" PRIu64 " %.*s", country->code, TEXT_ARGS(country->currency)));
}

static void collect_currency(void *context, struct text code) {
    (void)context;
    collect(code);
}

START_TEST(keeps_networks) {
    struct network_row row;
    struct network_description description;
    ck_assert_int_eq(networks_insert(by_operator, TEXT("Red Ñandú"), TEXT("a\0b"), ACTOR), STATUS_OK);
    ck_assert_int_eq(networks_insert(by_operator, TEXT("Red Ñandú"), TEXT("x"), ACTOR), STATUS_CLASH);
    ck_assert_int_eq(networks_find(owner, TEXT("Red Ñandú"), arena, &row), STATUS_OK);
    ck_assert(row.enabled && text_equal(row.sealed_hash, TEXT("a\0b")));
    ck_assert_int_eq(networks_find(owner, TEXT("red Ñandú"), arena, &row), STATUS_NONE);
    ck_assert_int_eq(networks_set_enabled(by_operator, TEXT("Red Ñandú"), true, ACTOR), STATUS_NONE);
    ck_assert_int_eq(networks_set_enabled(by_operator, TEXT("Red Ñandú"), false, ACTOR), STATUS_OK);
    ck_assert_int_eq(networks_set_enabled(by_operator, TEXT("none"), false, ACTOR), STATUS_NONE);
    ck_assert_int_eq(networks_set_hash(by_operator, TEXT("Red Ñandú"), TEXT("new"), ACTOR), STATUS_OK);
    ck_assert_int_eq(networks_set_hash(by_operator, TEXT("none"), TEXT("new"), ACTOR), STATUS_NONE);
    ck_assert_int_eq(networks_find(owner, TEXT("Red Ñandú"), arena, &row), STATUS_OK);
    ck_assert(!row.enabled && text_equal(row.sealed_hash, TEXT("new")));
    ck_assert_int_eq(networks_describe(by_operator, TEXT("Red Ñandú"), arena, &description), STATUS_OK);
    assert_text(description.changed_by, "operator:ana");
    sample_network("Red Alta");
    ck_assert_int_eq(networks_list(by_operator, arena, collect_network, NULL), STATUS_OK);
    assert_text(collected, "Red Alta,Red Ñandú,");
}
END_TEST

static const struct merchant_settings SETTINGS = {.commerce = {"Tienda", 6},
                                                  .country = 343,
                                                  .notify_url = {"http://a/", 9},
                                                  .notify_digest = {"sha512", 6},
                                                  .acknowledgement = {"http2xx", 7}};

static struct merchant_description describe_merchant(void) {
    struct merchant_description merchant;
    ck_assert_int_eq(merchants_describe(by_operator, TEXT("shop"), arena, &merchant), STATUS_OK);
    return merchant;
}

START_TEST(keeps_merchants) {
    ck_assert_int_eq(merchants_insert(by_operator, TEXT("shop"), &SETTINGS, TEXT("a"), TEXT("b"), ACTOR), STATUS_OK);
    ck_assert_int_eq(merchants_insert(by_operator, TEXT("shop"), &SETTINGS, TEXT("a"), TEXT("b"), ACTOR), STATUS_CLASH);
    struct merchant_description merchant = describe_merchant();
    ck_assert(merchant.enabled);
    assert_text(merchant.settings.notify_url, "http://a/");
    assert_text(merchant.settings.notify_digest, "sha512");
    assert_text(merchant.settings.acknowledgement, "http2xx");
    ck_assert_int_eq(merchants_set_enabled(by_operator, TEXT("shop"), false, ACTOR), STATUS_OK);
    ck_assert_int_eq(merchants_set_enabled(by_operator, TEXT("shop"), false, ACTOR), STATUS_NONE);
    ck_assert(!describe_merchant().enabled);
    ck_assert_int_eq(merchants_set_hash(by_operator, TEXT("shop"), TEXT("c"), ACTOR), STATUS_OK);
    ck_assert_int_eq(merchants_set_notification_hash(by_operator, TEXT("shop"), TEXT("d"), ACTOR), STATUS_OK);
    ck_assert_str_eq(database_text("SELECT CONCAT(fixed_hash, notification_hash) FROM merchants"), "cd");
    ck_assert_int_eq(merchants_list(by_operator, arena, collect_merchant, NULL), STATUS_OK);
    assert_text(collected, "shop,");
}
END_TEST

START_TEST(changes_only_the_settings_given) {
    static const struct merchant_settings NOTHING, NO_URL = {.notify_url = {"", 0}},
                                                   OTHERS = {.commerce = {"Otra", 4}, .country = 314};
    ck_assert_int_eq(merchants_insert(by_operator, TEXT("shop"), &SETTINGS, TEXT("a"), TEXT("b"), ACTOR), STATUS_OK);
    ck_assert_int_eq(merchants_change(by_operator, TEXT("shop"), &NOTHING, ACTOR), STATUS_OK);
    assert_text(describe_merchant().settings.notify_url, "http://a/");
    ck_assert_int_eq(merchants_change(by_operator, TEXT("shop"), &OTHERS, ACTOR), STATUS_OK);
    struct merchant_description merchant = describe_merchant();
    assert_text(merchant.settings.commerce, "Otra");
    ck_assert_uint_eq(merchant.settings.country, 314);
    assert_text(merchant.settings.notify_url, "http://a/");
    ck_assert_int_eq(merchants_change(by_operator, TEXT("shop"), &NO_URL, ACTOR), STATUS_OK);
    ck_assert_uint_eq(database_number("SELECT notify_url IS NULL FROM merchants"), 1);
    ck_assert_int_eq(merchants_change(by_operator, TEXT("none"), &OTHERS, ACTOR), STATUS_NONE);
}
END_TEST

START_TEST(keeps_accounts_and_their_movements) {
    struct account_description description;
    const struct account account = {.document = TEXT("CC-1"), .document_type = TEXT("CC"), .name = TEXT("Ana"),
                                    .lastname1 = TEXT("Paz"), .currency = TEXT("COP")};
    ck_assert_int_eq(accounts_insert(by_operator, &account, ACTOR), STATUS_OK);
    ck_assert_int_eq(accounts_insert(by_operator, &account, ACTOR), STATUS_CLASH);
    ck_assert_int_eq(accounts_describe(by_operator, TEXT("cc-1"), arena, &description), STATUS_NONE);
    ck_assert_int_eq(accounts_describe(by_operator, TEXT("CC-1"), arena, &description), STATUS_OK);
    ck_assert(money_is_zero(description.balance));
    uint64_t id = description.account.id;
    for (int i = 1; i <= 2; i++) {
        uint64_t transaction = new_transaction(.account_id = id, .network_transaction = i == 1 ? "'one'" : "'two'");
        database_run("INSERT INTO account_ledger (account_id, transaction_id, amount, balance)"
                     " VALUES (%" PRIu64 ", %" PRIu64 ", 1.5, %d)",
                     id, transaction, i);
    }
    ck_assert_int_eq(accounts_movements(by_operator, id, arena, collect_movement, NULL), STATUS_OK);
    assert_text(collected, "1.5 1 one,1.5 2 two,");
    sample_account("AA");
    sample_account("ZZ");
    collected = TEXT("");
    ck_assert_int_eq(accounts_list(by_operator, 2, arena, collect_account, NULL), STATUS_OK);
    assert_text(collected, "AA,CC-1,");
}
END_TEST

static void insert_orders(void) {
    uint64_t merchant = new_merchant(.name = "'shop'");
    new_order(.reference = "1", .merchant_id = merchant);
    new_order(.reference = "2", .due_at = AN_HOUR_AGO);
    new_order(.reference = "3", .held_by = "5", .held_until = AN_HOUR_AGO);
    new_order(.reference = "4", .state = "'CANCELADA'");
    new_order(.reference = "5", .state = "'APROBADA'", .paid_by = "5", .merchant_id = merchant);
}

static const struct {
    const char *state;
    bool of_shop;
    uint64_t limit;
    const char *orders;
} ORDER_LISTS[] = {
    {"", false, 10, "5 APROBADA,4 CANCELADA,3 APROBADA,2 VENCIDA,1 PENDIENTE,"},
    {"", false, 2, "5 APROBADA,4 CANCELADA,"},
    {"PENDIENTE", false, 10, "1 PENDIENTE,"},
    {"APROBADA", false, 10, "5 APROBADA,3 APROBADA,"},
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
    ck_assert_int_eq(orders_now_notifications(by_operator, id, arena, collect_notification, NULL), STATUS_OK);
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
    assert_text(collected, "A REGISTRADA,B FINALIZADA,");
    ck_assert_int_eq(transactions_now_find(by_operator, TEXT("Red Norte"), TEXT("B"), arena, &transaction), STATUS_OK);
    assert_text(transaction.state, "FINALIZADA");
    assert_text(transaction.state_written, "CONFIRMADA");
    ck_assert_uint_eq(transaction.order_id, order);
    ck_assert_int_eq(transactions_now_find(by_operator, TEXT("Red Sur"), TEXT("B"), arena, &transaction), STATUS_NONE);
    struct transaction_filter filter = {.state = TEXT("FINALIZADA"), .network_id = network, .limit = 10};
    collected = TEXT("");
    ck_assert_int_eq(transactions_now_list(by_operator, &filter, arena, collect_transaction, NULL), STATUS_OK);
    assert_text(collected, "B FINALIZADA,");
    filter = (struct transaction_filter){.limit = 2};
    collected = TEXT("");
    ck_assert_int_eq(transactions_now_list(by_operator, &filter, arena, collect_transaction, NULL), STATUS_OK);
    assert_text(collected, "C REGISTRADA,B FINALIZADA,");
}
END_TEST

START_TEST(lists_countries_and_currencies) {
    ck_assert_int_eq(countries_list(by_operator, arena, collect_country, NULL), STATUS_OK);
    assert_text(collected, "314 CRC,343 COP,345 USD,348 PEN,");
    collected = TEXT("");
    ck_assert_int_eq(currencies_list(by_operator, arena, collect_currency, NULL), STATUS_OK);
    assert_text(collected, "COP,CRC,PEN,USD,");
}
END_TEST

TCase *operator_tests(void) {
    TCase *tests = database_case("operator");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, keeps_networks);
    tcase_add_test(tests, keeps_merchants);
    tcase_add_test(tests, changes_only_the_settings_given);
    tcase_add_test(tests, keeps_accounts_and_their_movements);
    add_table_test(tests, lists_orders_by_their_state_now, ORDER_LISTS);
    tcase_add_test(tests, shows_an_order);
    tcase_add_test(tests, shows_what_happened_to_an_order);
    tcase_add_test(tests, shows_transactions_in_their_state_now);
    tcase_add_test(tests, lists_countries_and_currencies);
    return tests;
}
