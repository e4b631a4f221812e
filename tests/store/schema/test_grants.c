#include "store.h"

#include "store/schema/rights.h"

#include <inttypes.h>

/* Statements that the accounts must not run. test_statements.c tries the programs' statements, which they may run. */
static const struct {
    enum db_account account;
    const char *sql;
} DENIED[] = {
    {WORKER, "SELECT reply FROM attempts"},
    {WORKER, "SELECT * FROM events"},
    {WORKER, "SELECT * FROM account_ledger"},
    {WORKER, "SELECT * FROM notifications"},
    {WORKER, "SELECT * FROM networks"},
    {WORKER, "SELECT * FROM merchants"},
    {WORKER, "SELECT notification_hash FROM merchants"},
    {WORKER, "SELECT id FROM merchants WHERE notification_hash LIKE 'a%'"},
    {WORKER, "SELECT old_notification_hash FROM merchants"},
    {WORKER, "SELECT notify_url FROM merchants"},
    {WORKER, "SELECT balance FROM accounts"},
    {WORKER, "SELECT * FROM attempts"},
    {WORKER, "INSERT INTO event_log (subject) VALUES ('order')"},
    {WORKER, "INSERT INTO orders (po_id, state) VALUES ('x', 'APROBADA')"},
    {WORKER, "INSERT INTO orders (po_id, paid_by) VALUES ('x', 1)"},
    {WORKER, "UPDATE orders SET token = 'guessed'"},
    {WORKER, "UPDATE orders SET po_id = 'x'"},
    {WORKER, "UPDATE orders SET merchant_id = 1"},
    {WORKER, "UPDATE orders SET currency = 'USD'"},
    {WORKER, "UPDATE notifications SET state = 'delivered'"},
    {WORKER, "UPDATE countries SET currency = 'USD'"},
    {WORKER, "INSERT INTO notifications (order_id) VALUES (1)"},
    {WORKER, "INSERT INTO networks (name) VALUES ('x')"},
    {WORKER, "UPDATE orders SET state = 'APROBADA', paid_by = 1"},
    {WORKER, "UPDATE orders SET paid_by = 1"},
    {WORKER, "UPDATE transactions SET amount = 1"},
    {WORKER, "UPDATE transactions SET finalised_at = NULL"},
    {WORKER, "UPDATE transactions SET fingerprint = ''"},
    {WORKER, "UPDATE accounts SET balance = 1"},
    {WORKER, "UPDATE networks SET enabled = TRUE"},
    {WORKER, "UPDATE networks SET allow_addresses = ''"},
    {WORKER, "UPDATE networks SET rate_limit = 0"},
    {WORKER, "UPDATE merchants SET notify_url = NULL"},
    {WORKER, "DELETE FROM transactions"},
    {WORKER, "DELETE FROM orders"},
    {WORKER, "SELECT * FROM external_queries"},
    {WORKER, "UPDATE integrations SET removed_at = NULL"},
    {READER, "SELECT order_finalise(1, 'x')"},
    {READER, "SELECT settlement_close(1, 'x', NULL, NULL, NULL)"},
    {WORKER, "SELECT settlement_close(1, 'x', NULL, NULL, NULL)"},
    {WORKER, "SELECT settlement_collect(1)"},
    {WORKER, "SELECT closed_by FROM settlements"},
    {WORKER, "INSERT INTO settlement_items (transaction_id) VALUES (1)"},
    {DISPATCHER, "UPDATE settlements SET digest = ''"},
    {DISPATCHER, "UPDATE settlement_items SET settlement = 1"},
    {OPERATOR, "UPDATE settlements SET closed_by = 'x'"},
    {OPERATOR, "INSERT INTO settlements (number) VALUES (7)"},
    {OPERATOR, "INSERT INTO settlement_items (transaction_id) VALUES (1)"},
    {OPERATOR, "DELETE FROM settlement_items"},
    {DISPATCHER, "SELECT * FROM networks"},
    {DISPATCHER, "SELECT fixed_hash FROM networks"},
    {DISPATCHER, "SELECT id FROM networks ORDER BY fixed_hash"},
    {DISPATCHER, "SELECT * FROM merchants"},
    {DISPATCHER, "SELECT fixed_hash FROM merchants"},
    {DISPATCHER, "SELECT old_hash FROM merchants"},
    {DISPATCHER, "SELECT name FROM accounts"},
    {DISPATCHER, "UPDATE notifications SET amount = 1"},
    {DISPATCHER, "UPDATE notifications SET status = 'approved'"},
    {DISPATCHER, "INSERT INTO orders (po_id) VALUES ('x')"},
    {DISPATCHER, "INSERT INTO transactions (commerce) VALUES ('x')"},
    {DISPATCHER, "UPDATE orders SET amount = 1"},
    {DISPATCHER, "UPDATE transactions SET amount = 1"},
    {DISPATCHER, "UPDATE transactions SET window_ends_at = NULL"},
    {DISPATCHER, "UPDATE networks SET enabled = TRUE"},
    {DISPATCHER, "DELETE FROM orders"},
    {DISPATCHER, "DELETE FROM notifications"},
    {DISPATCHER, "DELETE FROM account_ledger"},
    {DISPATCHER, "SELECT notification_hash FROM merchants"},
    {DISPATCHER, "SELECT old_notification_hash FROM merchants"},
    {DISPATCHER, "UPDATE notifications SET state = 'delivered'"},
    {DISPATCHER, "INSERT INTO attempts (number) VALUES (1)"},
    {DISPATCHER, "UPDATE endpoints SET failures = 0"},
    {DELIVERER, "UPDATE orders SET state = 'APROBADA', paid_by = 1"},
    {DELIVERER, "UPDATE orders SET state = 'VENCIDA'"},
    {DELIVERER, "UPDATE orders SET held_by = NULL"},
    {DELIVERER, "INSERT INTO orders (po_id) VALUES ('x')"},
    {DELIVERER, "SELECT amount FROM orders"},
    {DELIVERER, "SELECT document FROM orders"},
    {DELIVERER, "SELECT token FROM orders"},
    {DELIVERER, "UPDATE transactions SET state = 'FINALIZADA'"},
    {DELIVERER, "UPDATE transactions SET window_ends_at = NULL"},
    {DELIVERER, "INSERT INTO transactions (commerce) VALUES ('x')"},
    {DELIVERER, "SELECT amount FROM transactions"},
    {DELIVERER, "SELECT given_names FROM transactions"},
    {DELIVERER, "UPDATE accounts SET balance = 1"},
    {DELIVERER, "SELECT balance FROM accounts"},
    {DELIVERER, "INSERT INTO account_ledger (amount) VALUES (1)"},
    {DELIVERER, "SELECT * FROM account_ledger"},
    {DELIVERER, "INSERT INTO refunds (order_id) VALUES (1)"},
    {DELIVERER, "INSERT INTO notifications (order_id) VALUES (1)"},
    {DELIVERER, "UPDATE notifications SET amount = 1"},
    {DELIVERER, "UPDATE notifications SET order_id = 1"},
    {DELIVERER, "UPDATE notifications SET status = 'approved'"},
    {DELIVERER, "DELETE FROM notifications"},
    {DELIVERER, "UPDATE attempts SET reply = ''"},
    {DELIVERER, "DELETE FROM attempts"},
    {DELIVERER, "SELECT * FROM networks"},
    {DELIVERER, "SELECT id FROM networks"},
    {DELIVERER, "SELECT fixed_hash FROM merchants"},
    {DELIVERER, "UPDATE merchants SET notify_url = NULL"},
    {DELIVERER, "SELECT order_finalise(1, 'x')"},
    {DELIVERER, "SELECT * FROM events"},
    {DELIVERER, "SELECT * FROM seals"},
    {WORKER, "SELECT * FROM seals"},
    {WORKER, "INSERT INTO seals (number) VALUES (1)"},
    {OPERATOR, "INSERT INTO seals (number) VALUES (1)"},
    {READER, "INSERT INTO seals (number) VALUES (1)"},
    {OPERATOR, "UPDATE orders SET amount = 1"},
    {OPERATOR, "UPDATE orders SET held_by = NULL"},
    {OPERATOR, "UPDATE transactions SET state = 'CANCELADA'"},
    {OPERATOR, "UPDATE accounts SET balance = 1"},
    {OPERATOR, "UPDATE networks SET name = 'x'"},
    {OPERATOR, "UPDATE event_log SET actor = 'x'"},
    {OPERATOR, "INSERT INTO account_ledger (amount) VALUES (1)"},
    {OPERATOR, "UPDATE orders SET paid_by = 1"},
    {OPERATOR, "UPDATE orders SET reference = '1'"},
    {OPERATOR, "UPDATE transactions SET amount = 1"},
    {OPERATOR, "UPDATE transactions SET reference = '1'"},
    {OPERATOR, "UPDATE attempts SET reply = ''"},
    {OPERATOR, "DELETE FROM transactions"},
    {OPERATOR, "DELETE FROM notifications"},
    {OPERATOR, "INSERT INTO refunds (order_id) VALUES (1)"},
    {OPERATOR, "DELETE FROM refunds"},
    {OPERATOR, "DELETE FROM orders"},
    {OPERATOR, "DELETE FROM networks"},
    {OPERATOR, "DELETE FROM event_log"},
    {OPERATOR, "DELETE FROM integrations"},
    {OPERATOR, "UPDATE integrations SET code = '1'"},
    {OPERATOR, "UPDATE currencies SET name = 'x'"},
    {OPERATOR, "INSERT INTO external_queries (reference) VALUES ('1')"},
    {READER, "SELECT fixed_hash FROM networks"},
    {READER, "SELECT old_hash FROM networks"},
    {READER, "SELECT old_notification_hash FROM merchants"},
    {READER, "SELECT * FROM networks"},
    {READER, "SELECT fixed_hash FROM merchants"},
    {READER, "SELECT notification_hash FROM merchants"},
    {READER, "SELECT * FROM merchants"},
    {READER, "SELECT COUNT(fixed_hash) FROM networks"},
    {READER, "SELECT id FROM networks WHERE fixed_hash LIKE 'a%'"},
    {READER, "SELECT id FROM networks ORDER BY fixed_hash"},
    {READER, "INSERT INTO networks (name) VALUES ('x')"},
    {READER, "UPDATE orders SET state = 'APROBADA'"},
    {READER, "UPDATE accounts SET balance = 1"},
    {READER, "DELETE FROM orders"},
};

