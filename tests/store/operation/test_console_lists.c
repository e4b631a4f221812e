#include "store.h"

#include "store/console/events.h"
#include "store/console/notifications.h"
#include "store/console/orders.h"

#include <inttypes.h>

/* Where the console's lists of events end and go on, what of them a reader sees, and a search among many merchants. */

static struct connection *console;
static struct console_reader all, own;
static struct text said;
static uint64_t mine, order, other_order, note;
static size_t asked_for; /* a list is ended after this many rows */
static size_t listed;

/* The events of one order, of another one and of their payments; the numbers of all things are the same by chance. */
static void add_events(void) {
    uint64_t payment = new_transaction(.order_id = order), other_payment = new_transaction(.order_id = other_order);
    database_run(EMPTY_TABLE("event_log"));
    database_run("INSERT INTO event_log"
                 " (subject, subject_id, what, to_state, order_id, actor) VALUES"
                 " ('order', %" PRIu64 ", 'created', 'PENDIENTE', NULL, 'a'),"
                 " ('network', %" PRIu64 ", 'changed', NULL, NULL, 'b'),"
                 " ('order', %" PRIu64 ", 'created', 'PENDIENTE', NULL, 'c'),"
                 " ('transaction', %" PRIu64 ", 'state', 'CONFIRMADA', %" PRIu64 ", 'd'),"
                 " ('transaction', %" PRIu64 ", 'state', 'CONFIRMADA', %" PRIu64 ", 'e'),"
                 " ('transaction', %" PRIu64 ", 'state', 'FINALIZADA', %" PRIu64 ", 'f'),"
                 " ('notification', %" PRIu64 ", 'created', 'pending', NULL, 'g'),"
                 " ('account', %" PRIu64 ", 'changed', NULL, NULL, 'h'),"
                 " ('account', %" PRIu64 ", 'changed', NULL, NULL, 'i'),"
                 " ('notification', %" PRIu64 ", 'created', 'pending', NULL, 'j'),"
                 " ('order', %" PRIu64 ", 'changed', NULL, NULL, 'k')",
                 order, order, other_order, payment, order, other_payment, other_order, payment, order, note, note,
                 payment, note + 1, order);
}

static uint64_t add_notice(uint64_t of_order, uint64_t merchant) {
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = %" PRIu64
                 ", status = 'approved', state = 'pending', amount = 5, payment_means = ''",
                 of_order, merchant);
    return database_number("SELECT LAST_INSERT_ID()");
}

static void set_up(void) {
    said = TEXT("");
    listed = 0;
    asked_for = SIZE_MAX;
    console = database_connect(CONSOLE);
    database_run("ALTER TABLE merchants AUTO_INCREMENT = 500000"); /* no order has the number of a merchant */
    mine = new_merchant(.name = "'mine'");
    uint64_t other = new_merchant(.name = "'other'");
    order = new_order(.merchant_id = mine, .reference = "1", .po_id = "'PO'");
    other_order = new_order(.merchant_id = other, .reference = "2", .po_id = "'PO'");
    note = add_notice(order, mine);
    add_notice(other_order, other);
    all = (struct console_reader){console, arena, {.everything = true}};
    own = (struct console_reader){console, arena, {.merchant_id = mine}};
    add_events();
}

static void tear_down(void) {
    connection_close(console);
}

static bool list_by_actor(void *context, const struct console_event *event) {
    (void)context;
    said = arena_print(arena, "%.*s%.*s", TEXT_ARGS(said), TEXT_ARGS(event->event.actor));
    return ++listed % asked_for != 0;
}

static void say_by_actor(void *context, const struct console_event *event) {
    list_by_actor(context, event);
}

/* Says who acted in each event of the list, newest first. */
static struct text actors(const struct console_reader *reader, const char *subject, uint64_t id) {
    const struct console_event_filter filter = {.subject = text_of(subject), .subject_id = id};
    struct console_place place = {0};
    said = TEXT("");
    listed = 0;
    for (int i = 0; i < 20 && !place.ended; i++) {
        ck_assert_int_eq(console_events_list(reader, &filter, &place, list_by_actor, NULL), STATUS_OK);
    }
    ck_assert(place.ended);
    return said;
}

