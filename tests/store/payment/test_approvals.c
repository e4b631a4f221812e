#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* Changes that need a second user's approval: how the database itself makes, refuses and protects them. */

/* A waiting change of a party, and the party's values before and after it. */
struct waiting {
    const char *kind, *rule, *ask, *changes, *now, *before, *after, *meanwhile;
    bool is_secret;
};

#define ASK(kind, subject, url, secret, kept)                                                                          \
    "SELECT approval_ask('" kind "', " subject ", " url ", " secret ", " kept ", 'why', @asker)"
#define IN_ABOUT_AN_HOUR " BETWEEN utc_now() + INTERVAL 59 MINUTE AND utc_now() + INTERVAL 60 MINUTE"
#define KEPT_SECRET      "IF(old_hash_until" IN_ABOUT_AN_HOUR ", 'an hour', old_hash_until)"
#define KEPT_SIGNATURE   "IF(old_notification_hash_until" IN_ABOUT_AN_HOUR ", 'an hour', old_notification_hash_until)"

static const struct waiting WAITING[] = {
    {"notify_url", "notify_url", ASK("notify_url", "@merchant", "'http://b/'", "NULL", "0"),
     "{\"merchant\":[null,#],\"notify_url\":[\"http://a/\", \"http://b/\"]}",
     "SELECT COALESCE(notify_url, 'none') FROM merchants WHERE id = @merchant", "http://a/", "http://b/",
     "UPDATE merchants SET notify_url = 'http://c/' WHERE id = @merchant", false},
    {"notify_url", "notify_url", ASK("notify_url", "@merchant", "''", "'never'", "0"),
     "{\"merchant\":[null,#],\"notify_url\":[\"http://a/\", null]}",
     "SELECT COALESCE(notify_url, 'none') FROM merchants WHERE id = @merchant", "http://a/", "none",
     "UPDATE merchants SET notify_url = NULL WHERE id = @merchant", false},
    {"merchant_secret", "secrets", ASK("merchant_secret", "@merchant", "NULL", "'new'", "3600000000"),
     "{\"merchant\":[null,#],\"fixed_hash\":\"changed\",\"kept\":[null,3600000000]}",
     "SELECT CONCAT_WS(' ', fixed_hash, old_hash, " KEPT_SECRET ", notification_hash) FROM merchants"
     " WHERE id = @merchant",
     "sealed sealed", "new sealed an hour sealed", "UPDATE merchants SET fixed_hash = 'x' WHERE id = @merchant", true},
    {"merchant_secret", "secrets", ASK("merchant_secret", "@merchant", "NULL", "'new'", "0"),
     "{\"merchant\":[null,#],\"fixed_hash\":\"changed\",\"kept\":[null,0]}",
     "SELECT CONCAT_WS(' ', fixed_hash, old_hash, old_hash_until, notification_hash) FROM merchants"
     " WHERE id = @merchant",
     "sealed sealed", "new sealed", "UPDATE merchants SET fixed_hash = 'x' WHERE id = @merchant", true},
    {"notification_secret", "secrets", ASK("notification_secret", "@merchant", "NULL", "'new'", "3600000000"),
     "{\"merchant\":[null,#],\"notification_hash\":\"changed\",\"kept\":[null,3600000000]}",
     "SELECT CONCAT_WS(' ', notification_hash, old_notification_hash, " KEPT_SIGNATURE
     ", fixed_hash) FROM merchants WHERE id = @merchant",
     "sealed sealed", "new sealed an hour sealed", "UPDATE merchants SET notification_hash = 'x' WHERE id = @merchant",
     true},
    {"notification_secret", "secrets", ASK("notification_secret", "@merchant", "NULL", "'new'", "0"),
     "{\"merchant\":[null,#],\"notification_hash\":\"changed\",\"kept\":[null,0]}",
     "SELECT CONCAT_WS(' ', notification_hash, old_notification_hash, old_notification_hash_until, fixed_hash)"
     " FROM merchants WHERE id = @merchant",
     "sealed sealed", "new sealed", "UPDATE merchants SET notification_hash = 'x' WHERE id = @merchant", true},
    {"network_secret", "secrets", ASK("network_secret", "@network", "NULL", "'new'", "3600000000"),
     "{\"network\":[null,#],\"fixed_hash\":\"changed\",\"kept\":[null,3600000000]}",
     "SELECT CONCAT_WS(' ', fixed_hash, old_hash, " KEPT_SECRET ") FROM networks WHERE id = @network", "sealed",
     "new sealed an hour", "UPDATE networks SET fixed_hash = 'x' WHERE id = @network", true},
    {"network_secret", "secrets", ASK("network_secret", "@network", "NULL", "'new'", "0"),
     "{\"network\":[null,#],\"fixed_hash\":\"changed\",\"kept\":[null,0]}",
     "SELECT CONCAT_WS(' ', fixed_hash, old_hash, old_hash_until) FROM networks WHERE id = @network", "sealed", "new",
     "UPDATE networks SET fixed_hash = 'x' WHERE id = @network", true},
    {"limits", "limits",
     "SELECT network_limit_set(@network, 'COP', 1000, NULL, history_end('network', @network), @asker)",
     "{\"network\":[null,#],\"currency\":[null,\"COP\"],\"day_limit\":[\"500.0000\", \"1000.0000\"],"
     "\"outstanding_limit\":[\"300.0000\", null]}",
     "SELECT CONCAT_WS(' ', day_limit, outstanding_limit, changed_by) FROM network_limits WHERE network_id = @network",
     "500.0000 300.0000 test", "1000.0000 operator:ivo", "SELECT network_limit_set_now(@network, 'COP', 7, 8, 'test')",
     false},
};

