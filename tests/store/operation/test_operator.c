#include "store.h"

#include "store/party/accounts.h"
#include "store/party/changeovers.h"
#include "store/party/countries.h"
#include "store/party/currencies.h"
#include "store/party/merchants.h"
#include "store/party/networks.h"
#include "store/party/sealed_rows.h"

#include <inttypes.h>

#define ACTOR TEXT("operator:ana")

static struct connection *by_operator;

static void set_up(void) {
    by_operator = database_connect(OPERATOR);
}

static void tear_down(void) {
    database_run("DELETE FROM old_secret_uses");
    connection_close(by_operator);
}

/* Words collected by the callbacks below, each followed by a comma. */
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

static void collect_country(void *context, const struct country_row *country) {
    (void)context;
    collect(arena_print(arena, "%" PRIu64 " %.*s", country->code, TEXT_ARGS(country->currency)));
}

static void collect_currency(void *context, const struct currency_row *currency) {
    (void)context;
    collect(currency->code);
}

static const struct network_access NO_LIMITS = {{"", 0}, {0, 0}, {false, SIGNATURE_OFF}};

static void rotate_network(const char *name, const char *sealed, duration overlap) {
    struct network_description was;
    ck_assert_int_eq(networks_describe(by_operator, text_of(name), arena, &was), STATUS_OK);
    ck_assert_int_eq(networks_rotate(by_operator, &was, text_of(sealed), overlap, ACTOR), STATUS_OK);
}

START_TEST(keeps_networks) {
    struct party_row row;
    struct network_description description;
    ck_assert_int_eq(networks_insert(by_operator, TEXT("Red Ñandú"), TEXT("a\0b"), &NO_LIMITS, ACTOR), STATUS_OK);
    ck_assert_int_eq(networks_insert(by_operator, TEXT("Red Ñandú"), TEXT("x"), &NO_LIMITS, ACTOR), STATUS_CLASH);
    ck_assert_int_eq(networks_find(owner, TEXT("Red Ñandú"), arena, &row), STATUS_OK);
    ck_assert(row.enabled && text_equal(row.sealed_hash.current, TEXT("a\0b")));
    ck_assert_int_eq(networks_find(owner, TEXT("red Ñandú"), arena, &row), STATUS_NONE);
    ck_assert_int_eq(networks_set_enabled(by_operator, TEXT("Red Ñandú"), true, ACTOR), STATUS_CHANGED);
    ck_assert_int_eq(networks_set_enabled(by_operator, TEXT("Red Ñandú"), false, ACTOR), STATUS_OK);
    ck_assert_int_eq(networks_set_enabled(by_operator, TEXT("none"), false, ACTOR), STATUS_CHANGED);
    rotate_network("Red Ñandú", "new", HOUR);
    ck_assert_int_eq(networks_find(owner, TEXT("Red Ñandú"), arena, &row), STATUS_OK);
    ck_assert(!row.enabled && text_equal(row.sealed_hash.current, TEXT("new")));
    ck_assert_int_eq(networks_describe(by_operator, TEXT("Red Ñandú"), arena, &description), STATUS_OK);
    assert_text(description.changed_by, "operator:ana");
    sample_network("Red Alta");
    ck_assert_int_eq(networks_list(by_operator, arena, collect_network, NULL), STATUS_OK);
    assert_text(collected, "Red Alta,Red Ñandú,");
}
END_TEST

static void assert_limits(const char *allow, uint64_t rate, uint64_t burst, struct network_description *out) {
    struct party_row row;
    ck_assert_int_eq(networks_describe(by_operator, TEXT("red"), arena, out), STATUS_OK);
    ck_assert_int_eq(networks_find(owner, TEXT("red"), arena, &row), STATUS_OK);
    assert_text(out->access.allow, allow);
    assert_text(row.allow, allow);
    ck_assert(out->access.rate.per_second == rate && row.rate.per_second == rate);
    ck_assert(out->access.rate.burst == burst && row.rate.burst == burst);
}

/* Events outlive their networks. */
#define OF_THE_NETWORK "subject = 'network' AND subject_id = (SELECT id FROM networks)"

