#include "store.h"

#include "store/db/party_row.h"
#include "store/party/merchants.h"
#include "store/party/networks.h"
#include "store/party/sealed_rows.h"

#include <inttypes.h>

/* Secrets of networks and merchants: a new one, how long the old one is good beside it, and what is encrypted anew. The
 * clock stands still at noon. */

#define NOON "'2030-05-05 12:00:00'"
#define JUST " + INTERVAL 1 MICROSECOND"

enum whose { NETWORK, MERCHANT, NOTIFICATIONS };

static const enum whose WHOSE[] = {NETWORK, MERCHANT, NOTIFICATIONS};

static const struct text NAME = TEXT("mine"), ACTOR = TEXT("Ana");

static struct connection *by_operator;

static void set_up(void) {
    by_operator = database_connect(OPERATOR);
    database_stop_clock(by_operator, NOON);
    database_stop_clock(owner, NOON);
    sample_network("mine");
    sample_network("other");
    new_merchant(.name = "'mine'", .notify_url = "'http://a/'");
    new_merchant(.name = "'other'");
}

static void tear_down(void) {
    connection_close(by_operator);
}

static const char *table_of(enum whose whose) {
    return whose == NETWORK ? "networks" : "merchants";
}

static const char *column_of(enum whose whose) {
    return whose == NOTIFICATIONS ? "notification_hash" : "fixed_hash";
}

static const char *old_column_of(enum whose whose) {
    return whose == NOTIFICATIONS ? "old_notification_hash" : "old_hash";
}

/* Returns all secrets of the table: name, the secret, the one before, and for how many seconds that one is good. */
static const char *secrets(enum whose whose) {
    const char *old = old_column_of(whose);
    return database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', name, %s, %s, TIMESTAMPDIFF(SECOND, " NOON
                         ", %s_until), IF(changed_by = 'test', NULL, changed_by)) ORDER BY name) FROM %s",
                         column_of(whose), old, old, table_of(whose));
}

static enum status rotate(enum whose whose, const char *secret, duration overlap, instant changed_later) {
    if (whose == NETWORK) {
        struct network_description was;
        ck_assert_int_eq(networks_describe(owner, NAME, arena, &was), STATUS_OK);
        was.changed_at += changed_later;
        return networks_rotate(by_operator, &was, text_of(secret), overlap, ACTOR);
    }
    struct merchant_description was;
    ck_assert_int_eq(merchants_describe(owner, NAME, arena, &was), STATUS_OK);
    was.changed_at += changed_later;
    return merchants_rotate(by_operator, whose == MERCHANT ? MERCHANT_FIXED_HASH : MERCHANT_NOTIFICATION_HASH, &was,
                            text_of(secret), overlap, ACTOR);
}

static enum status end_old(enum whose whose, instant changed_later) {
    if (whose == NETWORK) {
        struct network_description was;
        ck_assert_int_eq(networks_describe(owner, NAME, arena, &was), STATUS_OK);
        was.changed_at += changed_later;
        return networks_end_old_secret(by_operator, &was, ACTOR);
    }
    struct merchant_description was;
    ck_assert_int_eq(merchants_describe(owner, NAME, arena, &was), STATUS_OK);
    was.changed_at += changed_later;
    return merchants_end_old_secret(by_operator, whose == MERCHANT ? MERCHANT_FIXED_HASH : MERCHANT_NOTIFICATION_HASH,
                                    &was, ACTOR);
}

/* Lets the old secret of everybody be good until then. */
static void keep_old_until(enum whose whose, const char *moment) {
    database_run("UPDATE %s SET %s = 'before', %s_until = %s, changed_by = CONCAT(changed_by, '')", table_of(whose),
                 old_column_of(whose), old_column_of(whose), moment);
}

