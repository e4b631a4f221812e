#include "store.h"

#include "store/db/sql.h"
#include "store/external/offers.h"
#include "store/external/queries.h"
#include "store/order/payables.h"

#include <inttypes.h>

#define ACTOR TEXT("network:red")

static struct connection *worker;
static uint64_t merchant;
static struct offer offer;
static struct offer_scene scene;

static void set_up(void) {
    worker = database_connect(WORKER);
    merchant = new_merchant(.name = "'shop'");
    instant now = (instant)database_number("SELECT FLOOR(UNIX_TIMESTAMP(NOW(6)) * 1000000)");
    offer = (struct offer){.merchant_id = merchant,
                           .reference = TEXT("900000001"),
                           .po_id = TEXT("PO-1"),
                           .has_limits = true,
                           .least = {10000},
                           .most = {9999999990000},
                           .currency = TEXT("COP"),
                           .description = TEXT("Zapatos ñ"),
                           .email = TEXT("a@b.c"),
                           .document = TEXT("1020304050"),
                           .document_type = TEXT("CEDULA DE IDENTIDAD"),
                           .customer_name = TEXT("Ana Ñúñez"),
                           .due_at = now + HOUR};
}

static void tear_down(void) {
    connection_close(worker);
}

static struct offer_plan plan(void) {
    memset(&scene, 0x55, sizeof scene); /* also what is not there is told */
    ck_assert_int_eq(offers_find(worker, &offer, arena, &scene), STATUS_OK);
    return offer_judge(&offer, &scene);
}

static enum status unit(struct connection *connection, void *of_plan) {
    uint64_t order_id;
    return offers_write(connection, &offer, of_plan, ACTOR, &order_id);
}

static enum status write_planned(struct offer_plan *planned) {
    return sql_transact(worker, unit, planned);
}

static void keep(enum offer_act act) {
    struct offer_plan planned = plan();
    ck_assert_int_eq(planned.refusal, GRANTED);
    ck_assert_int_eq(planned.act, act);
    ck_assert_int_eq(write_planned(&planned), STATUS_OK);
}

#define ALL_COLUMNS                                                                                                    \
    "CONCAT_WS('|', po_id, reference, state, version, amount, min_amount, max_amount, currency, description, email,"   \
    " document, document_type, customer_name, origin, changed_by)"

START_TEST(stores_what_is_offered) {
    keep(OFFER_INSERT);
    ck_assert_str_eq(database_text("SELECT " ALL_COLUMNS " FROM orders"),
                     "PO-1|900000001|PENDIENTE|1|0.0000|1.0000|999999999.0000|COP|Zapatos ñ|a@b.c|1020304050|"
                     "CEDULA DE IDENTIDAD|Ana Ñúñez|external|network:red");
    ck_assert_uint_eq(database_number("SELECT FLOOR(UNIX_TIMESTAMP(due_at) * 1000000) FROM orders"),
                      (uint64_t)offer.due_at);
    ck_assert_int_eq(plan().act, OFFER_STANDS); /* it reads back what it wrote */
}
END_TEST

/* Returns what payables_note_offer decides for the network. False: another network's offer, or none. */
static bool may_pay(uint64_t network_id) {
    struct payable payable;
    ck_assert_int_eq(payables_find(worker, offer.reference, arena, &payable), STATUS_OK);
    ck_assert_int_eq(payables_note_offer(worker, network_id, &payable), STATUS_OK);
    return !payable.is_others_offer;
}

static void offer_to(uint64_t network_id) {
    struct offer_plan planned = plan();
    const struct query_record record = {.merchant_id = offer.merchant_id,
                                        .network_id = network_id,
                                        .reference = offer.reference,
                                        .asked_at = offer.due_at - HOUR,
                                        .outcome = TEXT("answered")};
    ck_assert_int_eq(offers_store(worker, &offer, &planned, ACTOR, &record), STATUS_OK);
}