START_TEST(a_list_of_events_goes_on_where_it_ended) {
    const size_t pages[] = {1, 2, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(pages); i++) {
        asked_for = pages[i];
        assert_text(actors(&all, "", 0), "kjihgfedcba");
        assert_text(actors(&all, "account", 0), "ih");
        assert_text(actors(&all, "order", order), "kfda");
        assert_text(actors(&all, "order", other_order), "ec");
        assert_text(actors(&all, "notification", note), "g");
        assert_text(actors(&all, "approval", order), "");
        assert_text(actors(&all, "order", order + 100), "");
    }
}
END_TEST

/* An order and an account have the merchant's number. */
START_TEST(a_merchants_user_lists_that_merchants_own_events) {
    new_transaction(.order_id = mine);
    database_run("INSERT INTO event_log (subject, subject_id, what, to_state, order_id, actor) VALUES"
                 " ('order', %" PRIu64 ", 'x', NULL, NULL, 'p'), ('account', %" PRIu64 ", 'x', NULL, NULL, 'q'),"
                 " ('merchant', %" PRIu64 ", 'x', NULL, NULL, 'r'), ('merchant', %" PRIu64 ", 'x', NULL, NULL, 's'),"
                 " ('transaction', (SELECT MAX(id) FROM transactions), 'state', 'CONFIRMADA', %" PRIu64 ", 't')",
                 mine, mine, mine, mine + 1, mine);
    assert_text(actors(&own, "merchant", mine), "r");
    assert_text(actors(&own, "merchant", mine + 1), "");
    assert_text(actors(&own, "order", mine), "");
    assert_text(actors(&own, "account", mine), "");
    assert_text(actors(&own, "", mine), "");
    assert_text(actors(&own, "", 0), "");
    assert_text(actors(&all, "order", mine), "tp");
}
END_TEST

START_TEST(events_of_an_order_are_told_in_their_order) {
    const struct console_reader nobody = {console, arena, {false, 0}};
    ck_assert_int_eq(console_events_of_order(&all, order, say_by_actor, NULL), STATUS_OK);
    ck_assert_int_eq(console_events_of_notifications(&all, order, say_by_actor, NULL), STATUS_OK);
    assert_text(said, "adfkg");
    ck_assert_int_eq(console_events_of_order(&own, order, say_by_actor, NULL), STATUS_OK);
    ck_assert_int_eq(console_events_of_notifications(&own, order, say_by_actor, NULL), STATUS_OK);
    assert_text(said, "adfkgadfkg");
    said = TEXT("");
    ck_assert_int_eq(console_events_of_order(&own, other_order, say_by_actor, NULL), STATUS_OK);
    ck_assert_int_eq(console_events_of_notifications(&own, other_order, say_by_actor, NULL), STATUS_OK);
    ck_assert_int_eq(console_events_of_order(&nobody, order, say_by_actor, NULL), STATUS_OK);
    ck_assert_int_eq(console_events_of_notifications(&nobody, order, say_by_actor, NULL), STATUS_OK);
    assert_text(said, "");
}
END_TEST

static bool say_wholly(void *context, const struct console_event *event) {
    const struct event *told = &event->event;
    (void)context;
    said = arena_print(arena, "%" PRIu64 " %.*s %" PRIu64 " %d %.*s %.*s %.*s %.*s %.*s %.*s", event->id,
                       TEXT_ARGS(event->subject), event->subject_id, (int)(told->at % MINUTE), TEXT_ARGS(told->what),
                       TEXT_ARGS(told->from), TEXT_ARGS(told->to), TEXT_ARGS(told->actor), TEXT_ARGS(told->reason),
                       TEXT_ARGS(told->changes));
    return false;
}

