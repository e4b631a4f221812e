#include "store.h"

#include "domain/porder.h"
#include "store/order/porders.h"
#include "store/payment/windows.h"

#include <inttypes.h>

#define ACTOR TEXT("merchant:shop")

static struct connection *by_worker;
static uint64_t merchant;

static void set_up(void) {
    by_worker = database_connect(WORKER);
    merchant = new_merchant(.name = "'shop'");
}

static void tear_down(void) {
    connection_close(by_worker);
}

static instant database_now(void) {
    return (instant)database_number("SELECT FLOOR(UNIX_TIMESTAMP(NOW(6)) * 1000000)");
}

static struct porder_terms terms_of(const char *po_id, const char *reference) {
    return (struct porder_terms){.order = {.merchant_id = merchant,
                                           .po_id = text_of(po_id),
                                           .reference = text_of(reference),
                                           .amount = {450000500},
                                           .currency = TEXT("COP"),
                                           .description = TEXT("Zapatos"),
                                           .email = TEXT("a@b.c"),
                                           .due_at = database_now() + HOUR},
                                 .country = 343,
                                 .language = TEXT("en"),
                                 .token = arena_print(arena, "token-%s", po_id),
                                 .earliest = database_now() - HOUR};
}

static enum status insert(const struct porder_terms *terms, uint64_t *id, enum order_clash *clash) {
    return porders_insert(by_worker, terms, ACTOR, id, clash);
}

static uint64_t stored(const char *po_id, const char *reference) {
    struct porder_terms terms = terms_of(po_id, reference);
    uint64_t id;
    enum order_clash clash;
    ck_assert_int_eq(insert(&terms, &id, &clash), STATUS_OK);
    return id;
}

#define ALL_COLUMNS                                                                                                    \
    "CONCAT_WS('|', po_id, reference, state, version, amount, vat, currency, country, description, language,"          \
    " payment_means, email, document, document_type, customer_name, origin, token, changed_by)"

START_TEST(stores_what_a_merchant_says) {
    struct porder_terms terms = terms_of("PO-1", "0012345678");
    uint64_t id;
    enum order_clash clash;
    terms.vat = TEXT("19.5");
    terms.order.payment_means = TEXT("PSE");
    terms.order.document = TEXT("10203040");
    terms.order.document_type = TEXT("CC");
    terms.order.customer_name = TEXT("Ana Ñúñez");
    ck_assert_int_eq(insert(&terms, &id, &clash), STATUS_OK);
    ck_assert_uint_eq(id, database_number("SELECT id FROM orders"));
    ck_assert_str_eq(database_text("SELECT " ALL_COLUMNS " FROM orders"),
                     "PO-1|0012345678|PENDIENTE|1|45000.0500|19.5000|COP|343|Zapatos|en|PSE|a@b.c|10203040|CC|Ana Ñúñez"
                     "|registered|token-PO-1|merchant:shop");
    ck_assert_uint_eq(database_number("SELECT FLOOR(UNIX_TIMESTAMP(due_at) * 1000000) FROM orders"),
                      (uint64_t)terms.order.due_at);
}
END_TEST

/* Obstacles to storing an order, and the result. */
static const struct {
    const char *po_id, *reference;
    duration due_in, earliest_in;
    enum status status;
    enum order_clash clash;
} OBSTACLES[] = {
    {"PO-2", "2000", HOUR, -HOUR, STATUS_OK, 0},
    {"po-1", "2000", HOUR, 0, STATUS_OK, 0},
    {"PO-1", "2000", HOUR, -HOUR, STATUS_CLASH, CLASH_ORDER_NUMBER},
    {"PO-2", "1000", HOUR, -HOUR, STATUS_CLASH, CLASH_REFERENCE},
    {"PO-1", "1000", HOUR, -HOUR, STATUS_CLASH, CLASH_ORDER_NUMBER},
    {"PO-2", "4001", HOUR, -HOUR, STATUS_OK, 0},                  /* its prefix is the merchant's own */
    {"PO-2", "5001", HOUR, -HOUR, STATUS_CLASH, CLASH_REFERENCE}, /* another merchant's */
    {"PO-2", "3000", HOUR, -HOUR, STATUS_CLASH, CLASH_REFERENCE}, /* document number of an account */
    {"PO-2", "2000", -HOUR, -DAY, STATUS_CHANGED, 0},
    {"PO-2", "2000", 40 * DAY, HOUR, STATUS_CHANGED, 0},
};

