/* To whom a reference belongs, and for how long (doc/protocol.md, "Whose a reference is"). */
#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

static MYSQL *mysql;
static uint64_t first, second;

static void set_up(void) {
    mysql = database_login(OWNER);
    first = new_merchant(.name = "'first'");
    second = new_merchant(.name = "'second'");
}

static void tear_down(void) {
    mysql_close(mysql);
}

static unsigned order_error(uint64_t merchant, const char *reference) {
    static unsigned count;
    return database_error(
        mysql,
        "INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by)"
        " VALUES (%" PRIu64 ", 'R-%u', '%s', 1, 'COP', 'registered', " IN_AN_HOUR ", 'test')",
        merchant, ++count, reference);
}

static unsigned account_error(const char *document) {
    return database_error(
        mysql,
        "INSERT INTO accounts SET document = '%s', document_type = 'CC', name = 'Ana', lastname1 = 'Paz',"
        " lastname2 = 'Sol', currency = 'COP', changed_by = 'test'",
        document);
}

static void close_order(const char *reference) {
    database_run(
        "UPDATE orders SET state = 'VENCIDA', changed_by = 'test' WHERE reference = '%s' AND state = 'PENDIENTE'",
        reference);
}

static void keep_references_for(uint64_t merchant, unsigned seconds) {
    database_run("UPDATE merchants SET reference_quarantine = %u, changed_by = 'test' WHERE id = %" PRIu64, seconds,
                 merchant);
}

/* Returns for how many seconds the reference stays reserved for the first merchant after its last use. */
static const char *kept_for(const char *reference) {
    return database_text("SELECT TIMESTAMPDIFF(MICROSECOND, GREATEST(MAX(o.closed_at), MAX(r.taken_at)),"
                         " reference_kept_until('%s', %" PRIu64 ")) / 1000000"
                         " FROM orders o JOIN reference_owners r ON r.reference = '%s' WHERE o.merchant_id = %" PRIu64,
                         reference, first, reference, first);
}

static const char *owner_of(const char *reference) {
    return database_text(
        "SELECT COALESCE(m.name, 'an account') FROM reference_owners r LEFT JOIN merchants m ON m.id = r.merchant_id"
        " WHERE r.reference = '%s'",
        reference);
}

START_TEST(reference_is_kept_for_90_days) {
    ck_assert_uint_eq(order_error(first, "4711"), 0);
    ck_assert_uint_eq(order_error(second, "4711"), ER_DUP_ENTRY);
    close_order("4711");
    ck_assert_str_eq(kept_for("4711"), "7776000.0000");
    ck_assert_uint_eq(order_error(second, "4711"), ER_DUP_ENTRY);
    ck_assert_uint_eq(account_error("4711"), ER_DUP_ENTRY);
    ck_assert_str_eq(owner_of("4711"), "first");
}
END_TEST

START_TEST(another_gets_it_afterwards) {
    ck_assert_uint_eq(order_error(first, "4711"), 0);
    close_order("4711");
    keep_references_for(second, 0);
    ck_assert_uint_eq(order_error(second, "4711"), ER_DUP_ENTRY);
    keep_references_for(first, 0);
    ck_assert_uint_eq(_i == 0 ? order_error(second, "4711") : account_error("4711"), 0);
    ck_assert_str_eq(owner_of("4711"), _i == 0 ? "second" : "an account");
    ck_assert_uint_eq(order_error(first, "4711"), ER_DUP_ENTRY);
}
END_TEST

START_TEST(merchant_uses_its_own_again_at_once) {
    ck_assert_uint_eq(order_error(first, "4711"), 0);
    close_order("4711");
    ck_assert_uint_eq(order_error(first, "4711"), 0);
    ck_assert_uint_eq(database_number("SELECT uses FROM reference_owners WHERE reference = '4711'"), 2);
}
END_TEST

START_TEST(open_order_keeps_it) {
    ck_assert_uint_eq(order_error(first, "4711"), 0);
    close_order("4711");
    ck_assert_uint_eq(order_error(first, "4711"), 0);
    keep_references_for(first, 0);
    ck_assert_uint_eq(order_error(second, "4711"), ER_DUP_ENTRY);
    ck_assert_uint_eq(account_error("4711"), ER_DUP_ENTRY);
    ck_assert_str_eq(owner_of("4711"), "first");
}
END_TEST

/* Customers may still have slips with the old reference, so its quarantine begins. The merchant's other references are
 * unchanged. */
