#include "store.h"

#include "store/console/parties.h"

#include <inttypes.h>

/* What the console reads of merchants and networks. For its connection it is always noon. */

#define NOON      "'2030-05-05 12:00:00'"
#define BEFORE(n) NOON " - INTERVAL " #n " SECOND"
#define JUST      " + INTERVAL 1 MICROSECOND"

static struct connection *console;
static struct console_reader all;
static struct text said;

static void empty(void) {
    database_run("TRUNCATE endpoints; TRUNCATE endpoint_tests; TRUNCATE attempts");
}

static void set_up(void) {
    said = TEXT("");
    console = database_connect(CONSOLE);
    database_stop_clock(console, NOON);
    all = (struct console_reader){console, arena, {.everything = true}};
    empty();
}

static void tear_down(void) {
    connection_close(console);
    empty();
}

static uint64_t add_merchant(const char *name) {
    return new_merchant(.name = arena_print(arena, "'%s'", name).at, .notify_url = "'http://now/'");
}

static uint64_t add_notice(uint64_t merchant, const char *state, const char *due_at, unsigned attempts) {
    database_run("INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, due_at,"
                 " attempts, created_at) SELECT 1 + COUNT(*), %" PRIu64
                 ", 'approved', '%s', 5, '', %s, %u, " BEFORE(60) " FROM notifications",
                 merchant, state, due_at, attempts);
    return database_number("SELECT LAST_INSERT_ID()");
}

static void add_attempt(uint64_t notice, const char *started_at, const char *url, const char *reason) {
    database_run("INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, url, address,"
                 " reason, late, reply, lease) SELECT %" PRIu64 ", 1 + COUNT(*), 1, %s, 5, '%s', '', '%s', FALSE, '',"
                 " LPAD(COUNT(*), 16, 'l') FROM attempts",
                 notice, started_at, url, reason);
}

static void add_test(uint64_t merchant, const char *done_at, const char *url, const char *reason) {
    database_run("INSERT INTO endpoint_tests SET merchant_id = %" PRIu64
                 ", asked_at = " BEFORE(90) ", asked_by = 'x',"
                                            " currency = 'COP', done_at = %s, url = '%s', reason = '%s'",
                 merchant, done_at, url, reason);
}

static int seconds_to_noon(instant at) {
    return at == 0 ? 0 : (int)((database_instant(NOON) - at) / SECOND);
}

static void say_facts(void *context, const struct console_merchant *merchant) {
    (void)context;
    said = arena_print(arena, "%.*s%.*s%s%s%s%s; ", TEXT_ARGS(said), TEXT_ARGS(merchant->description.name),
                       merchant->has_retries ? " retries" : "", merchant->has_given_up ? " given-up" : "",
                       merchant->last_test_failed ? " failed" : "", merchant->is_acknowledged ? " acknowledged" : "");
}

static void say_state(void *context, const struct console_merchant *merchant) {
    (void)context;
    said =
        arena_print(arena, "%.*s%.*s %.*s %.*s %d %d %d %d; ", TEXT_ARGS(said), TEXT_ARGS(merchant->description.name),
                    TEXT_ARGS(merchant->currency), TEXT_ARGS(merchant->time_zone), (int)merchant->failures,
                    seconds_to_noon(merchant->failing_since), seconds_to_noon(merchant->resting_until),
                    seconds_to_noon(merchant->refusing_since));
}

START_TEST(each_merchant_has_its_own_state) {
    uint64_t resting = add_merchant("b"), refusing = add_merchant("a"), peruvian = add_merchant("c");
    database_run("INSERT INTO endpoints SET merchant_id = %" PRIu64
                 ", failures = 4, failing_since = " BEFORE(70) ", resting_until = " BEFORE(20),
                 resting);
    database_run("UPDATE notifications SET created_at = " BEFORE(1200) " WHERE id = %" PRIu64,
                 add_notice(refusing, "pending", NOON JUST, 1));
    database_run(
        "UPDATE merchants SET country = (SELECT code FROM countries WHERE currency = 'PEN') WHERE id = %" PRIu64,
        peruvian);
    ck_assert_int_eq(console_merchants_list(&all, TEXT(""), say_state, NULL), STATUS_OK);
    assert_text(said, "a COP America/Bogota 0 0 0 1200; b COP America/Bogota 4 70 20 0;"
                      " c PEN America/Lima 0 0 0 0; ");
}
END_TEST

#define NOW_URL "http://now/"