static void give_prefixes(void) {
    database_run("INSERT INTO reference_prefixes (prefix, merchant_id, changed_by) VALUES ('400', %" PRIu64 ", 'test'),"
                 " ('500', %" PRIu64 ", 'test')",
                 merchant, new_merchant(.name = "'rich'"));
}

START_TEST(says_what_stands_in_the_way) {
    struct porder_terms terms = terms_of(OBSTACLES[_i].po_id, OBSTACLES[_i].reference);
    instant now;
    uint64_t id;
    enum order_clash clash;
    stored("PO-1", "1000");
    sample_account("3000");
    give_prefixes();
    terms.token = TEXT("another");
    terms.order.due_at = database_now() + OBSTACLES[_i].due_in;
    terms.earliest = database_now() + OBSTACLES[_i].earliest_in;
    ck_assert_int_eq(insert(&terms, &id, &clash), OBSTACLES[_i].status);
    ck_assert(OBSTACLES[_i].status != STATUS_CLASH || clash == OBSTACLES[_i].clash);
    ck_assert_int_eq(porders_clock(by_worker, &now), STATUS_OK);
    ck_assert(now <= database_now() && now > database_now() - MINUTE);
}
END_TEST

#define NOON "TIMESTAMP'2030-05-05 12:00:00'"

/* Until when it may be paid and from when it may be, in microseconds after the database's clock. */
static const struct {
    duration due_in, earliest_in;
    enum status status;
} AT_NOON[] = {{1, 0, STATUS_OK}, {0, 0, STATUS_CHANGED}, {1, 1, STATUS_CHANGED}};

START_TEST(an_order_is_due_later_than_now) {
    struct porder_terms terms = terms_of("PO-1", "1000");
    uint64_t id;
    enum order_clash clash;
    instant noon = database_instant(NOON);
    database_stop_clock(by_worker, NOON);
    terms.order.due_at = noon + AT_NOON[_i].due_in;
    terms.earliest = noon + AT_NOON[_i].earliest_in;
    ck_assert_int_eq(insert(&terms, &id, &clash), AT_NOON[_i].status);
}
END_TEST

/* How much later than now it was due, and is to be. */
static const struct {
    duration due_in, new_due_in;
    enum status status;
} CHANGED_AT_NOON[] = {{1, 1, STATUS_OK}, {0, 1, STATUS_CHANGED}, {1, 0, STATUS_CHANGED}};

START_TEST(an_order_is_changed_while_it_is_not_due) {
    struct porder_terms terms = terms_of("PO-1", "1000");
    uint64_t id = stored("PO-1", "1000");
    instant noon = database_instant(NOON);
    database_run("UPDATE orders SET due_at = " NOON " + INTERVAL %d MICROSECOND", (int)CHANGED_AT_NOON[_i].due_in);
    database_stop_clock(by_worker, NOON);
    terms.order.due_at = noon + CHANGED_AT_NOON[_i].new_due_in;
    ck_assert_int_eq(porders_change(by_worker, id, 2, &terms, ACTOR), CHANGED_AT_NOON[_i].status);
}
END_TEST

START_TEST(an_assigned_reference_keeps_clear_of_prefixes) {
    struct porder_terms terms = terms_of("PO-2", "4001");
    uint64_t id;
    enum order_clash clash;
    give_prefixes();
    terms.reference_is_assigned = true;
    ck_assert_int_eq(insert(&terms, &id, &clash), STATUS_CHANGED);
    terms.order.reference = TEXT("6001");
    ck_assert_int_eq(insert(&terms, &id, &clash), STATUS_OK);
}
END_TEST