START_TEST(reference_that_was_given_up_is_kept) {
    ck_assert_uint_eq(order_error(first, "4711"), 0);
    ck_assert_uint_eq(order_error(first, "4712"), 0);
    ck_assert_uint_eq(order_error(second, "4713"), 0);
    database_run("UPDATE reference_owners SET taken_at = '2020-01-01'");
    database_run("UPDATE orders SET reference = '4714', changed_by = 'test' WHERE reference = '4711'");
    ck_assert_str_eq(
        database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', reference, uses, taken_at > '2020-01-01') ORDER BY reference)"
                      " FROM reference_owners"),
        "4711 2 1,4712 1 0,4713 1 0,4714 1 1");
    ck_assert_uint_eq(order_error(second, "4711"), ER_DUP_ENTRY);
    database_run("UPDATE reference_owners SET taken_at = " NOW
                 " - INTERVAL 90 DAY + INTERVAL 1 MINUTE WHERE reference = '4711'");
    ck_assert_uint_eq(order_error(second, "4711"), ER_DUP_ENTRY);
    database_run("UPDATE reference_owners SET taken_at = " NOW " - INTERVAL 90 DAY WHERE reference = '4711'");
    ck_assert_uint_eq(order_error(second, "4711"), 0);
}
END_TEST

START_TEST(account_keeps_its_number_for_ever) {
    ck_assert_uint_eq(account_error("4711"), 0);
    database_run("UPDATE reference_owners SET taken_at = '2020-01-01'");
    ck_assert_uint_eq(order_error(first, "4711"), ER_DUP_ENTRY);
    ck_assert_uint_eq(order_error(first, "4712"), 0);
    ck_assert_uint_ne(database_error(mysql, "UPDATE orders SET reference = '4711' WHERE reference = '4712'"), 0);
    ck_assert_str_eq(owner_of("4711"), "an account");
}
END_TEST

static unsigned prefix_error(uint64_t merchant, const char *prefix) {
    return database_error(
        mysql, "INSERT INTO reference_prefixes (prefix, merchant_id, changed_by) VALUES ('%s', %" PRIu64 ", 'test')",
        prefix, merchant);
}

static uint64_t is_anothers(const char *reference, uint64_t merchant) {
    return database_number("SELECT reference_is_anothers('%s', %" PRIu64 ")", reference, merchant);
}

/* What an external query asks before it stores what a merchant answered. */
START_TEST(what_is_anothers) {
    ck_assert_uint_eq(prefix_error(first, "471"), 0);
    ck_assert_uint_eq(order_error(first, "900"), 0);
    ck_assert_uint_eq(account_error("901"), 0);
    ck_assert_uint_eq(is_anothers("4715", first), 0);
    ck_assert_uint_eq(is_anothers("4715", second), 1);
    ck_assert_uint_eq(is_anothers("4725", second), 0);
    ck_assert_uint_eq(is_anothers("900", second), 0); /* an open order tells of itself */
    ck_assert_uint_eq(is_anothers("901", second), 1);
    close_order("900");
    ck_assert_uint_eq(is_anothers("900", second), 1);
    ck_assert_uint_eq(is_anothers("900", first), 0);
}
END_TEST

START_TEST(prefix_is_one_merchants) {
    ck_assert_uint_eq(prefix_error(first, "471"), 0);
    ck_assert_uint_eq(order_error(second, "471"), ER_DUP_ENTRY);
    ck_assert_uint_eq(order_error(second, "4715"), ER_DUP_ENTRY);
    ck_assert_uint_eq(order_error(first, "4715"), 0);
    ck_assert_uint_eq(order_error(second, "472"), 0);
    ck_assert_uint_eq(order_error(first, "473"), 0);
    ck_assert_uint_ne(database_error(mysql, "UPDATE orders SET reference = '4716' WHERE reference = '472'"), 0);
    ck_assert_uint_eq(account_error("4717"), 0);
}
END_TEST

static const struct {
    const char *other;
    bool refused;
} OVERLAPS[] = {{"4711", true}, {"47115", true}, {"471", true}, {"4712", false}, {"472", false}, {"111", false}};

START_TEST(prefixes_of_two_merchants_never_overlap) {
    ck_assert_uint_eq(prefix_error(first, "4711"), 0);
    ck_assert_uint_eq(prefix_error(second, OVERLAPS[_i].other), OVERLAPS[_i].refused ? ER_DUP_ENTRY : 0);
    if (OVERLAPS[_i].refused && strcmp(OVERLAPS[_i].other, "4711") != 0) {
        ck_assert_uint_eq(prefix_error(first, OVERLAPS[_i].other), 0);
    }
}
END_TEST

/* Whether an integration of the second merchant, with this code, would answer for a reference of the first one. An
 * agreement code (kind 1) may be the whole reference; a prefix (kind 2) is for references of 9 to 16 digits. */
static const struct {
    unsigned kind;
    const char *code, *reference;
    bool refused;
} CODES[] = {
    {1, "5", "5", true},
    {1, "5", "51", true},
    {1, "5", "6", false},
    {1, "51", "5", false},
    {1, "4711", "4712", false},
    {1, "4711", "47110", true},
    {1, "4711", "47119", true},
    {1, "1234567890123456", "1234567890123456", true},
    {1, "4711", "4711567890123456", true},
    {1, "4711", "47115678901234567", false},
    {2, "4711", "47115678", false},
    {2, "4711", "471156789", true},
    {2, "4711", "4711567890123456", true},
    {2, "4711", "47115678901234567", false},
    {2, "471156789", "471156789", false},
    {2, "471156789", "4711567890", true},
    {2, "472", "471156789", false},
};