START_TEST(an_offer_is_for_the_networks_that_asked) {
    offer_to(1);
    ck_assert(may_pay(1) && !may_pay(2));
    offer_to(1);
    ck_assert(may_pay(1) && !may_pay(2));
    offer_to(2);
    ck_assert(may_pay(1) && may_pay(2));
    offer.po_id = TEXT("PO-2"); /* the reference belongs to another order */
    offer_to(2);
    ck_assert(!may_pay(1) && may_pay(2));
    database_run("UPDATE orders SET origin = 'registered' WHERE po_id = 'PO-2'");
    ck_assert(may_pay(1));
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(po_id, network_id ORDER BY po_id, network_id)"
                                   " FROM offers JOIN orders o ON o.id = order_id"),
                     "PO-11,PO-12,PO-22");
}
END_TEST

START_TEST(refreshes_what_was_offered) {
    keep(OFFER_INSERT);
    offer.reference = TEXT("900000002");
    offer.amount = (struct money){450000000};
    offer.has_limits = false;
    offer.description = TEXT("Botas");
    offer.email = TEXT("d@e.f");
    offer.document = offer.document_type = offer.customer_name = TEXT("");
    offer.due_at += HOUR;
    keep(OFFER_REFRESH);
    ck_assert_str_eq(database_text("SELECT " ALL_COLUMNS " FROM orders"),
                     "PO-1|900000002|PENDIENTE|2|45000.0000|COP|Botas|d@e.f|external|network:red");
    ck_assert_int_eq(plan().act, OFFER_STANDS);
}
END_TEST

START_TEST(ends_what_stood_for_the_reference) {
    keep(OFFER_INSERT);
    offer.po_id = TEXT("PO-2");
    keep(OFFER_INSERT);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(po_id, state ORDER BY id) FROM orders"),
                     "PO-1CANCELADA,PO-2PENDIENTE");
    ck_assert_str_eq(database_text("SELECT CONCAT_WS('|', what, from_state, to_state, actor) FROM events"
                                   " WHERE subject = 'order' AND version = 2 AND"
                                   " subject_id = (SELECT MIN(id) FROM orders)"),
                     "state|PENDIENTE|CANCELADA|network:red");
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM notifications"), 0);
}
END_TEST

/* Changes of the first order between reading and writing. */
static const char *const MEANWHILE[] = {
    "UPDATE orders SET held_by = 9, held_until = " IN_AN_HOUR,
    "UPDATE orders SET due_at = " NOW,
    "UPDATE orders SET state = 'CANCELADA'",
    "UPDATE orders SET amount = 5",
};

START_TEST(a_changed_order_is_judged_anew) {
    keep(OFFER_INSERT);
    offer.amount.units = 10000;
    struct offer_plan refresh = plan();
    offer.po_id = TEXT("PO-2");
    struct offer_plan replace = plan();
    ck_assert_int_eq(refresh.act, OFFER_REFRESH);
    ck_assert_ptr_nonnull(replace.ends);
    database_run("%s", MEANWHILE[_i]);
    const char *after = database_text("SELECT GROUP_CONCAT(" ALL_COLUMNS ") FROM orders");
    ck_assert_int_eq(write_planned(&replace), STATUS_CHANGED);
    offer.po_id = TEXT("PO-1");
    ck_assert_int_eq(write_planned(&refresh), STATUS_CHANGED);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(" ALL_COLUMNS ") FROM orders"), after);
}
END_TEST

START_TEST(an_offer_that_is_due_is_not_written) {
    struct offer_plan insert = plan();
    offer.due_at = scene.now;
    ck_assert_int_eq(write_planned(&insert), STATUS_CHANGED);
    offer.due_at += HOUR;
    keep(OFFER_INSERT);
    offer.amount.units = 10000;
    struct offer_plan refresh = plan();
    offer.due_at = scene.now;
    ck_assert_int_eq(write_planned(&refresh), STATUS_CHANGED);
}
END_TEST

/* The unique keys decide who is first; the second reads the winner's row. */
START_TEST(the_second_of_two_clashes) {
    struct offer_plan insert = plan();
    ck_assert_int_eq(write_planned(&insert), STATUS_OK);
    ck_assert_int_eq(write_planned(&insert), STATUS_CLASH);
    offer.po_id = TEXT("PO-2");
    ck_assert_int_eq(write_planned(&insert), STATUS_CLASH);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders"), 1);
}
END_TEST