START_TEST(every_order_has_a_token_of_its_own) {
    new_order(.po_id = "'PO-1'", .reference = "1");
    new_order(.po_id = "'PO-2'", .reference = "2");
    ck_assert_uint_eq(
        database_number("SELECT COUNT(DISTINCT token) FROM orders WHERE token REGEXP '^[0-9a-f]{32}\\\\z'"), 2);
}
END_TEST

static struct porder found(const char *po_id) {
    struct porder porder;
    ck_assert_int_eq(porders_find(by_worker, merchant, text_of(po_id), arena, &porder), STATUS_OK);
    ck_assert_int_eq(porders_find_outcome(by_worker, arena, &porder), STATUS_OK);
    return porder;
}

START_TEST(finds_an_order_with_what_its_merchant_may_know) {
    uint64_t id = stored("PO-1", "1000");
    struct porder porder = found("PO-1");
    ck_assert_uint_eq(porder.order.id, id);
    assert_text(porder.po_id, "PO-1");
    assert_text(porder.email, "a@b.c");
    assert_text(porder.payment_means, "");
    assert_text(porder.token, "token-PO-1");
    ck_assert_uint_eq(porder.country, 343);
    ck_assert(!porder.is_acknowledged);
    assert_text(porder.network, "");
    ck_assert_uint_eq(porder.transaction_id, 0);
    ck_assert(porder.created_at > 0 && porder.created_at == porder.changed_at && porder.created_at <= porder.now);
}
END_TEST

START_TEST(finds_no_order_of_another_merchant) {
    struct porder porder;
    stored("PO-1", "1000");
    ck_assert_int_eq(porders_find(by_worker, new_merchant(.enabled = "TRUE"), TEXT("PO-1"), arena, &porder),
                     STATUS_NONE);
    ck_assert_int_eq(porders_find(by_worker, merchant, TEXT("po-1"), arena, &porder), STATUS_NONE);
}
END_TEST

/* An order counts as paid once that is written, whatever the clock says. */
START_TEST(finds_the_payment_that_is_written) {
    static const char *const ENDS[] = {NOW " + INTERVAL 10 SECOND", NOW " - INTERVAL 1 SECOND"};
    uint64_t id = stored("PO-1", "1000");
    uint64_t payment = confirmed_payment(id, "45000.05", ENDS[_i]);
    struct porder porder = found("PO-1");
    ck_assert_uint_eq(porder.transaction_id, 0);
    ck_assert_uint_eq(porder.paid.units, 0);
    bool closed = order_window_closed(&porder.order, porder.now);
    ck_assert_int_eq(windows_finalise_order(by_worker, id, TEXT("test")), closed ? STATUS_OK : STATUS_CHANGED);
    porder = found("PO-1");
    ck_assert_uint_eq(porder.transaction_id, closed ? payment : 0);
    ck_assert_uint_eq(porder.paid.units, closed ? 450000500 : 0);
    ck_assert((porder.paid_at > 0) == closed && (porder.network.size > 0) == closed);
}
END_TEST

/* Conditions in which merchants may not change an order. */
static const char *const CLOSED[] = {
    "UPDATE orders SET state = 'VENCIDA'",
    "UPDATE orders SET state = 'CANCELADA'",
    "UPDATE orders SET due_at = " NOW,
    "UPDATE orders SET held_by = 5, held_until = " NOW " + INTERVAL 1 HOUR",
};