static void rule(const char *kind) {
    database_run("INSERT INTO dual_changes SET kind = '%s', valid_for = 3600", kind);
}

static void set_up(void) {
    uint64_t merchant = new_merchant(.notify_url = "'http://a/'"), network = sample_network(NULL);
    new_merchant(.notify_url = "'http://a/'"); /* others with the same values */
    sample_network(NULL);
    database_run("SET @merchant = %" PRIu64 ", @network = %" PRIu64
                 ", @recaudo_reason = 'why', @asker = 'operator:eva'",
                 merchant, network);
    database_run("DO network_limit_begin(@network, 'COP')");
    database_run("DO network_limit_set_now(@network, 'COP', 500, 300, 'test')");
}

static void tear_down(void) {
    database_run("DELETE FROM dual_changes; DELETE FROM dual_control");
}

/* Returns the number of the change. */
static uint64_t ask(const struct waiting *change) {
    uint64_t id = database_number("%s", change->ask);
    return strcmp(change->kind, "limits") == 0 ? database_number("SELECT MAX(id) FROM approvals") : id;
}

static uint64_t answer(uint64_t id, bool wish, const char *who) {
    return database_number("SELECT approval_answer(%" PRIu64 ", %d, 'seen', '%s')", id, wish, who);
}

/* Compares "state answered_by answer", and whether a secret still waits in the change. */
static void assert_approval(uint64_t id, const char *expected) {
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', state, answered_by, answer,"
                                   " IF(answered_at BETWEEN utc_now() - INTERVAL 1 MINUTE AND utc_now(), 'now', NULL),"
                                   " IF(sealed IS NULL, NULL, 'sealed')) FROM approvals WHERE id = %" PRIu64,
                                   id),
                     expected);
}

static const char *state_waiting(const struct waiting *change) {
    return change->is_secret ? "waiting sealed" : "waiting";
}

START_TEST(waits_for_nobody_without_a_rule) {
    const struct waiting *change = &WAITING[_i];
    rule(strcmp(change->rule, "secrets") == 0 ? "notify_url" : "secrets");
    if (strcmp(change->rule, "limits") != 0) {
        ck_assert_uint_eq(ask(change), 0);
        database_run("%s", change->meanwhile);
    }
}
END_TEST