START_TEST(numbers_are_the_merchants_own) {
    new_order(.po_id = "'PO-1'", .reference = "5");
    keep(OFFER_INSERT);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders"), 2);
}
END_TEST

static void store_query(uint64_t of, unsigned integration, const char *reference, unsigned age) {
    database_run("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference,"
                 " duration_us, outcome) SELECT " NOW " - INTERVAL %u HOUR, %" PRIu64 ", %u, id, '%s', %u, 'answered'"
                 " FROM networks",
                 age, of, integration, reference, age);
}

static void tell_query(void *context, const struct query_row *query) {
    struct text *told = context;
    *told = arena_print(arena, "%.*s%d ", TEXT_ARGS(*told), (int)query->record.took);
}

/* Of a merchant, an integration or a reference, the newest first; told by their ages. */
START_TEST(queries_are_listed_as_asked_for) {
    struct connection *operator= database_connect(OPERATOR);
    uint64_t other = new_merchant(.name = "'other'");
    sample_network(NULL);
    database_run("TRUNCATE external_queries");
    store_query(merchant, 1, "11", 3);
    store_query(other, 2, "11", 5);
    store_query(merchant, 3, "12", 1);
    store_query(merchant, 1, "12", 4);
    store_query(other, 2, "13", 2);
    const struct {
        struct query_filter filter;
        const char *ages;
    } LISTS[] = {{{.limit = 9}, "1 2 3 4 5 "},
                 {{.limit = 2}, "1 2 "},
                 {{.merchant_id = merchant, .limit = 9}, "1 3 4 "},
                 {{.merchant_id = merchant, .limit = 1}, "1 "},
                 {{.integration_id = 1, .limit = 9}, "3 4 "},
                 {{.integration_id = 2, .limit = 1}, "2 "},
                 {{.reference = TEXT("11"), .limit = 9}, "3 5 "},
                 {{.reference = TEXT("12"), .limit = 1}, "1 "}};
    for (size_t i = 0; i < COUNT_OF(LISTS); i++) {
        struct text told = TEXT("");
        ck_assert_int_eq(queries_list(operator, & LISTS[i].filter, arena, tell_query, &told), STATUS_OK);
        assert_text(told, LISTS[i].ages);
    }
    connection_close(operator);
}
END_TEST

/* Those of one instant, the one that was written last first. */
START_TEST(queries_of_one_instant_are_listed_newest_first) {
    const struct query_filter filters[] = {{.limit = 2},
                                           {.merchant_id = merchant, .limit = 2},
                                           {.integration_id = 1, .limit = 2},
                                           {.reference = TEXT("11"), .limit = 2}};
    struct connection *operator= database_connect(OPERATOR);
    sample_network(NULL);
    database_run("TRUNCATE external_queries");
    for (unsigned i = 1; i <= 3; i++) {
        store_query(merchant, 1, "11", i);
    }
    database_run("UPDATE external_queries SET asked_at = '2030-05-05'");
    for (size_t i = 0; i < COUNT_OF(filters); i++) {
        struct text told = TEXT("");
        ck_assert_int_eq(queries_list(operator, & filters[i], arena, tell_query, &told), STATUS_OK);
        assert_text(told, "3 2 ");
    }
    connection_close(operator);
}
END_TEST

TCase *offers_tests(void) {
    TCase *tests = database_case("offers");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, stores_what_is_offered);
    tcase_add_test(tests, an_offer_is_for_the_networks_that_asked);
    tcase_add_test(tests, refreshes_what_was_offered);
    tcase_add_test(tests, ends_what_stood_for_the_reference);
    add_table_test(tests, a_changed_order_is_judged_anew, MEANWHILE);
    tcase_add_test(tests, an_offer_that_is_due_is_not_written);
    tcase_add_test(tests, the_second_of_two_clashes);
    tcase_add_test(tests, numbers_are_the_merchants_own);
    tcase_add_test(tests, queries_are_listed_as_asked_for);
    tcase_add_test(tests, queries_of_one_instant_are_listed_newest_first);
    return tests;
}