/* Statements that none of the five may run. */
static const char *const DENIED_TO_ALL[] = {
    "CREATE TABLE more (id INT)",
    "DROP TABLE orders",
    "ALTER TABLE orders DROP COLUMN version",
    "TRUNCATE TABLE event_log",
    "DROP TRIGGER event_log_keep",
    "CREATE TRIGGER more BEFORE INSERT ON orders FOR EACH ROW SET NEW.amount = 0",
    "CREATE TEMPORARY TABLE more (id INT)",
    "LOCK TABLES orders WRITE",
    "UPDATE schema_version SET checksum = ''",
    "UPDATE event_log SET actor = 'x'",
    "DELETE FROM event_log",
    "UPDATE seals SET digest = ''",
    "DELETE FROM seals",
    "TRUNCATE TABLE seals",
    "UPDATE account_ledger SET amount = 1",
    "DELETE FROM account_ledger",
    "SELECT * FROM mysql.user",
    "SELECT LOAD_FILE('/etc/hostname') INTO OUTFILE '/tmp/recaudo-never'",
    "GRANT SELECT ON orders TO 'recaudo_reader'@'localhost'",
    "SET GLOBAL max_connections = 10",
};

static void check_denied(MYSQL *mysql, const char *sql) {
    unsigned error = database_error(mysql, "%s", sql);
    ck_assert_msg(database_is_denial(error), "%s: %u %s", sql, error, mysql_error(mysql));
}