START_TEST(another_user_approves) {
    const struct waiting *change = &WAITING[_i];
    rule(change->rule);
    uint64_t id = ask(change);
    ck_assert_uint_ne(id, 0);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', kind, reason, asked_by, COALESCE(currency, 'none'),"
                                   " IF(expires_at" IN_ABOUT_AN_HOUR
                                   ", 'an hour', expires_at), REPLACE(changes, CONCAT('[null,', subject_id, ']'),"
                                   " '[null,#]')) FROM approvals WHERE id = %" PRIu64,
                                   id),
                     arena_print(arena, "%s why operator:eva %s an hour %s", change->kind,
                                 strcmp(change->kind, "limits") == 0 ? "COP" : "none", change->changes)
                         .at);
    ck_assert_uint_eq(answer(id, true, "console:CN=Eva,O=Red"), 3);
    assert_approval(id, state_waiting(change));
    ck_assert_str_eq(database_text("%s", change->now), change->before);
    database_run("SET @recaudo_reason = 'of the session'");
    ck_assert_uint_eq(answer(id, true, "operator:ivo"), 1);
    ck_assert_str_eq(database_text("SELECT @recaudo_reason"), "of the session");
    assert_approval(id, "approved operator:ivo seen now");
    ck_assert_str_eq(database_text("%s", change->now), change->after);
    ck_assert_str_eq(
        database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', version, what, from_state, to_state, actor, reason)"
                      " ORDER BY id SEPARATOR '; ') FROM event_log WHERE subject = 'approval'"
                      " AND subject_id = %" PRIu64,
                      id),
        "1 created waiting operator:eva why; 2 state waiting approved operator:ivo seen");
    ck_assert_uint_eq(answer(id, true, "operator:ada"), 0);
    ck_assert_uint_eq(answer(id, false, "operator:ada"), 0);
}
END_TEST

/* Approves as an operator: the change's own event names the approval. */
static void assert_told_by(uint64_t id, const char *subject, const char *told) {
    MYSQL *mysql = database_login(OPERATOR);
    ck_assert_uint_eq(database_error(mysql, "DO approval_answer(%" PRIu64 ", TRUE, '', 'operator:ivo')", id), 0);
    mysql_close(mysql);
    ck_assert_str_eq(database_text("SELECT REPLACE(reason, 'approval %" PRIu64 "', 'approval #') FROM event_log"
                                   " WHERE subject = '%s' AND reason LIKE '%%approval%%' ORDER BY id DESC LIMIT 1",
                                   id, subject),
                     told);
}

START_TEST(the_change_tells_who_asked_and_why) {
    const struct waiting *change = &WAITING[_i];
    bool limits = strcmp(change->rule, "limits") == 0;
    rule(change->rule);
    assert_told_by(ask(change), strstr(change->changes, "merchant") != NULL ? "merchant" : "network",
                   limits ? "COP: day 1000.0000 (was 500.0000), outstanding none (was 300.0000);"
                            " approval #, asked by operator:eva: why"
                          : "approval #, asked by operator:eva: why");
}
END_TEST

START_TEST(asker_takes_it_back) {
    const struct waiting *change = &WAITING[_i];
    rule(change->rule);
    uint64_t id = ask(change);
    ck_assert_uint_eq(answer(id, false, "operator:eva"), 1);
    assert_approval(id, "refused operator:eva seen now");
    ck_assert_uint_eq(answer(id, true, "operator:ivo"), 0);
    ck_assert_str_eq(database_text("%s", change->now), change->before);
    ck_assert_uint_gt(ask(change), id);
}
END_TEST

START_TEST(asked_twice_waits_once_but_for_secrets) {
    const struct waiting *change = &WAITING[_i];
    rule(change->rule);
    uint64_t id = ask(change);
    database_run("SET @recaudo_reason = 'why', @asker = 'console:eva@red.example'");
    ck_assert_int_eq(ask(change) == id, !change->is_secret);
    database_run("SET @asker = 'operator:ivo'");
    ck_assert_uint_gt(ask(change), id);
}
END_TEST

static uint64_t ask_for_address(const char *url, const char *why) {
    return database_number("SELECT approval_ask('notify_url', @merchant, '%s', NULL, 0, '%s', 'operator:eva')", url,
                           why);
}

/* Without a reason, the request means the newest waiting change. */
START_TEST(another_change_or_reason_waits_beside_it) {
    rule("notify_url");
    uint64_t first = ask_for_address("http://b/", "why"), second = ask_for_address("http://b/", "again");
    ck_assert_uint_gt(second, first);
    ck_assert_uint_eq(ask_for_address("http://b/", "why"), first);
    ck_assert_uint_eq(ask_for_address("http://b/", ""), second);
    ck_assert_uint_gt(ask_for_address("http://c/", "why"), second);
}
END_TEST

START_TEST(what_changed_meanwhile_is_not_replaced) {
    const struct waiting *change = &WAITING[_i];
    rule(change->rule);
    uint64_t id = ask(change);
    database_run("DELETE FROM dual_changes");
    database_run("%s", change->meanwhile);
    const char *now = database_text("%s", change->now);
    ck_assert_uint_eq(answer(id, true, "operator:ivo"), 4);
    assert_approval(id, state_waiting(change));
    ck_assert_str_eq(database_text("%s", change->now), now);
    ck_assert_uint_eq(answer(id, false, "operator:ivo"), 1);
}
END_TEST