static unsigned integration_error(uint64_t merchant, unsigned kind, const char *code) {
    return database_error(mysql,
                          "INSERT INTO integrations SET merchant_id = %" PRIu64
                          ", kind = %u, code = '%s', network_id = %s,"
                          " endpoint = 'http://a/', currency = 'COP', changed_by = 'test'",
                          merchant, kind, code, kind == 1 ? "(SELECT MAX(id) FROM networks)" : "NULL");
}

static void remove_integrations(void) {
    database_run("UPDATE integrations SET removed_at = utc_now(), changed_by = 'test' WHERE removed_at IS NULL");
}

/* Neither as a prefix nor as the code of an integration. */
START_TEST(nothing_overlaps_an_integration_of_another_merchant) {
    const char *other = OVERLAPS[_i].other;
    unsigned error = OVERLAPS[_i].refused ? ER_DUP_ENTRY : 0;
    sample_network(NULL);
    ck_assert_uint_eq(integration_error(first, 2, "4711"), 0);
    ck_assert_uint_eq(prefix_error(second, other), error);
    ck_assert_uint_eq(integration_error(second, 1, other), error);
    if (OVERLAPS[_i].refused) {
        ck_assert_uint_eq(integration_error(first, 1, other), 0);
        remove_integrations();
        ck_assert_uint_eq(integration_error(second, 1, other), 0);
    }
}
END_TEST

/* Also while the order is closed and the reference is still the other one's. */
START_TEST(no_code_takes_over_references_of_another) {
    const char *reference = CODES[_i].reference;
    unsigned kind = CODES[_i].kind, refused = CODES[_i].refused ? ER_DUP_ENTRY : 0;
    sample_network(NULL);
    ck_assert_uint_eq(order_error(first, reference), 0);
    ck_assert_uint_eq(integration_error(second, kind, CODES[_i].code), refused);
    remove_integrations();
    close_order(reference);
    database_run("UPDATE reference_owners SET taken_at = '2020-01-01'");
    ck_assert_uint_eq(integration_error(second, kind, CODES[_i].code), refused);
    remove_integrations();
    keep_references_for(second, 0);
    ck_assert_uint_eq(integration_error(first, kind, CODES[_i].code), 0);
    remove_integrations();
    keep_references_for(first, 0);
    ck_assert_uint_eq(integration_error(second, kind, CODES[_i].code), 0);
}
END_TEST

static void assert_in_the_way(const char *what) {
    const char *name = database_text("SELECT name FROM merchants WHERE id = %" PRIu64, first);
    ck_assert_str_eq(mysql_error(mysql),
                     arena_print(arena, "Duplicate entry for key 'prefix_overlap': %s of %s", what, name).at);
}

START_TEST(the_refusal_names_what_is_in_the_way) {
    sample_network(NULL);
    ck_assert_uint_eq(prefix_error(first, "471"), 0);
    ck_assert_uint_eq(integration_error(first, 2, "472"), 0);
    ck_assert_uint_eq(order_error(first, "4735678"), 0);
    ck_assert_uint_eq(prefix_error(second, "4715"), ER_DUP_ENTRY);
    assert_in_the_way("prefix 471");
    ck_assert_uint_eq(prefix_error(second, "4725"), ER_DUP_ENTRY);
    assert_in_the_way(database_text("SELECT CONCAT('integration ', MAX(id)) FROM integrations"));
    ck_assert_uint_eq(integration_error(second, 1, "473"), ER_DUP_ENTRY);
    assert_in_the_way("reference 4735678");
}
END_TEST

TCase *references_tests(void) {
    TCase *tests = database_case("references");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, reference_is_kept_for_90_days);
    tcase_add_loop_test(tests, another_gets_it_afterwards, 0, 2);
    tcase_add_test(tests, merchant_uses_its_own_again_at_once);
    tcase_add_test(tests, open_order_keeps_it);
    tcase_add_test(tests, reference_that_was_given_up_is_kept);
    tcase_add_test(tests, account_keeps_its_number_for_ever);
    tcase_add_test(tests, what_is_anothers);
    tcase_add_test(tests, prefix_is_one_merchants);
    tcase_add_loop_test(tests, prefixes_of_two_merchants_never_overlap, 0, COUNT_OF(OVERLAPS));
    tcase_add_loop_test(tests, nothing_overlaps_an_integration_of_another_merchant, 0, COUNT_OF(OVERLAPS));
    add_table_test(tests, no_code_takes_over_references_of_another, CODES);
    tcase_add_test(tests, the_refusal_names_what_is_in_the_way);
    return tests;
}