START_TEST(keeps_access_of_networks) {
    const struct network_access limits = {TEXT("192.0.2.0/24 2001:db8::/32"), {5, 20}, {true, SIGNATURE_REQUIRED}};
    struct network_description was, is;
    ck_assert_int_eq(networks_insert(by_operator, TEXT("red"), TEXT("x"), &limits, ACTOR), STATUS_OK);
    assert_limits("192.0.2.0/24 2001:db8::/32", 5, 20, &was);
    ck_assert(was.access.signing.ids_are_distinct && was.plain_until == 0);
    ck_assert_int_eq(was.access.signing.signature, SIGNATURE_REQUIRED);
    ck_assert_int_eq(networks_set_access(by_operator, &was, &NO_LIMITS, ACTOR), STATUS_OK);
    assert_limits("", 0, 0, &is);
    ck_assert_int_eq(networks_set_access(by_operator, &was, &limits, ACTOR), STATUS_CHANGED);
    assert_limits("", 0, 0, &is);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM events WHERE what = 'limits' AND " OF_THE_NETWORK), 2);
}
END_TEST

/* Returns what a worker reads: the secret, the previous one, and whether that is valid for long. */
static const char *found_pair(void) {
    struct party_row row;
    ck_assert_int_eq(networks_find(owner, TEXT("red"), arena, &row), STATUS_OK);
    const struct sealed_pair *pair = &row.sealed_hash;
    return arena_print(arena, "%.*s %.*s %s", TEXT_ARGS(pair->current), TEXT_ARGS(pair->old),
                       pair->old_for > 50 * MINUTE && pair->old_for <= HOUR ? "long"
                       : pair->old_for == 0                                 ? "no"
                                                                            : "other")
        .at;
}

static const char *events_of_network(void) {
    return database_text("SELECT GROUP_CONCAT(what ORDER BY id) FROM events WHERE " OF_THE_NETWORK);
}

START_TEST(keeps_the_secret_before_until_its_end) {
    struct text red = TEXT("red");
    struct network_description network;
    ck_assert_int_eq(networks_insert(by_operator, red, TEXT("a"), &NO_LIMITS, ACTOR), STATUS_OK);
    ck_assert_str_eq(found_pair(), "a  no");
    rotate_network("red", "b", HOUR);
    ck_assert_str_eq(found_pair(), "b a long");
    rotate_network("red", "c", HOUR);
    ck_assert_str_eq(found_pair(), "c b long");
    database_run("UPDATE networks SET old_hash_until = UTC_TIMESTAMP(6)");
    ck_assert_str_eq(found_pair(), "c  no");
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM events WHERE what = 'changed' AND " OF_THE_NETWORK
                                      " AND JSON_EXTRACT(changes, '$.old_hash_until[1]') IS NOT NULL"),
                      1);
    ck_assert_int_eq(networks_describe(by_operator, red, arena, &network), STATUS_OK);
    ck_assert(network.old_hash_until == 0);
    ck_assert_int_eq(networks_end_old_secret(by_operator, &network, ACTOR), STATUS_CHANGED);
    rotate_network("red", "d", HOUR);
    ck_assert_int_eq(networks_end_old_secret(by_operator, &network, ACTOR), STATUS_CHANGED);
    ck_assert_str_eq(found_pair(), "d c long");
    ck_assert_int_eq(networks_describe(by_operator, red, arena, &network), STATUS_OK);
    ck_assert_int_eq(networks_end_old_secret(by_operator, &network, ACTOR), STATUS_OK);
    ck_assert_str_eq(found_pair(), "d  no");
    rotate_network("red", "e", 0);
    ck_assert_str_eq(found_pair(), "e  no");
    ck_assert_str_eq(events_of_network(), "created,rotated,rotated,changed,rotated,old secret ended,rotated");
}
END_TEST

START_TEST(rotates_only_what_was_read) {
    struct network_description network;
    ck_assert_int_eq(networks_insert(by_operator, TEXT("red"), TEXT("a"), &NO_LIMITS, ACTOR), STATUS_OK);
    ck_assert_int_eq(networks_describe(by_operator, TEXT("red"), arena, &network), STATUS_OK);
    rotate_network("red", "b", HOUR);
    ck_assert_int_eq(networks_rotate(by_operator, &network, TEXT("c"), HOUR, ACTOR), STATUS_CHANGED);
    ck_assert_str_eq(found_pair(), "b a long");
}
END_TEST