START_TEST(an_event_is_told_with_all_it_has) {
    static const uint64_t IDS[] = {0, 77};
    database_run("INSERT INTO event_log SET at = '2030-05-05 12:00:00.000007', subject = 'account',"
                 " subject_id = 77, what = 'w', from_state = 'f', to_state = 't', actor = 'eva', reason = 'why',"
                 " changes = '{}'");
    const char *id = database_text("SELECT LAST_INSERT_ID()");
    for (size_t i = 0; i < COUNT_OF(IDS); i++) {
        const struct console_event_filter filter = {.subject = TEXT("account"), .subject_id = IDS[i]};
        struct console_place place = {0};
        ck_assert_int_eq(console_events_list(&all, &filter, &place, say_wholly, NULL), STATUS_OK);
        assert_text(said, arena_print(arena, "%s account 77 7 w f t eva why {}", id).at);
        ck_assert_uint_eq(place.id, database_number("SELECT %s", id));
        ck_assert_int_eq(place.at % MINUTE, 7);
    }
}
END_TEST

static bool list_count(void *context, const struct console_event *event) {
    uint64_t *newest = context;
    *newest = listed++ == 0 ? event->id : *newest;
    return true;
}

static void say_count(void *context, const struct console_event *event) {
    list_count(context, event);
}

static void add_many(const char *subject, uint64_t id) {
    database_run("INSERT INTO event_log (subject, subject_id, what, actor)"
                 " SELECT '%s', %" PRIu64 ", 'x', 'eva' FROM seq_1_to_1000",
                 subject, id);
}

START_TEST(so_many_events_are_listed_at_once) {
    const struct console_event_filter filters[] = {
        {.since = 0}, {.subject = TEXT("order"), .subject_id = order}, {.subject = TEXT("account"), .subject_id = 1}};
    add_many("order", order);
    add_many("account", 1);
    for (size_t i = 0; i < COUNT_OF(filters); i++) {
        struct console_place place = {0};
        uint64_t newest = 0;
        listed = 0;
        ck_assert_int_eq(console_events_list(&all, &filters[i], &place, list_count, &newest), STATUS_OK);
        ck_assert_uint_eq(listed, 900);
        ck_assert_uint_eq(place.id, newest - 899);
        ck_assert(!place.ended);
    }
}
END_TEST

START_TEST(the_first_events_of_an_order_are_told) {
    uint64_t first = 0, begin = database_number("SELECT MIN(id) FROM event_log");
    add_many("order", order);
    ck_assert_int_eq(console_events_of_order(&own, order, say_count, &first), STATUS_OK);
    ck_assert_uint_eq(first, begin);
    ck_assert_uint_eq(listed, 300);
    add_many("notification", note);
    listed = 0;
    ck_assert_int_eq(console_events_of_notifications(&own, order, say_count, &first), STATUS_OK);
    ck_assert_uint_eq(first, begin + 6);
    ck_assert_uint_eq(listed, 300);
}
END_TEST

static void say_merchant(void *context, const struct order_now *found) {
    (void)context;
    said = arena_print(arena, "%.*s%.*s ", TEXT_ARGS(said), TEXT_ARGS(found->merchant));
}

/* They are tried 150 at a time, after the two of set_up: the first and the last of each time have one. */
START_TEST(an_order_is_found_among_many_merchants) {
    static const unsigned HAVE[] = {1, 148, 149, 298, 299};
    uint64_t before = mine + 1;
    database_run("INSERT INTO merchants (id, name, commerce, country, fixed_hash, notification_hash, changed_by)"
                 " SELECT %" PRIu64 " + seq, seq, 'x', 343, 'sealed', 'sealed', 'test' FROM seq_1_to_302",
                 before);
    for (size_t i = 0; i < COUNT_OF(HAVE); i++) {
        const char *reference = arena_print(arena, "%u", 10 + HAVE[i]).at;
        new_order(.merchant_id = before + HAVE[i], .reference = reference, .po_id = "'PO-9'");
        new_order(.merchant_id = before + HAVE[i], .reference = arena_print(arena, "9%s", reference).at);
    }
    own.scope.merchant_id = before + 149;
    ck_assert_int_eq(console_orders_search(&all, CONSOLE_BY_PO_ID, TEXT("PO-9"), say_merchant, NULL), STATUS_OK);
    assert_text(said, "1 148 149 298 299 ");
    said = TEXT("");
    ck_assert_int_eq(console_orders_search(&own, CONSOLE_BY_PO_ID, TEXT("PO-9"), say_merchant, NULL), STATUS_OK);
    assert_text(said, "149 ");
}
END_TEST