START_TEST(accounts_may_no_more_than_they_need) {
    MYSQL *mysql = database_login(DENIED[_i].account);
    check_denied(mysql, DENIED[_i].sql);
    mysql_close(mysql);
}
END_TEST

START_TEST(none_may_touch_the_schema_or_the_log) {
    for (enum db_account account = WORKER; account < ACCOUNT_COUNT; account++) {
        MYSQL *mysql = database_login(account);
        check_denied(mysql, DENIED_TO_ALL[_i]);
        mysql_close(mysql);
    }
}
END_TEST

static const char *const READABLE[] = {
    "SELECT id, name, enabled, changed_by, created_at, changed_at FROM networks",
    "SELECT id, name, commerce, notify_url FROM merchants",
    "SELECT * FROM orders_now",
    "SELECT * FROM transactions_now",
    "SELECT * FROM due_now",
    "SELECT * FROM orders",
    "SELECT * FROM transactions",
    "SELECT * FROM notifications",
    "SELECT * FROM accounts",
    "SELECT * FROM account_ledger",
    "SELECT * FROM events",
    "SELECT * FROM currencies",
    "SELECT * FROM countries",
    "SELECT * FROM schema_version",
};

START_TEST(the_reader_sees_what_people_read) {
    MYSQL *mysql = database_login(READER);
    ck_assert_msg(database_error(mysql, "%s", READABLE[_i]) == 0, "%s", mysql_error(mysql));
    mysql_close(mysql);
}
END_TEST

