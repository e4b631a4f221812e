#include "store.h"

#include <inttypes.h>

/* The consequences of a new secret and of a new notify_url of a party. */

static void name_parties(const char *notify_url) {
    uint64_t merchant = new_merchant(.notify_url = notify_url);
    database_run("SET @merchant = %" PRIu64 ", @network = %" PRIu64, merchant, sample_network(NULL));
}

/* Returns who still uses an old secret, of the two parties and two others. */
static const char *users_of_old_secrets(void) {
    return database_text(
        "SELECT COALESCE(GROUP_CONCAT(CONCAT(party, IF(party_id IN (@network, @merchant), '', ' else'))"
        " ORDER BY party, party_id), 'nobody') FROM old_secret_uses");
}

static const struct {
    const char *change, *users;
} ROTATIONS[] = {
    {"UPDATE networks SET fixed_hash = 'new' WHERE id = @network", "network else,merchant,merchant else"},
    {"UPDATE networks SET fixed_hash = 'new', reencrypted = 1 WHERE id = @network",
     "network,network else,merchant,merchant else"},
    {"UPDATE networks SET enabled = FALSE WHERE id = @network", "network,network else,merchant,merchant else"},
    {"UPDATE merchants SET fixed_hash = 'new' WHERE id = @merchant", "network,network else,merchant else"},
    {"UPDATE merchants SET fixed_hash = 'new', reencrypted = 1 WHERE id = @merchant",
     "network,network else,merchant,merchant else"},
    {"UPDATE merchants SET notification_hash = 'new' WHERE id = @merchant",
     "network,network else,merchant,merchant else"},
};

START_TEST(a_new_secret_forgets_who_used_the_old_one) {
    name_parties(NULL);
    database_run("TRUNCATE old_secret_uses; INSERT INTO old_secret_uses (party, party_id) VALUES ('network', @network),"
                 " ('merchant', @merchant), ('network', 1000000 + @merchant), ('merchant', 1000000 + @network)");
    database_run("%s", ROTATIONS[_i].change);
    ck_assert_str_eq(users_of_old_secrets(), ROTATIONS[_i].users);
    database_run("TRUNCATE old_secret_uses");
}
END_TEST

static const struct {
    const char *change;
    uint64_t left; /* rows left, of the network and another one */
} SIGNATURES[] = {
    {"signature = 'required'", 1},           {"signature = 'off'", 1},
    {"signature = 'accepted'", 2},           {"enabled = FALSE", 2},
    {"distinct_from = UTC_TIMESTAMP(6)", 2},
};

START_TEST(another_rule_forgets_unsigned_requests) {
    name_parties(NULL);
    database_run("UPDATE networks SET signature = 'accepted' WHERE id = @network");
    database_run("INSERT INTO unsigned_uses (network_id) VALUES (@network), (1000000 + @network)");
    database_run("UPDATE networks SET %s WHERE id = @network", SIGNATURES[_i].change);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM unsigned_uses"), SIGNATURES[_i].left);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM unsigned_uses WHERE network_id = @network"),
                      SIGNATURES[_i].left - 1);
    database_run("TRUNCATE unsigned_uses");
}
END_TEST

/* One order was paid and refunded; of another, only the refund is notified. Each row gives the notifications'
 * states. */
static const struct {
    const char *notify_url, *first, *second, *change, *after;
} ADDRESSED[] = {
    {"NULL", "unaddressed", "unaddressed", "'http://b/'", "pending,waiting now; now"},
    {"NULL", "delivered", "unaddressed", "'http://b/'", "delivered,pending now"},
    {"NULL", "exhausted", "unaddressed", "'http://b/'", "exhausted,pending now"},
    {"NULL", "pending", "unaddressed", "'http://b/'", "pending,waiting now"},
    {"NULL", "waiting", "unaddressed", "'http://b/'", "waiting,waiting now"},
    {"NULL", "unaddressed", "unaddressed", "NULL", "unaddressed,unaddressed"},
    {"'http://a/'", "unaddressed", "unaddressed", "'http://b/'", "unaddressed,unaddressed"},
    {"'http://a/'", "unaddressed", "unaddressed", "NULL", "unaddressed,unaddressed"},
};

static void add_notes(const char *merchant, uint64_t order, const char *first, const char *second) {
    database_run(
        "INSERT INTO notifications (order_id, merchant_id, sequence, status, state, amount, payment_means, due_at)"
        " VALUES (%" PRIu64 ", %s, 1, 'approved', '%s', 5, '', '2026-01-01'),"
        " (%" PRIu64 ", %s, 2, 'cancelled', '%s', 5, '', '2026-01-01')",
        order, merchant, first, order, merchant, second);
}

START_TEST(a_new_address_is_told_what_waited_for_one) {
    name_parties(ADDRESSED[_i].notify_url);
    uint64_t order = new_order(.state = "'VENCIDA'"), others = new_order(.state = "'VENCIDA'", .reference = "2");
    add_notes("@merchant", order, ADDRESSED[_i].first, ADDRESSED[_i].second);
    add_notes("@merchant + 1000", others, "unaddressed", "unaddressed");
    database_run("UPDATE merchants SET notify_url = %s, changed_by = 'eva' WHERE id = @merchant", ADDRESSED[_i].change);
    const char *states = database_text(
        "SELECT GROUP_CONCAT(state ORDER BY sequence) FROM notifications WHERE order_id = %" PRIu64, order);
    const char *dues = database_text(
        "SELECT COALESCE(GROUP_CONCAT(IF(due_at BETWEEN " NOW " - INTERVAL 1 MINUTE AND " NOW
        " AND changed_by = 'eva', 'now', due_at) ORDER BY sequence SEPARATOR '; '), '') FROM notifications"
        " WHERE due_at > '2026-01-01' AND order_id = %" PRIu64,
        order);
    ck_assert_str_eq(*dues == '\0' ? states : arena_print(arena, "%s %s", states, dues).at, ADDRESSED[_i].after);
    ck_assert_str_eq(
        database_text("SELECT GROUP_CONCAT(DISTINCT state) FROM notifications WHERE order_id = %" PRIu64, others),
        "unaddressed");
}
END_TEST

static const struct {
    const char *notify_url, *change;
    bool rests;
} RESTS[] = {
    {"'http://a/'", "notify_url = 'http://b/'", false},
    {"NULL", "notify_url = 'http://b/'", false},
    {"'http://a/'", "notify_url = NULL", false},
    {"'http://a/'", "notify_url = 'http://a/', commerce = 'B'", true},
};

START_TEST(only_a_changed_address_ends_the_rest) {
    name_parties(RESTS[_i].notify_url);
    database_run("TRUNCATE endpoints; INSERT INTO endpoints (merchant_id, failures) VALUES (@merchant, 3),"
                 " (@merchant + 1000, 3)");
    database_run("UPDATE merchants SET %s WHERE id = @merchant", RESTS[_i].change);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM endpoints WHERE merchant_id = @merchant"), RESTS[_i].rests);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM endpoints WHERE merchant_id > @merchant"), 1);
    database_run("TRUNCATE endpoints");
}
END_TEST

TCase *parties_tests(void) {
    TCase *tests = database_case("parties");
    add_table_test(tests, a_new_secret_forgets_who_used_the_old_one, ROTATIONS);
    add_table_test(tests, another_rule_forgets_unsigned_requests, SIGNATURES);
    add_table_test(tests, a_new_address_is_told_what_waited_for_one, ADDRESSED);
    add_table_test(tests, only_a_changed_address_ends_the_rest, RESTS);
    return tests;
}