/* Makes merchants with one fact each; the last one, with all of them, is another's. */
static void add_facts(void) {
    add_notice(add_merchant("due"), "pending", NOON, 1);
    add_notice(add_merchant("first"), "pending", NOON JUST, 0);
    add_notice(add_merchant("given"), "exhausted", NOON JUST, 1);
    add_notice(add_merchant("retry"), "pending", NOON JUST, 1);
    add_attempt(add_notice(add_merchant("told"), "delivered", NOON, 1), BEFORE(9), NOW_URL, "acknowledged");
    add_attempt(add_notice(add_merchant("told-else"), "delivered", NOON, 1), BEFORE(9), "http://then/", "acknowledged");
    add_attempt(add_notice(add_merchant("untold"), "delivered", NOON, 1), BEFORE(9), NOW_URL, "timeout");
    uint64_t once = add_merchant("was-told");
    add_attempt(add_notice(once, "delivered", NOON, 1), BEFORE(9), NOW_URL, "acknowledged");
    add_notice(once, "delivered", NOON JUST, 1);
    add_attempt(add_notice(add_merchant("will-be"), "pending", NOON, 0), BEFORE(9), NOW_URL, "acknowledged");
}

static void add_tested(void) {
    add_test(add_merchant("x-failed"), BEFORE(9), NOW_URL, "timeout");
    add_test(add_merchant("x-failed-there"), BEFORE(9), "http://then/", "timeout");
    add_test(add_merchant("x-passed"), BEFORE(9), NOW_URL, "acknowledged");
    add_test(add_merchant("x-untested"), "NULL", NOW_URL, "");
    uint64_t both = add_merchant("y-later"), earlier = add_merchant("y-sooner");
    uint64_t notices[] = {add_notice(both, "delivered", NOON, 2), add_notice(earlier, "delivered", NOON, 2)};
    for (size_t i = 0; i < COUNT_OF(notices); i++) {
        add_attempt(notices[i], BEFORE(20), NOW_URL, "acknowledged");
        add_attempt(notices[i], BEFORE(10), NOW_URL, "acknowledged");
    }
    add_test(both, BEFORE(5), NOW_URL, "timeout");
    add_test(earlier, BEFORE(15), NOW_URL, "timeout");
}

START_TEST(what_is_known_of_endpoints_is_each_merchants) {
    add_facts();
    add_tested();
    ck_assert_int_eq(console_merchants_list(&all, TEXT(""), say_facts, NULL), STATUS_OK);
    assert_text(said, "due; first; given given-up; retry retries; told acknowledged; told-else; untold; was-told;"
                      " will-be; x-failed failed; x-failed-there; x-passed acknowledged; x-untested; y-later failed;"
                      " y-sooner acknowledged; ");
}
END_TEST

/* A user of one merchant reads that merchant only, whatever is asked for. */
START_TEST(a_merchant_is_found_by_who_may) {
    struct console_merchant found;
    uint64_t mine = add_merchant("mine"), other = add_merchant("other");
    const struct console_reader own = {console, arena, {.merchant_id = mine}}, none = {console, arena, {false, 0}};
    add_notice(mine, "exhausted", NOON, 1);
    ck_assert_int_eq(console_merchants_find(&all, other, &found), STATUS_OK);
    say_facts(NULL, &found);
    ck_assert_int_eq(console_merchants_find(&own, mine, &found), STATUS_OK);
    say_facts(NULL, &found);
    ck_assert_int_eq(console_merchants_find(&own, other, &found), STATUS_NONE);
    ck_assert_int_eq(console_merchants_find(&none, mine, &found), STATUS_NONE);
    ck_assert_int_eq(console_merchants_find(&all, other + 1, &found), STATUS_NONE);
    ck_assert_int_eq(console_merchants_list(&own, TEXT("z"), say_facts, NULL), STATUS_OK);
    ck_assert_int_eq(console_merchants_list(&none, TEXT(""), say_facts, NULL), STATUS_OK);
    assert_text(said, "other; mine given-up; mine given-up; ");
}
END_TEST

enum { PAGE = 200, LISTED = 202 };

struct listed {
    size_t count;
    struct text first, last;
};

static void note_name(void *context, struct text name) {
    struct listed *listed = context;
    if (listed->count++ == 0) {
        listed->first = name;
    }
    listed->last = name;
}

static void note_merchant(void *context, const struct console_merchant *merchant) {
    note_name(context, merchant->description.name);
}

static void note_name_of(void *context, uint64_t id, struct text name) {
    ck_assert_uint_eq(id, database_number("SELECT id FROM merchants WHERE name = '%.*s'", TEXT_ARGS(name)));
    note_name(context, name);
}