START_TEST(expired_is_not_approved) {
    const struct waiting *change = &WAITING[_i];
    rule(change->rule);
    uint64_t asked = ask(change);
    database_run(
        "INSERT INTO approvals (kind, subject_id, seen, currency, changes, sealed, reason, asked_by, expires_at)"
        " SELECT kind, subject_id, seen, currency, changes, sealed, reason, 'operator:ada', utc_now()"
        " FROM approvals WHERE id = %" PRIu64,
        asked);
    uint64_t id = database_number("SELECT LAST_INSERT_ID()");
    ck_assert_uint_eq(answer(id, true, "operator:ivo"), 2);
    assert_approval(id, state_waiting(change));
    ck_assert_uint_eq(answer(id, false, "operator:ivo"), 1);
    ck_assert_str_eq(database_text("%s", change->now), change->before);
}
END_TEST

/* While a rule exists, a change without an approval, or with one of another change, is refused. */
START_TEST(nobody_changes_it_directly) {
    const struct waiting *change = &WAITING[_i];
    if (strcmp(change->rule, "limits") == 0) {
        return;
    }
    rule(change->rule);
    ask(change);
    MYSQL *mysql = database_login(OWNER);
    ck_assert_uint_eq(database_error(mysql, "SET @merchant = %" PRIu64 ", @network = %" PRIu64,
                                     database_number("SELECT @merchant"), database_number("SELECT @network")),
                      0);
    ck_assert_uint_eq(database_error(mysql, "%s", change->meanwhile), ER_SIGNAL_EXCEPTION);
    mysql_close(mysql);
    ck_assert_str_eq(database_text("%s", change->now), change->before);
}
END_TEST

/* A new secret needs an approval. Ending an old one, and encrypting both with another key, do not. */
static const struct {
    const char *set;
    bool refused;
} OF_SECRETS[] = {
    {"fixed_hash = 'new'", true},
    {"old_hash = 'another'", true},
    {"old_hash_until = '2999-01-01'", true},
    {"old_hash = NULL, old_hash_until = NULL", false},
    {"fixed_hash = 'new', old_hash = NULL, old_hash_until = NULL", true},
    {"fixed_hash = 'new', reencrypted = reencrypted + 1", false},
    {"fixed_hash = 'new', old_hash = 'another', reencrypted = reencrypted + 1", false},
    {"old_hash = 'another', old_hash_until = '2999-01-01', reencrypted = reencrypted + 1", true},
    {"fixed_hash = 'new', old_hash = NULL, old_hash_until = NULL, reencrypted = reencrypted + 1", false},
    {"enabled = FALSE", false},
    {"fixed_hash = fixed_hash, old_hash = old_hash, old_hash_until = old_hash_until", false},
};

static void assert_secret(const char *table, const char *name, const char *set, bool refused) {
    MYSQL *mysql = database_login(OWNER);
    unsigned error =
        database_error(mysql, "UPDATE %s SET %s WHERE id = %" PRIu64, table, set, database_number("SELECT %s", name));
    mysql_close(mysql);
    ck_assert_msg(error == (refused ? ER_SIGNAL_EXCEPTION : 0), "%s: %s gives %u", table, set, error);
}

START_TEST(only_new_secrets_need_an_approval) {
    database_run("UPDATE networks SET old_hash = 'old', old_hash_until = '2998-01-01' WHERE id = @network");
    database_run("UPDATE merchants SET old_hash = 'old', old_hash_until = '2998-01-01', old_notification_hash = 'old',"
                 " old_notification_hash_until = '2998-01-01' WHERE id = @merchant");
    rule("secrets");
    assert_secret("networks", "@network", OF_SECRETS[_i].set, OF_SECRETS[_i].refused);
    assert_secret("merchants", "@merchant", OF_SECRETS[_i].set, OF_SECRETS[_i].refused);
    const char *of_notifications = database_text(
        "SELECT REPLACE(REPLACE(\"%s\", 'fixed_hash', 'notification_hash'), 'old_hash', 'old_notification_hash')",
        OF_SECRETS[_i].set);
    assert_secret("merchants", "@merchant", of_notifications, OF_SECRETS[_i].refused);
}
END_TEST