START_TEST(a_rotation_forgets_who_used_the_old_one) {
    struct network_description network;
    ck_assert_int_eq(networks_insert(by_operator, TEXT("red"), TEXT("a"), &NO_LIMITS, ACTOR), STATUS_OK);
    ck_assert_int_eq(networks_describe(by_operator, TEXT("red"), arena, &network), STATUS_OK);
    ck_assert_int_eq(changeovers_note_old_secret(owner, TEXT("network"), network.id), STATUS_OK);
    ck_assert_int_eq(changeovers_note_old_secret(owner, TEXT("network"), network.id), STATUS_OK);
    ck_assert_int_eq(changeovers_note_old_secret(owner, TEXT("merchant"), network.id), STATUS_OK);
    ck_assert_int_eq(networks_describe(by_operator, TEXT("red"), arena, &network), STATUS_OK);
    ck_assert(network.old_hash_used_at != 0);
    rotate_network("red", "b", HOUR);
    ck_assert_int_eq(networks_describe(by_operator, TEXT("red"), arena, &network), STATUS_OK);
    ck_assert(network.old_hash_used_at == 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM old_secret_uses"), 1);
}
END_TEST

/* A row of old_secret_uses is removed only for the party itself, and only if it gets a new secret. */
static const struct {
    const char *party, *change;
    uint64_t left;
} NEW_SECRETS[] = {
    {"network", "fixed_hash = 'b'", 0},
    {"network", "fixed_hash = 'b', reencrypted = reencrypted + 1", 1},
    {"network", "enabled = FALSE", 1},
    {"merchant", "fixed_hash = 'b'", 0},
    {"merchant", "fixed_hash = 'b', reencrypted = reencrypted + 1", 1},
    {"merchant", "notification_hash = 'b'", 1},
    {"merchant", "enabled = FALSE", 1},
};

START_TEST(only_a_new_secret_forgets_who_used_the_old_one) {
    const char *party = NEW_SECRETS[_i].party;
    new_merchant(.name = "'red'");
    sample_network("red");
    for (int others = -1; others <= 1; others++) {
        database_run("INSERT INTO old_secret_uses (party, party_id) SELECT 'network', id + %d FROM networks", others);
        database_run("INSERT INTO old_secret_uses (party, party_id) SELECT 'merchant', id + %d FROM merchants", others);
    }
    database_run("UPDATE %ss SET changed_by = 'x', %s", party, NEW_SECRETS[_i].change);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM old_secret_uses JOIN %ss p ON p.id = party_id"
                                      " WHERE party = '%s'",
                                      party, party),
                      NEW_SECRETS[_i].left);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM old_secret_uses"), 5 + NEW_SECRETS[_i].left);
}
END_TEST