static void note_network(void *context, const struct network_description *network) {
    note_name(context, network->name);
}

static enum status merchants_page(const struct console_reader *reader, struct text after, struct listed *out) {
    return console_merchants_list(reader, after, note_merchant, out);
}

static enum status names_page(const struct console_reader *reader, struct text after, struct listed *out) {
    return console_merchants_names(reader, after, note_name_of, out);
}

static enum status networks_page(const struct console_reader *reader, struct text after, struct listed *out) {
    return console_networks_list(reader, after, note_network, out);
}

static const struct {
    enum status (*page)(const struct console_reader *reader, struct text after, struct listed *out);
    const char *table, *others;
    size_t own; /* how many a user of a merchant reads */
} PAGES[] = {
    {merchants_page, "merchants", ", commerce = 'x', country = 343, notification_hash = 'x'", 1},
    {names_page, "merchants", ", commerce = 'x', country = 343, notification_hash = 'x'", 0},
    {networks_page, "networks", "", 0},
};

START_TEST(a_page_has_200_after_a_name) {
    struct listed first = {0}, second = {0}, own = {0};
    for (unsigned i = LISTED; i > 0; i--) {
        database_run("INSERT INTO %s SET name = 'n%03u', fixed_hash = 'x', changed_by = 'test'%s", PAGES[_i].table, i,
                     PAGES[_i].others);
    }
    ck_assert_int_eq(PAGES[_i].page(&all, TEXT(""), &first), STATUS_OK);
    ck_assert_uint_eq(first.count, PAGE);
    assert_text(first.first, "n001");
    assert_text(first.last, "n200");
    ck_assert_int_eq(PAGES[_i].page(&all, first.last, &second), STATUS_OK);
    ck_assert_uint_eq(second.count, LISTED - PAGE);
    assert_text(second.first, "n201");
    assert_text(second.last, "n202");
    const struct console_reader of_one = {
        console, arena, {.merchant_id = database_number("SELECT MIN(id) FROM %s", PAGES[_i].table)}};
    ck_assert_int_eq(PAGES[_i].page(&of_one, TEXT(""), &own), STATUS_OK);
    ck_assert_uint_eq(own.count, PAGES[_i].own);
}
END_TEST

static void note_network_name(void *context, uint64_t id, struct text name) {
    ck_assert_uint_eq(id, database_number("SELECT id FROM networks WHERE name = '%.*s'", TEXT_ARGS(name)));
    note_name(context, name);
}

START_TEST(all_networks_are_named_to_staff) {
    struct listed names = {0}, own = {0};
    for (unsigned i = LISTED; i > 0; i--) {
        database_run("INSERT INTO networks SET name = 'n%03u', fixed_hash = 'x', changed_by = 'test'", i);
    }
    ck_assert_int_eq(console_networks_names(&all, note_network_name, &names), STATUS_OK);
    ck_assert_uint_eq(names.count, LISTED);
    assert_text(names.first, "n001");
    assert_text(names.last, "n202");
    const struct console_reader of_one = {console, arena, {.merchant_id = 1}};
    ck_assert_int_eq(console_networks_names(&of_one, note_network_name, &own), STATUS_OK);
    ck_assert_uint_eq(own.count, 0);
}
END_TEST

START_TEST(a_network_is_found_by_staff) {
    struct network_description found;
    uint64_t south = sample_network("south"), north = sample_network("north");
    const struct console_reader own = {console, arena, {.merchant_id = north}};
    ck_assert_int_eq(console_networks_find(&all, south, &found), STATUS_OK);
    assert_text(found.name, "south");
    ck_assert_int_eq(console_networks_find(&all, north, &found), STATUS_OK);
    assert_text(found.name, "north");
    ck_assert_int_eq(console_networks_find(&all, north + 1, &found), STATUS_NONE);
    ck_assert_int_eq(console_networks_find(&own, north, &found), STATUS_NONE);
}
END_TEST

TCase *console_parties_tests(void) {
    TCase *tests = database_case("console_parties");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, each_merchant_has_its_own_state);
    tcase_add_test(tests, what_is_known_of_endpoints_is_each_merchants);
    tcase_add_test(tests, a_merchant_is_found_by_who_may);
    add_table_test(tests, a_page_has_200_after_a_name, PAGES);
    tcase_add_test(tests, all_networks_are_named_to_staff);
    tcase_add_test(tests, a_network_is_found_by_staff);
    return tests;
}