START_TEST(changes_only_what_is_open) {
    uint64_t id = stored("PO-1", "1000");
    struct porder_terms terms = terms_of("PO-1", "2000");
    database_run("%s", CLOSED[_i]);
    ck_assert_int_eq(porders_change(by_worker, id, 2, &terms, ACTOR), STATUS_CHANGED);
    ck_assert_int_eq(porders_delete(by_worker, id, 2, ACTOR), STATUS_CHANGED);
    ck_assert_int_eq(porders_refund(by_worker, id, TEXT(""), ACTOR), STATUS_CHANGED);
    ck_assert_uint_eq(database_number("SELECT version FROM orders"), 2);
}
END_TEST

/* What the merchant is told of the order is what was read. */
START_TEST(changes_only_what_was_judged) {
    uint64_t id = stored("PO-1", "1000");
    struct porder_terms terms = terms_of("PO-1", "");
    ck_assert_int_eq(porders_change(by_worker, id, 1, &terms, ACTOR), STATUS_OK);
    ck_assert_int_eq(porders_change(by_worker, id, 1, &terms, ACTOR), STATUS_CHANGED);
    ck_assert_int_eq(porders_delete(by_worker, id, 1, ACTOR), STATUS_CHANGED);
    ck_assert_uint_eq(database_number("SELECT version FROM orders"), 2);
}
END_TEST

START_TEST(changes_what_is_said) {
    uint64_t id = stored("PO-1", "1000");
    struct porder_terms terms = terms_of("PO-1", "");
    terms.order.amount = (struct money){10000};
    terms.order.description = TEXT("Botas");
    terms.language = TEXT("");
    ck_assert_int_eq(porders_change(by_worker, id, 1, &terms, TEXT("merchant:other")), STATUS_OK);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS('|', reference, amount, description, language, version, changed_by)"
                      " FROM orders"),
        "1000|1.0000|Botas|en|2|merchant:other");
    terms.order.due_at = database_now() - SECOND;
    ck_assert_int_eq(porders_change(by_worker, id, 2, &terms, ACTOR), STATUS_CHANGED);
    stored("PO-2", "2000");
    terms = terms_of("PO-1", "2000");
    ck_assert_int_eq(porders_change(by_worker, id, 2, &terms, ACTOR), STATUS_CLASH);
}
END_TEST

#define LAST_EVENT                                                                                                     \
    "SELECT CONCAT_WS('|', what, from_state, to_state, actor, COALESCE(reason, '-')) FROM events"                      \
    " WHERE subject = 'order' ORDER BY id DESC LIMIT 1"

START_TEST(ends_orders_and_says_who_did) {
    uint64_t id = stored("PO-1", "1000");
    ck_assert_int_eq(porders_delete(by_worker, id, 1, ACTOR), STATUS_OK);
    ck_assert_str_eq(database_text(LAST_EVENT), "state|PENDIENTE|CANCELADA|merchant:shop|-");
    id = stored("PO-2", "1000");
    approve(id, confirmed_payment(id, "45000", NOW));
    ck_assert_int_eq(porders_refund(by_worker, id, TEXT("talla"), ACTOR), STATUS_OK);
    ck_assert_str_eq(database_text(LAST_EVENT), "state|APROBADA|ANULADA|merchant:shop|talla");
    ck_assert_int_eq(porders_refund(by_worker, id, TEXT("talla"), ACTOR), STATUS_CHANGED);
}
END_TEST

/* Every state; and PENDIENTE with each due date and hold. */
static const struct {
    const char *state, *due_at, *held_until;
} SCENES[] = {
    {"'PENDIENTE'", IN_AN_HOUR, NULL},        {"'PENDIENTE'", AN_HOUR_AGO, NULL},
    {"'PENDIENTE'", IN_AN_HOUR, IN_AN_HOUR},  {"'PENDIENTE'", AN_HOUR_AGO, IN_AN_HOUR},
    {"'PENDIENTE'", IN_AN_HOUR, AN_HOUR_AGO}, {"'PENDIENTE'", AN_HOUR_AGO, AN_HOUR_AGO},
    {"'APROBADA'", IN_AN_HOUR, NULL},         {"'VENCIDA'", AN_HOUR_AGO, NULL},
    {"'CANCELADA'", IN_AN_HOUR, NULL},        {"'ANULADA'", IN_AN_HOUR, NULL},
};