static bool list_notice(void *context, const struct notification_row *notice) {
    const uint64_t *first = context;
    said = arena_print(arena, "%.*s%d ", TEXT_ARGS(said), (int)(notice->id - *first));
    return ++listed % asked_for != 0;
}

static void say_query(void *context, const struct query_row *query) {
    (void)context;
    said = arena_print(arena, "%.*s%d ", TEXT_ARGS(said), (int)query->record.took);
}

static const struct {
    bool of_mine;
    const char *state;
    const char *told;
} OF_AN_INSTANT[] = {{false, "", "6 5 4 3 2 1 0 "},
                     {true, "", "5 4 3 2 0 "},
                     {false, "exhausted", "6 5 4 3 "},
                     {true, "exhausted", "5 4 3 "}};

START_TEST(notifications_of_one_instant_are_listed_once) {
    uint64_t first = note;
    for (size_t i = 0; i < 5; i++) {
        uint64_t id = add_notice(new_order(.merchant_id = mine, .reference = arena_print(arena, "7%zu", i).at),
                                 i == 4 ? mine + 1 : mine);
        database_run("UPDATE notifications SET state = IF(%d, 'exhausted', state), settled_at = IF(%d, due_at, NULL)"
                     " WHERE id = %" PRIu64,
                     i >= 1, i >= 1, id);
    }
    database_run("UPDATE notifications SET created_at = '2030-05-05', due_at = '2030-05-05'");
    const struct console_filter filter = {.merchant_id = OF_AN_INSTANT[_i].of_mine ? mine : 0,
                                          .state = text_of(OF_AN_INSTANT[_i].state)};
    for (asked_for = 1; asked_for <= 3; asked_for++) {
        struct console_place place = {0};
        said = TEXT("");
        listed = 0;
        for (int i = 0; i < 20 && !place.ended; i++) {
            ck_assert_int_eq(console_notifications_list(&all, &filter, &place, list_notice, &first), STATUS_OK);
        }
        assert_text(said, OF_AN_INSTANT[_i].told);
    }
}
END_TEST

START_TEST(queries_of_one_instant_are_listed_newest_first) {
    sample_network(NULL);
    database_run("TRUNCATE external_queries; INSERT INTO external_queries (asked_at, merchant_id, integration_id,"
                 " network_id, reference, duration_us, outcome) SELECT '2030-05-05', %" PRIu64 ", 1, (SELECT MAX(id)"
                 " FROM networks), '1', seq, 'answered' FROM seq_1_to_3",
                 mine);
    ck_assert_int_eq(console_queries_of_order(&all, order, say_query, NULL), STATUS_OK);
    ck_assert_int_eq(console_queries_of_merchant(&all, mine, say_query, NULL), STATUS_OK);
    ck_assert_int_eq(console_queries_of_reference(&all, TEXT("1"), say_query, NULL), STATUS_OK);
    assert_text(said, "3 2 1 3 2 1 3 2 1 ");
}
END_TEST

TCase *console_lists_tests(void) {
    TCase *tests = database_case("console_lists");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_list_of_events_goes_on_where_it_ended);
    tcase_add_test(tests, a_merchants_user_lists_that_merchants_own_events);
    tcase_add_test(tests, events_of_an_order_are_told_in_their_order);
    tcase_add_test(tests, an_event_is_told_with_all_it_has);
    tcase_add_test(tests, so_many_events_are_listed_at_once);
    tcase_add_test(tests, the_first_events_of_an_order_are_told);
    tcase_add_test(tests, an_order_is_found_among_many_merchants);
    add_table_test(tests, notifications_of_one_instant_are_listed_once, OF_AN_INSTANT);
    tcase_add_test(tests, queries_of_one_instant_are_listed_newest_first);
    return tests;
}