START_TEST(the_secret_before_stays_good_for_a_while) {
    enum whose whose = WHOSE[_i];
    ck_assert_int_eq(rotate(whose, "two", MINUTE, 1), STATUS_CHANGED);
    ck_assert_str_eq(secrets(whose), "mine sealed,other sealed");
    ck_assert_int_eq(rotate(whose, "two", MINUTE, 0), STATUS_OK);
    ck_assert_str_eq(secrets(whose), "mine two sealed 60 Ana,other sealed");
    ck_assert_int_eq(rotate(whose, "three", 2 * MINUTE, 0), STATUS_OK);
    ck_assert_str_eq(secrets(whose), "mine three two 120 Ana,other sealed");
    ck_assert_int_eq(rotate(whose, "four", 1, 0), STATUS_OK); /* for a microsecond */
    ck_assert_str_eq(secrets(whose), "mine four three 0 Ana,other sealed");
    ck_assert_int_eq(rotate(whose, "five", 0, 0), STATUS_OK);
    ck_assert_str_eq(secrets(whose), "mine five Ana,other sealed");
}
END_TEST

START_TEST(an_old_secret_is_ended_while_it_is_good) {
    enum whose whose = WHOSE[_i];
    ck_assert_int_eq(end_old(whose, 0), STATUS_CHANGED);
    keep_old_until(whose, NOON);
    const char *before = secrets(whose);
    ck_assert_int_eq(end_old(whose, 0), STATUS_CHANGED);
    ck_assert_str_eq(secrets(whose), before);
    keep_old_until(whose, NOON JUST);
    ck_assert_int_eq(end_old(whose, 1), STATUS_CHANGED);
    ck_assert_str_eq(secrets(whose), before);
    ck_assert_int_eq(end_old(whose, 0), STATUS_OK);
    ck_assert_str_eq(strchr(before, ','), strchr(secrets(whose), ','));
    ck_assert_ptr_null(strstr(secrets(whose), "mine sealed before"));
}
END_TEST

static const char *say_pair(const struct sealed_pair *pair) {
    return arena_print(arena, "%.*s %.*s %d", TEXT_ARGS(pair->current), TEXT_ARGS(pair->old), (int)pair->old_for).at;
}

/* Until when the old secret is good, and what is read of it. */
static const struct {
    const char *until, *pair;
    bool is_told;
} OLD[] = {
    {NOON, "sealed  0", false},
    {NOON JUST, "sealed before 1", true},
    {NOON JUST JUST, "sealed before 2", true},
};

START_TEST(an_old_secret_is_read_until_its_end) {
    struct party_row network, merchant;
    struct network_description of_network;
    struct merchant_description of_merchant;
    struct merchant_target target;
    for (size_t i = 0; i < COUNT_OF(WHOSE); i++) {
        keep_old_until(WHOSE[i], OLD[_i].until);
    }
    ck_assert_int_eq(networks_find(owner, NAME, arena, &network), STATUS_OK);
    ck_assert_str_eq(say_pair(&network.sealed_hash), OLD[_i].pair);
    ck_assert_int_eq(merchants_find(owner, NAME, arena, &merchant), STATUS_OK);
    ck_assert_str_eq(say_pair(&merchant.sealed_hash), OLD[_i].pair);
    ck_assert_int_eq(merchants_find_target(owner, NAME, arena, &target), STATUS_OK);
    ck_assert_str_eq(say_pair(&target.sealed_hash), OLD[_i].pair);
    ck_assert_int_eq(networks_describe(owner, NAME, arena, &of_network), STATUS_OK);
    ck_assert_int_eq(of_network.old_hash_until != 0, OLD[_i].is_told);
    ck_assert_int_eq(merchants_describe(owner, NAME, arena, &of_merchant), STATUS_OK);
    ck_assert_int_eq(of_merchant.old_hash_until != 0, OLD[_i].is_told);
    ck_assert_int_eq(of_merchant.old_notification_hash_until != 0, OLD[_i].is_told);
}
END_TEST