START_TEST(replaces_ciphertexts_only_of_what_was_read) {
    struct sealed_row rows[2];
    size_t count;
    const struct text after[SEALED_MAX] = {TEXT("B"), TEXT("A")};
    ck_assert_int_eq(networks_insert(by_operator, TEXT("red"), TEXT("a"), &NO_LIMITS, ACTOR), STATUS_OK);
    rotate_network("red", "b", HOUR);
    ck_assert_int_eq(sealed_rows_read(by_operator, SEALED_NETWORKS, 0, 2, arena, rows, &count), STATUS_OK);
    ck_assert_uint_eq(count, 1);
    ck_assert(text_equal(rows[0].sealed[0], TEXT("b")) && text_equal(rows[0].sealed[1], TEXT("a")));
    ck_assert_int_eq(sealed_rows_replace(by_operator, SEALED_NETWORKS, &rows[0], after, ACTOR), STATUS_OK);
    ck_assert_str_eq(found_pair(), "B A long");
    ck_assert_int_eq(sealed_rows_replace(by_operator, SEALED_NETWORKS, &rows[0], after, ACTOR), STATUS_CHANGED);
    ck_assert_str_eq(events_of_network(), "created,rotated,reencrypted");
    ck_assert_int_eq(sealed_rows_read(by_operator, SEALED_NETWORKS, rows[0].id, 2, arena, rows, &count), STATUS_OK);
    ck_assert_uint_eq(count, 0);
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

static enum status rotate_merchant(enum merchant_secret secret, const struct merchant_description *was,
                                   const char *sealed) {
    return merchants_rotate(by_operator, secret, was, text_of(sealed), HOUR, ACTOR);
}

/* A rotation is refused if the merchant was modified since it was read. */
START_TEST(keeps_merchants) {
    ck_assert_int_eq(merchants_insert(by_operator, TEXT("shop"), &SETTINGS, TEXT("a"), TEXT("b"), ACTOR), STATUS_OK);
    ck_assert_int_eq(merchants_insert(by_operator, TEXT("shop"), &SETTINGS, TEXT("a"), TEXT("b"), ACTOR), STATUS_CLASH);
    struct merchant_description merchant = describe_merchant();
    ck_assert(merchant.enabled);
    assert_text(merchant.settings.notify_url, "http://a/");
    assert_text(merchant.settings.notify_digest, "sha512");
    assert_text(merchant.settings.acknowledgement, "http2xx");
    ck_assert_int_eq(merchants_set_enabled(by_operator, TEXT("shop"), false, ACTOR), STATUS_OK);
    ck_assert_int_eq(merchants_set_enabled(by_operator, TEXT("shop"), false, ACTOR), STATUS_CHANGED);
    ck_assert_int_eq(rotate_merchant(MERCHANT_FIXED_HASH, &merchant, "x"), STATUS_CHANGED);
    merchant = describe_merchant();
    ck_assert(!merchant.enabled);
    ck_assert_int_eq(rotate_merchant(MERCHANT_FIXED_HASH, &merchant, "c"), STATUS_OK);
    ck_assert_int_eq(rotate_merchant(MERCHANT_NOTIFICATION_HASH, &merchant, "x"), STATUS_CHANGED);
    merchant = describe_merchant();
    ck_assert_int_eq(rotate_merchant(MERCHANT_NOTIFICATION_HASH, &merchant, "d"), STATUS_OK);
    for (enum merchant_secret secret = MERCHANT_FIXED_HASH; secret <= MERCHANT_NOTIFICATION_HASH; secret++) {
        ck_assert_int_eq(merchants_end_old_secret(by_operator, secret, &merchant, ACTOR), STATUS_CHANGED);
        merchant = describe_merchant();
        ck_assert_int_eq(merchants_end_old_secret(by_operator, secret, &merchant, ACTOR), STATUS_OK);
    }
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
    ck_assert_int_eq(merchants_change(by_operator, TEXT("none"), &OTHERS, ACTOR), STATUS_CHANGED);
}
END_TEST

START_TEST(logs_no_document_of_a_customer) {
    const struct account account = {.document = TEXT("CC-\xC3\x91-7766"), /* the column is ASCII */
                                    .document_type = TEXT("CC"),
                                    .name = TEXT("Ana"),
                                    .lastname1 = TEXT("Paz"),
                                    .currency = TEXT("COP")};
    ck_assert_int_eq(accounts_insert(by_operator, &account, ACTOR), STATUS_FAULT);
    ck_assert_ptr_nonnull(strstr(log_last_error(), "SQLSTATE 22007 (1366)"));
    ck_assert_ptr_null(strstr(log_last_error(), "7766"));
}
END_TEST

START_TEST(keeps_accounts_and_their_movements) {
    struct account_description description;
    const struct account account = {.document = TEXT("CC-1"),
                                    .document_type = TEXT("CC"),
                                    .name = TEXT("Ana"),
                                    .lastname1 = TEXT("Paz"),
                                    .currency = TEXT("COP")};
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

/* Another change of a merchant without a URL makes no notification due. */
START_TEST(what_waits_for_an_address_waits_until_there_is_one) {
    uint64_t merchant = new_merchant(.name = "'tienda'");
    uint64_t order = new_order(.merchant_id = merchant, .state = "'VENCIDA'");
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = %" PRIu64
                 ", sequence = 1, status = 'cancelled', state = 'unaddressed', amount = 5, payment_means = ''",
                 order, merchant);
    database_run("UPDATE merchants SET enabled = FALSE WHERE id = %" PRIu64, merchant);
    ck_assert_str_eq(database_text("SELECT state FROM notifications"), "unaddressed");
    database_run("UPDATE merchants SET notify_url = 'http://a.example/' WHERE id = %" PRIu64, merchant);
    ck_assert_str_eq(database_text("SELECT state FROM notifications"), "pending");
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
    tcase_add_test(tests, keeps_access_of_networks);
    tcase_add_test(tests, keeps_the_secret_before_until_its_end);
    tcase_add_test(tests, rotates_only_what_was_read);
    tcase_add_test(tests, a_rotation_forgets_who_used_the_old_one);
    add_table_test(tests, only_a_new_secret_forgets_who_used_the_old_one, NEW_SECRETS);
    tcase_add_test(tests, replaces_ciphertexts_only_of_what_was_read);
    tcase_add_test(tests, keeps_merchants);
    tcase_add_test(tests, changes_only_the_settings_given);
    tcase_add_test(tests, logs_no_document_of_a_customer);
    tcase_add_test(tests, keeps_accounts_and_their_movements);
    tcase_add_test(tests, what_waits_for_an_address_waits_until_there_is_one);
    tcase_add_test(tests, lists_countries_and_currencies);
    return tests;
}