static const char *const SAME_PERSON[] = {"operator:eva",
                                          "operator:EVA",
                                          "console:eva",
                                          "console:eva@x.example",
                                          "console:CN=Eva,O=Red",
                                          "console:CN=Eva,CN=Users,DC=x,DC=example",
                                          "console:OU=Caja, CN=Eva, CN=Users",
                                          "console:CN=eva+serialNumber=7,O=Red",
                                          "console:serialNumber=7+CN=eva,CN=Users,O=Red",
                                          "user:/O=Red/CN=eva/OU=Caja",
                                          "user:/DC=example/CN=Users/CN=eva",
                                          "user:/O=Red/CN=eva+serialNumber=7",
                                          "console:O=Red,  CN=Eva",
                                          "console:O=Red,/CN=Eva",
                                          "console:/O=Red,CN=Eva",
                                          "console:/UID=7+CN=Eva/O=Red",
                                          "operator:RED\\\\eva",
                                          "operator:red.example\\\\Eva@red.example",
                                          "console:CN=Eva,O=Red\\\\, SA"};
static const char *const OTHERS[] = {
    "operator:ivo",         "operator:evan", "eva:ivo", "console:ivo@eva",       "operator:e",
    "console:xcn=eva",      "eve",           "cn=eve",  "console:CN=ivo,CN=eva", "operator:eva\\\\ivo",
    "console:CN=Ivo\\\\eva"};

START_TEST(a_person_is_known_under_each_name) {
    for (size_t i = 0; i < COUNT_OF(SAME_PERSON); i++) {
        ck_assert_str_eq(database_text("SELECT actor_person('%s')", SAME_PERSON[i]), "eva");
    }
    for (size_t i = 0; i < COUNT_OF(OTHERS); i++) {
        ck_assert_str_ne(database_text("SELECT actor_person('%s')", OTHERS[i]), "eva");
    }
}
END_TEST

/* No column of a waiting change may change by hand, nor its answer. */
static const char *const BY_HAND[] = {"id = id + 1000",
                                      "kind = 'merchant_secret'",
                                      "subject_id = subject_id + 1",
                                      "seen = 'x'",
                                      "state = 'refused', answered_by = 'x', answered_at = utc_now(), changes = 'x'",
                                      "sealed = 'x', state = 'making'",
                                      "reason = 'x'",
                                      "asked_by = 'x'",
                                      "asked_at = asked_at - INTERVAL 1 SECOND",
                                      "expires_at = expires_at + INTERVAL 1 SECOND",
                                      "state = 'approved', answered_by = 'x', answered_at = utc_now()",
                                      "state = 'waiting'"};

START_TEST(what_waits_cannot_be_changed_by_hand) {
    rule("notify_url");
    uint64_t id = ask(&WAITING[0]);
    MYSQL *mysql = database_login(OWNER);
    unsigned error =
        database_error(mysql, "UPDATE approvals SET state = 'making', %s WHERE id = %" PRIu64, BY_HAND[_i], id);
    mysql_close(mysql);
    ck_assert_msg(error == ER_SIGNAL_EXCEPTION, "%s gives %u", BY_HAND[_i], error);
    assert_approval(id, "waiting");
}
END_TEST

/* A claim waits if the amount paid, not the amount due, exceeds the rule's. */
static uint64_t paid_order(const char *amount, const char *reference) {
    uint64_t order = new_order(.amount = "0", .reference = reference);
    approve(order, confirmed_payment(order, amount, AN_HOUR_AGO));
    database_run("INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means)"
                 " SELECT id, merchant_id, 'approved', 'delivered', %s, 'red' FROM orders WHERE id = %" PRIu64,
                 amount, order);
    return order;
}

static uint64_t claim(uint64_t order) {
    return database_number("SELECT order_claim(%" PRIu64 ", 'roto', 'operator:eva')", order);
}