static uint64_t put_scene(int row, const char *po_id, const char *reference, struct porder *out) {
    bool is_paid = strcmp(SCENES[row].state, "'APROBADA'") == 0 || strcmp(SCENES[row].state, "'ANULADA'") == 0;
    uint64_t id = new_order(.merchant_id = merchant, .po_id = arena_print(arena, "'%s'", po_id).at,
                            .reference = reference, .state = SCENES[row].state, .due_at = SCENES[row].due_at,
                            .held_by = SCENES[row].held_until == NULL ? NULL : "5",
                            .held_until = SCENES[row].held_until, .paid_by = is_paid ? reference : NULL);
    ck_assert_int_eq(porders_find(by_worker, merchant, text_of(po_id), arena, out), STATUS_OK);
    return id;
}

/* domain/order.h and the view judge the same rows by the same clock. */
START_TEST(the_view_shows_the_state_that_the_program_sees) {
    struct porder porder;
    uint64_t id = put_scene(_i, "PO-1", "1000", &porder);
    const char *seen = arena_print(arena, "%s %d", order_state_name(order_state_at(&porder.order, porder.now)),
                                   order_window_closed(&porder.order, porder.now))
                           .at;
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', state_now, window_closed) FROM orders_now WHERE id = %" PRIu64, id), seen);
}
END_TEST

/* domain/porder.h decides first; the owner's functions decide again when they write. */
START_TEST(what_the_program_allows_the_database_writes) {
    struct porder cancelled, refunded;
    char whole[MONEY_TEXT_SIZE];
    put_scene(_i, "PO-1", "1000", &cancelled);
    put_scene(_i, "PO-2", "2000", &refunded);
    money_print(refunded.order.amount, 0, whole);
    bool may_cancel = porder_judge_change(&cancelled.order, cancelled.now) == GRANTED;
    bool may_refund =
        porder_judge_refund(&refunded.order, refunded.order.amount, text_of(whole), refunded.now) == GRANTED;
    ck_assert_int_eq(porders_delete(by_worker, cancelled.order.id, cancelled.order.version, ACTOR),
                     may_cancel ? STATUS_OK : STATUS_CHANGED);
    ck_assert_int_eq(porders_refund(by_worker, refunded.order.id, TEXT("talla"), ACTOR),
                     may_refund ? STATUS_OK : STATUS_CHANGED);
}
END_TEST

TCase *porders_tests(void) {
    TCase *tests = database_case("porders");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, stores_what_a_merchant_says);
    add_table_test(tests, says_what_stands_in_the_way, OBSTACLES);
    add_table_test(tests, an_order_is_due_later_than_now, AT_NOON);
    add_table_test(tests, an_order_is_changed_while_it_is_not_due, CHANGED_AT_NOON);
    tcase_add_test(tests, an_assigned_reference_keeps_clear_of_prefixes);
    tcase_add_test(tests, every_order_has_a_token_of_its_own);
    tcase_add_test(tests, finds_an_order_with_what_its_merchant_may_know);
    tcase_add_test(tests, finds_no_order_of_another_merchant);
    tcase_add_loop_test(tests, finds_the_payment_that_is_written, 0, 2);
    add_table_test(tests, changes_only_what_is_open, CLOSED);
    tcase_add_test(tests, changes_only_what_was_judged);
    tcase_add_test(tests, changes_what_is_said);
    tcase_add_test(tests, ends_orders_and_says_who_did);
    tcase_add_loop_test(tests, the_view_shows_the_state_that_the_program_sees, 0, COUNT_OF(SCENES));
    tcase_add_loop_test(tests, what_the_program_allows_the_database_writes, 0, COUNT_OF(SCENES));
    return tests;
}