/* EXPLAIN of a view needs the right SHOW VIEW. */
static const char *const READ_VIEWS[] = {
    "orders_now",          "transactions_now",   "due_now",          "endpoints_now",
    "notifications_stuck", "attempts_to_purge",  "queries_to_purge", "transactions_to_purge",
    "orders_to_purge",     "network_limits_now", "events",           "merchants_refusing",
    "networks_refused",
};

START_TEST(the_reader_sees_how_views_are_made) {
    MYSQL *mysql = database_login(READER);
    const char *view = READ_VIEWS[_i];
    ck_assert_msg(database_error(mysql, "SHOW CREATE VIEW %s", view) == 0, "%s", mysql_error(mysql));
    ck_assert_msg(database_error(mysql, "EXPLAIN SELECT * FROM %s", view) == 0, "%s", mysql_error(mysql));
    check_denied(mysql, "SELECT fixed_hash FROM merchants");
    check_denied(mysql, "SELECT * FROM id_counters");
    mysql_close(mysql);
}
END_TEST

START_TEST(every_view_was_tried) {
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM information_schema.views WHERE table_schema = DATABASE()"
                                      " AND table_name <> 'id_counters'"), /* only the owner reads it */
                      COUNT_OF(READ_VIEWS));
}
END_TEST

/* Rights of the worker whose absence takes no worker out of service. */
#define NOT_FOR_REQUESTS                                                                                               \
    "FUNCTION full_note,FUNCTION network_refused_note,FUNCTION network_served_note,"                                   \
    "FUNCTION refusals_note,FUNCTION seal_wait,"                                                                       \
    "FUNCTION trouble_note,FUNCTION write_try,SELECT (at) on settlement_items,SELECT (begun_for) on retention,"        \
    "SELECT (closed_at) on settlements,SELECT (day) on settlements,SELECT (digest) on settlements,"                    \
    "SELECT (failing_since) on endpoints,SELECT (is_open) on settlements,SELECT (merchant_id) on endpoints,"           \
    "SELECT (opened_at) on settlements,SELECT (resting_until) on endpoints,SELECT (seen_at) on dispatchers,"           \
    "SELECT (settlement) on settlement_items,SELECT (state) on settlements,"                                           \
    "SELECT (task) on dispatchers,SELECT (what) on retention,SELECT (zone) on settlements,"                            \
    "SELECT on dispatcher_totals,SELECT on endpoints_now,SELECT on last_done,SELECT on merchants_refusing,"            \
    "SELECT on network_limits_now,SELECT on networks_refused,SELECT on notifications_stuck"