START_TEST(claim_above_the_amount_waits) {
    database_run("INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 500, valid_for = 60");
    uint64_t small = paid_order("500", "1"), large = paid_order("500.01", "2");
    ck_assert_uint_eq(claim(small), 1);
    ck_assert_uint_eq(claim(small), 0);
    ck_assert_uint_eq(claim(large), 2);
    uint64_t id = database_number("SELECT MAX(id) FROM approvals");
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', kind, subject_id - %" PRIu64 ", amount, currency, reason, asked_by,"
                      " expires_at BETWEEN utc_now() + INTERVAL 55 SECOND AND utc_now() + INTERVAL 60 SECOND)"
                      " FROM approvals WHERE id = %" PRIu64,
                      large, id),
        "claim 0 500.0100 COP roto operator:eva 1");
    ck_assert_uint_eq(claim(large), 3);
    ck_assert_uint_eq(claim(new_order(.amount = "501", .reference = "3")), 0); /* nobody has paid it */
    ck_assert_uint_eq(database_number("SELECT MAX(id) FROM approvals"), id);
    ck_assert_uint_eq(answer(id, true, "operator:eva"), 3);
    ck_assert_uint_eq(answer(id, true, "operator:ivo"), 1);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', o.state, o.changed_by, o.state_reason, n.status, n.amount)"
                                   " FROM orders o JOIN notifications n ON n.order_id = o.id AND n.status = 'cancelled'"
                                   " WHERE o.id = %" PRIu64,
                                   large),
                     "ANULADA operator:ivo roto cancelled 500.0100");
}
END_TEST

static const char *const CLAIMS[] = {"order_claim(@order, '', 'operator:eva')", "console_claim(@user, @order, '')"};

/* The second of two claims at once finds the first, which waits. */
START_TEST(of_two_claims_at_once_one_waits) {
    uint64_t order = new_order(.reference = "1");
    approve(order, confirmed_payment(order, "45000", AN_HOUR_AGO));
    database_run("INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 1;"
                 " INSERT IGNORE INTO console_users SET name = 'eva', role = 'operator', changed_by = 'test'");
    const char *names =
        arena_print(arena,
                    "SET @order = %" PRIu64
                    ", @user = (SELECT id FROM console_users WHERE name = 'eva'), tx_isolation = 'READ-COMMITTED'",
                    order)
            .at;
    const char *claim = arena_print(arena, "SELECT %s", CLAIMS[_i]).at;
    MYSQL *first = database_login(OWNER), *second = database_login(OWNER);
    ck_assert_uint_eq(database_error(first, "%s; BEGIN; %s", names, claim), 0);
    ck_assert_uint_eq(database_error(second, "%s", names), 0);
    database_send(second, claim);
    database_wait_for(SOMEBODY_WAITS);
    ck_assert_uint_eq(database_error(first, "COMMIT"), 0);
    ck_assert_str_eq(database_answer(second, claim), "3");
    mysql_close(first);
    mysql_close(second);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM approvals WHERE subject_id = %" PRIu64, order), 1);
}
END_TEST

START_TEST(claim_waits_for_the_order_as_it_is) {
    database_run("INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 1");
    uint64_t order = paid_order("5", "1");
    ck_assert_uint_eq(claim(order), 2);
    uint64_t id = database_number("SELECT MAX(id) FROM approvals");
    database_run("UPDATE orders SET description = 'B' WHERE id = %" PRIu64, order);
    ck_assert_uint_eq(answer(id, true, "operator:ivo"), 4);
    ck_assert_uint_eq(claim(order), 2);
    ck_assert_uint_eq(answer(id + 1, false, "operator:ivo"), 1);
    ck_assert_uint_eq(claim(order), 2);
    database_run("UPDATE dual_control SET currency = 'COP', above = 5");
    ck_assert_uint_eq(claim(order), 1);
}
END_TEST

/* approval_make judges the order itself, also for a transaction that still reads it as it was. (MariaDB 11.8 refuses to
 * lock it there.) */
START_TEST(claim_is_not_made_in_an_old_snapshot) {
    database_run("INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 1");
    uint64_t order = paid_order("5", "1");
    ck_assert_uint_eq(claim(order), 2);
    MYSQL *old = database_login(OWNER);
    ck_assert_uint_eq(
        database_error(old, "SET tx_isolation = 'REPEATABLE-READ'; START TRANSACTION WITH CONSISTENT SNAPSHOT"), 0);
    database_run("UPDATE orders SET description = 'B' WHERE id = %" PRIu64, order);
    database_error(old, "DO approval_make((SELECT MAX(id) FROM approvals), 'operator:ivo')");
    ck_assert_uint_eq(database_error(old, "COMMIT"), 0);
    mysql_close(old);
    ck_assert_str_eq(database_text("SELECT state FROM orders WHERE id = %" PRIu64, order), "APROBADA");
}
END_TEST