/* What another has changed since the row was read: then nothing is replaced. */
static const struct {
    enum sealed_table table;
    const char *change;
    enum status status;
} REPLACED[] = {
    {SEALED_NETWORKS, "DO 0", STATUS_OK},
    {SEALED_NETWORKS, "UPDATE networks SET fixed_hash = 'other'", STATUS_CHANGED},
    {SEALED_NETWORKS, "UPDATE networks SET old_hash = 'other'", STATUS_CHANGED},
    {SEALED_NETWORKS, "UPDATE networks SET old_hash = NULL, old_hash_until = NULL", STATUS_CHANGED},
    {SEALED_MERCHANTS, "DO 0", STATUS_OK},
    {SEALED_MERCHANTS, "UPDATE merchants SET fixed_hash = 'other'", STATUS_CHANGED},
    {SEALED_MERCHANTS, "UPDATE merchants SET notification_hash = 'other'", STATUS_CHANGED},
    {SEALED_MERCHANTS, "UPDATE merchants SET old_hash = 'other'", STATUS_CHANGED},
    {SEALED_MERCHANTS, "UPDATE merchants SET old_notification_hash = NULL, old_notification_hash_until = NULL",
     STATUS_CHANGED},
};

#define ALL_OF(table, columns)                                                                                         \
    "SELECT GROUP_CONCAT(CONCAT_WS(' ', name, " columns ", reencrypted) ORDER BY name) FROM " table

static const char *ciphertexts(void) {
    return arena_print(
               arena, "%s; %s", database_text(ALL_OF("networks", "fixed_hash, old_hash")),
               database_text(ALL_OF("merchants", "fixed_hash, old_hash, notification_hash, old_notification_hash")))
        .at;
}

START_TEST(what_was_read_is_replaced) {
    enum sealed_table table = REPLACED[_i].table;
    struct sealed_row rows[2];
    size_t count;
    for (size_t i = 0; i < COUNT_OF(WHOSE); i++) {
        keep_old_until(WHOSE[i], NOON);
    }
    ck_assert_int_eq(sealed_rows_read(owner, table, 0, 1, arena, rows, &count), STATUS_OK);
    ck_assert_uint_eq(count, 1);
    database_run("%s", REPLACED[_i].change);
    const char *before = ciphertexts();
    const struct text after[SEALED_MAX] = {TEXT("1"), TEXT("2"), TEXT("3"), TEXT("4")};
    ck_assert_int_eq(sealed_rows_replace(owner, table, &rows[0], after, ACTOR), REPLACED[_i].status);
    ck_assert_str_eq(ciphertexts(), REPLACED[_i].status == STATUS_CHANGED ? before
                                    : table == SEALED_NETWORKS
                                        ? "mine 1 2 1,other sealed before 0;"
                                          " mine sealed before sealed before 0,other sealed before sealed before 0"
                                        : "mine sealed before 0,other sealed before 0;"
                                          " mine 1 2 3 4 1,other sealed before sealed before 0");
}
END_TEST

static const enum sealed_table TABLES[] = {SEALED_NETWORKS, SEALED_MERCHANTS, SEALED_MERCHANT_LOGINS};

START_TEST(they_are_read_from_a_row_on) {
    struct sealed_row rows[3];
    size_t count;
    sample_network("third");
    new_merchant(.name = "'third'");
    ck_assert_int_eq(sealed_rows_read(owner, TABLES[_i], 0, 2, arena, rows, &count), STATUS_OK);
    ck_assert_uint_eq(count, 2);
    assert_text(rows[0].name, "mine");
    assert_text(rows[1].name, "other");
    ck_assert_int_eq(sealed_rows_read(owner, TABLES[_i], rows[0].id, 3, arena, rows, &count), STATUS_OK);
    ck_assert_uint_eq(count, 2);
    assert_text(rows[0].name, "other");
    assert_text(rows[1].name, "third");
}
END_TEST

TCase *secrets_tests(void) {
    TCase *tests = database_case("secrets");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, the_secret_before_stays_good_for_a_while, WHOSE);
    add_table_test(tests, an_old_secret_is_ended_while_it_is_good, WHOSE);
    add_table_test(tests, an_old_secret_is_read_until_its_end, OLD);
    add_table_test(tests, what_was_read_is_replaced, REPLACED);
    add_table_test(tests, they_are_read_from_a_row_on, TABLES);
    return tests;
}