/* Each right in the syntax of GRANT and REVOKE, its account, and how it must be reported. */
#define ALL_RIGHTS                                                                                                     \
    "CREATE TABLE every_right (id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, for_requests BOOLEAN NOT NULL DEFAULT 0)"   \
    " AS SELECT CONCAT(PRIVILEGE_TYPE, ' ON ', TABLE_NAME) AS what, GRANTEE AS account,"                               \
    "           CONCAT(PRIVILEGE_TYPE, ' on ', TABLE_NAME, ' for ') AS told"                                           \
    "      FROM information_schema.TABLE_PRIVILEGES WHERE TABLE_SCHEMA = DATABASE()"                                   \
    " UNION ALL SELECT CONCAT(PRIVILEGE_TYPE, ' (', COLUMN_NAME, ') ON ', TABLE_NAME), GRANTEE,"                       \
    "           CONCAT(PRIVILEGE_TYPE, ' (', COLUMN_NAME, ') on ', TABLE_NAME, ' for ')"                               \
    "      FROM information_schema.COLUMN_PRIVILEGES WHERE TABLE_SCHEMA = DATABASE()"                                  \
    " UNION ALL SELECT CONCAT('EXECUTE ON ', Routine_type, ' ', Routine_name),"                                        \
    "           CONCAT(CHAR(39), User, CHAR(39), '@', CHAR(39), Host, CHAR(39)),"                                      \
    "           CONCAT(UPPER(Routine_type), ' ', Routine_name, ' for ')"                                               \
    "      FROM mysql.procs_priv WHERE Db = DATABASE()"

static void check_told(uint64_t id, struct connection *worker) {
    struct text missing;
    const char *what = database_text("SELECT what FROM every_right WHERE id = %" PRIu64, id),
               *account = database_text("SELECT account FROM every_right WHERE id = %" PRIu64, id),
               *told = database_text("SELECT CONCAT(told, SUBSTRING_INDEX(SUBSTRING(account, 2), CHAR(39), 1))"
                                     " FROM every_right WHERE id = %" PRIu64,
                                     id);
    database_run("REVOKE %s FROM %s", what, account);
    ck_assert_int_eq(rights_missing(owner, TEXT("localhost"), arena, &missing), STATUS_OK);
    ck_assert_str_eq(arena_copy(arena, missing).at, told);
    ck_assert_int_eq(rights_missing_for_requests(worker, arena, &missing), STATUS_OK);
    ck_assert_msg(missing.size == 0 || text_equal(missing, text_of(told)), "%s: %.*s", told, TEXT_ARGS(missing));
    database_run("GRANT %s TO %s", what, account);
    database_run("UPDATE every_right SET for_requests = %d WHERE id = %" PRIu64, missing.size > 0, id);
}

/* A missing right is reported by the check of all accounts and, if a request needs it, by the workers' check. */
START_TEST(each_right_is_missed) {
    struct connection *worker = database_connect(WORKER);
    database_run(ALL_RIGHTS);
    uint64_t count = database_number("SELECT COUNT(*) FROM every_right");
    ck_assert_uint_gt(count, 500);
    for (uint64_t id = 1; id <= count; id++) {
        check_told(id, worker);
    }
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM every_right WHERE for_requests"
                                      " AND account NOT LIKE '%%recaudo_worker%%'"),
                      0);
    ck_assert_uint_gt(database_number("SELECT COUNT(*) FROM every_right WHERE for_requests"), 60);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(SUBSTRING_INDEX(told, ' for ', 1) ORDER BY told) FROM"
                                   " every_right WHERE NOT for_requests AND account LIKE '%%recaudo_worker%%'"),
                     NOT_FOR_REQUESTS);
    database_run("DROP TABLE every_right");
    connection_close(worker);
}
END_TEST

TCase *grants_tests(void) {
    TCase *tests = database_case("grants");
    add_table_test(tests, accounts_may_no_more_than_they_need, DENIED);
    add_table_test(tests, none_may_touch_the_schema_or_the_log, DENIED_TO_ALL);
    add_table_test(tests, the_reader_sees_what_people_read, READABLE);
    add_table_test(tests, the_reader_sees_how_views_are_made, READ_VIEWS);
    tcase_add_test(tests, every_view_was_tried);
    tcase_add_test(tests, each_right_is_missed);
    return tests;
}