static const struct {
    const char *old_day, *old_outstanding, *new_day, *new_outstanding;
    bool waits;
} LIMITS[] = {
    {"500", "300", "500", "300", false}, {"NULL", "NULL", "NULL", "NULL", false}, {"NULL", "300", "NULL", "300", false},
    {"500", "300", "500", "301", true},  {"500", "300", "501", "300", true},      {"500", "300", "500", "NULL", true},
    {"500", "300", "NULL", "300", true}, {"NULL", "NULL", "500", "NULL", true},   {"NULL", "NULL", "NULL", "300", true},
};

START_TEST(limits_that_it_has_need_no_approval) {
    database_run("DO network_limit_set_now(@network, 'COP', %s, %s, 'test')", LIMITS[_i].old_day,
                 LIMITS[_i].old_outstanding);
    rule("limits");
    uint64_t written = database_number("SELECT network_limit_set(@network, 'COP', %s, %s,"
                                       " history_end('network', @network), @asker)",
                                       LIMITS[_i].new_day, LIMITS[_i].new_outstanding);
    ck_assert_int_eq(written > 1, LIMITS[_i].waits);
    ck_assert_str_eq(database_text("SELECT CONCAT(COALESCE(MAX(day_limit), 'NULL'), ' ',"
                                   " COALESCE(MAX(outstanding_limit), 'NULL')) FROM network_limits"
                                   " WHERE network_id = @network"),
                     database_text("SELECT CONCAT(COALESCE(CAST(%s AS DECIMAL(19,4)), 'NULL'), ' ',"
                                   " COALESCE(CAST(%s AS DECIMAL(19,4)), 'NULL'))",
                                   LIMITS[_i].old_day, LIMITS[_i].old_outstanding));
}
END_TEST

/* If the change cannot be made, the approval is not written either. */
START_TEST(limits_that_lost_a_portion_are_not_approved) {
    const struct waiting *limits = &WAITING[COUNT_OF(WAITING) - 1];
    rule("limits");
    uint64_t id = ask(limits);
    database_run("DELETE FROM network_rooms WHERE part = 7");
    MYSQL *mysql = database_login(OWNER);
    ck_assert_uint_eq(database_error(mysql, "SET @done = approval_answer(%" PRIu64 ", TRUE, '', 'operator:ivo')", id),
                      ER_SIGNAL_EXCEPTION);
    mysql_close(mysql);
    assert_approval(id, "waiting");
    ck_assert_str_eq(database_text("%s", limits->now), limits->before);
}
END_TEST

/* The event of a claim has its reason already; some changes have no reason. */
START_TEST(a_reason_is_told_once) {
    database_run("INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 1");
    ck_assert_uint_eq(claim(paid_order("5", "1")), 2);
    assert_told_by(database_number("SELECT MAX(id) FROM approvals"), "order",
                   "roto; approval #, asked by operator:eva");
    rule("notify_url");
    assert_told_by(ask_for_address("http://b/", ""), "merchant", "approval #, asked by operator:eva");
}
END_TEST

TCase *approvals_tests(void) {
    TCase *tests = database_case("approvals");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, waits_for_nobody_without_a_rule, WAITING);
    add_table_test(tests, another_user_approves, WAITING);
    add_table_test(tests, the_change_tells_who_asked_and_why, WAITING);
    tcase_add_test(tests, a_reason_is_told_once);
    add_table_test(tests, asker_takes_it_back, WAITING);
    add_table_test(tests, asked_twice_waits_once_but_for_secrets, WAITING);
    tcase_add_test(tests, another_change_or_reason_waits_beside_it);
    add_table_test(tests, what_changed_meanwhile_is_not_replaced, WAITING);
    add_table_test(tests, expired_is_not_approved, WAITING);
    add_table_test(tests, nobody_changes_it_directly, WAITING);
    add_table_test(tests, only_new_secrets_need_an_approval, OF_SECRETS);
    tcase_add_test(tests, a_person_is_known_under_each_name);
    add_table_test(tests, what_waits_cannot_be_changed_by_hand, BY_HAND);
    tcase_add_test(tests, claim_above_the_amount_waits);
    add_table_test(tests, of_two_claims_at_once_one_waits, CLAIMS);
    tcase_add_test(tests, claim_waits_for_the_order_as_it_is);
    tcase_add_test(tests, claim_is_not_made_in_an_old_snapshot);
    add_table_test(tests, limits_that_it_has_need_no_approval, LIMITS);
    tcase_add_test(tests, limits_that_lost_a_portion_are_not_approved);
    return tests;
}
