#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* Rows that are written once and kept. Not even the owner may change or remove them; of some rows, only certain columns
 * may change. */

#define REMITTANCE                                                                                                     \
    "INSERT INTO remittances SET network_id = 1, currency = 'COP', amount = 5, reason = '', actor = 'eva'"
#define REFUND "INSERT INTO refunds SET order_id = 900001, transaction_id = 900001"
#define USER   "INSERT INTO console_users SET id = 900001, name = 'ivo', role = 'viewer', changed_by = 'eva'"
#define APPROVAL                                                                                                       \
    "INSERT INTO approvals SET kind = 'limits', subject_id = 1, seen = '', currency = 'COP', changes = '{}',"          \
    " reason = '', asked_by = 'eva', expires_at = " NOW
#define CLAIMS "INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 5"
#define RULE   "INSERT INTO dual_changes SET kind = 'limits'"
#define INTEGRATION                                                                                                    \
    "INSERT INTO integrations SET merchant_id = @merchant, kind = 2, code = '78', endpoint = 'x',"                     \
    " currency = 'COP', changed_by = 'eva'"
#define PREFIX "INSERT INTO reference_prefixes SET prefix = '4711', merchant_id = @merchant, changed_by = 'eva'"
#define NOTE                                                                                                           \
    "INSERT INTO notifications SET order_id = 1, merchant_id = @merchant, status = 'approved', state = 'pending',"     \
    " amount = 5, payment_means = ''"
#define ACCOUNT                                                                                                        \
    "INSERT INTO accounts SET document = '4711', document_type = 'CC', name = 'Ana', currency = 'COP',"                \
    " changed_by = 'eva'"
#define EVENT "INSERT INTO event_log SET subject = 'order', subject_id = 1, what = 'x', actor = 'eva'"

static const struct {
    const char *insert, *change;
    unsigned error;
} CHANGES[] = {
    {REMITTANCE, "UPDATE remittances SET reason = 'x'", ER_SIGNAL_EXCEPTION},
    {REMITTANCE, "DELETE FROM remittances", ER_SIGNAL_EXCEPTION},
    {REFUND, "UPDATE refunds SET at = " NOW, ER_SIGNAL_EXCEPTION},
    {REFUND, "DELETE FROM refunds", ER_SIGNAL_EXCEPTION},
    {USER, "DELETE FROM console_users", ER_SIGNAL_EXCEPTION},
    {USER, "UPDATE console_users SET name = 'ada'", ER_SIGNAL_EXCEPTION},
    {USER, "UPDATE console_users SET id = 900002", ER_SIGNAL_EXCEPTION},
    {USER, "UPDATE console_users SET role = 'operator', enabled = FALSE", 0},
    {APPROVAL, "DELETE FROM approvals", ER_SIGNAL_EXCEPTION},
    {CLAIMS, "UPDATE dual_control SET currency = 'USD'", ER_SIGNAL_EXCEPTION},
    {CLAIMS, "UPDATE dual_control SET above = 6, valid_for = 60", 0},
    {"DO 0", "UPDATE countries SET code = 999 WHERE code = 348", ER_SIGNAL_EXCEPTION},
    {RULE, "UPDATE dual_changes SET valid_for = 60", ER_SIGNAL_EXCEPTION},
    {RULE, "DELETE FROM dual_changes", 0},
    {INTEGRATION ", removed_at = " NOW, "UPDATE integrations SET endpoint = 'http://a/'", ER_SIGNAL_EXCEPTION},
    {INTEGRATION ", removed_at = " NOW, "UPDATE integrations SET removed_at = NULL", ER_SIGNAL_EXCEPTION},
    {INTEGRATION, "UPDATE integrations SET endpoint = 'http://a/', currency = 'PEN'", 0},
    {INTEGRATION, "UPDATE integrations SET id = id + 1000", ER_SIGNAL_EXCEPTION},
    {INTEGRATION, "UPDATE integrations SET merchant_id = @other", ER_SIGNAL_EXCEPTION},
    {INTEGRATION, "UPDATE integrations SET code = '79'", ER_SIGNAL_EXCEPTION},
    {INTEGRATION, "UPDATE integrations SET kind = 1, network_id = @network", ER_SIGNAL_EXCEPTION},
    {INTEGRATION, "UPDATE integrations SET network_id = @network", ER_SIGNAL_EXCEPTION},
    {PREFIX, "UPDATE reference_prefixes SET prefix = '4712'", ER_SIGNAL_EXCEPTION},
    {PREFIX, "UPDATE reference_prefixes SET merchant_id = @other", ER_SIGNAL_EXCEPTION},
    {PREFIX, "UPDATE reference_prefixes SET changed_by = 'ivo'", 0},
    {NOTE, "UPDATE notifications SET id = id + 1000", ER_SIGNAL_EXCEPTION},
    {NOTE, "UPDATE notifications SET webhook_id = 'x'", ER_SIGNAL_EXCEPTION},
    {NOTE, "UPDATE notifications SET order_id = 2", ER_SIGNAL_EXCEPTION},
    {NOTE, "UPDATE notifications SET merchant_id = @other", ER_SIGNAL_EXCEPTION},
    {NOTE, "UPDATE notifications SET sequence = 2", ER_SIGNAL_EXCEPTION},
    {NOTE, "UPDATE notifications SET status = 'cancelled'", ER_SIGNAL_EXCEPTION},
    {NOTE, "UPDATE notifications SET amount = 6", ER_SIGNAL_EXCEPTION},
    {NOTE, "UPDATE notifications SET state = 'exhausted', attempts = 5, due_at = " NOW, 0},
    {NOTE, "DELETE FROM notifications", ER_SIGNAL_EXCEPTION},
    {EVENT, "UPDATE event_log SET reason = 'x'", ER_SIGNAL_EXCEPTION},
    {EVENT, "DELETE FROM event_log", ER_SIGNAL_EXCEPTION},
    {"DO 0", "DELETE FROM settings", ER_SIGNAL_EXCEPTION},
    {"DO 0", "REPLACE INTO settings SET id = 1, cancel_window = 5", ER_SIGNAL_EXCEPTION},
    {"DO 0", "REPLACE INTO currencies SET code = 'PEN', name = 'x', query_code = 7", ER_SIGNAL_EXCEPTION},
    {"DO 0", "DELETE FROM currencies WHERE code = 'CRC'", ER_SIGNAL_EXCEPTION},
    {"DO 0", "DELETE FROM merchants WHERE id = @merchant", ER_SIGNAL_EXCEPTION},
    {"DO 0", "UPDATE merchants SET name = 'x' WHERE id = @merchant", ER_SIGNAL_EXCEPTION},
    {"DO 0", "UPDATE merchants SET id = id + 1000 WHERE id = @merchant", ER_SIGNAL_EXCEPTION},
    {"DO 0", "UPDATE merchants SET name = 'first', commerce = 'x' WHERE id = @merchant", 0},
    {"DO 0", "UPDATE networks SET name = 'x' WHERE id = @network", ER_SIGNAL_EXCEPTION},
    {"DO 0", "UPDATE networks SET id = id + 1000 WHERE id = @network", ER_SIGNAL_EXCEPTION},
    {"DO 0", "UPDATE networks SET rate_limit = 5, rate_burst = 9 WHERE id = @network", 0},
    {"DO 0", "REPLACE INTO merchants SELECT * FROM merchants WHERE id = @merchant", ER_SIGNAL_EXCEPTION},
    {"DO 0", "REPLACE INTO networks SELECT * FROM networks WHERE id = @network", ER_SIGNAL_EXCEPTION},
    {"DO 0", "DELETE FROM networks WHERE id = @network", ER_SIGNAL_EXCEPTION},
    {ACCOUNT, "DELETE FROM accounts", ER_SIGNAL_EXCEPTION},
    {ACCOUNT,
     "REPLACE INTO accounts SET document = '4711', document_type = 'CC', name = 'Eva', currency = 'USD',"
     " changed_by = 'x'",
     ER_SIGNAL_EXCEPTION},
    {ACCOUNT, "UPDATE accounts SET document = '4712'", ER_SIGNAL_EXCEPTION},
    {ACCOUNT, "UPDATE accounts SET currency = 'USD'", ER_SIGNAL_EXCEPTION},
    {ACCOUNT, "UPDATE accounts SET document = '4711', currency = 'COP', name = 'Eva'", 0},
    {INTEGRATION, "DELETE FROM integrations", ER_SIGNAL_EXCEPTION},
};

static MYSQL *mysql;

static void set_up(void) {
    mysql = database_login(OWNER);
    ck_assert_uint_eq(database_error(mysql, "SET @merchant = %" PRIu64 ", @other = %" PRIu64 ", @network = %" PRIu64,
                                     new_merchant(.name = "'first'"), new_merchant(.name = "'second'"),
                                     sample_network(NULL)),
                      0);
    ck_assert_uint_eq(database_error(mysql, "BEGIN"), 0);
}

static void tear_down(void) {
    ck_assert_uint_eq(database_error(mysql, "ROLLBACK"), 0);
    mysql_close(mysql);
}

START_TEST(what_is_written_once_is_kept) {
    ck_assert_uint_eq(database_error(mysql, "%s", CHANGES[_i].insert), 0);
    unsigned error = database_error(mysql, "%s", CHANGES[_i].change);
    ck_assert_msg(error == CHANGES[_i].error, "%s gives %u", CHANGES[_i].change, error);
}
END_TEST

/* Checks whether the order and its payment may be deleted. */
static void check_kept(const char *when, bool order_is_kept, bool payment_is_kept) {
    ck_assert_uint_eq(database_error(mysql, "SAVEPOINT whole"), 0);
    ck_assert_msg(database_error(mysql, "DELETE FROM orders WHERE id = @order") ==
                      (order_is_kept ? ER_SIGNAL_EXCEPTION : 0),
                  "the order, %s", when);
    ck_assert_msg(database_error(mysql, "DELETE FROM transactions WHERE id = @payment") ==
                      (payment_is_kept ? ER_SIGNAL_EXCEPTION : 0),
                  "the payment, %s", when);
    ck_assert_uint_eq(database_error(mysql, "ROLLBACK TO SAVEPOINT whole"), 0);
}

static void change(const char *sql) {
    ck_assert_msg(database_error(mysql, "%s", sql) == 0, "%s: %s", sql, mysql_error(mysql));
}

static void pay(const char *number) {
    uint64_t network = sample_network(NULL), order = new_order(.reference = "4711");
    uint64_t payment = new_transaction(.network_id = network, .order_id = order, .network_transaction = number);
    ck_assert_uint_eq(database_error(mysql, "SET @network = %" PRIu64 ", @order = %" PRIu64 ", @payment = %" PRIu64 "",
                                     network, order, payment),
                      0);
    check_kept("registered", false, false);
}

START_TEST(what_somebody_paid_is_kept) {
    pay("'kept'");
    change("DO payment_confirm(@network, 'kept', 'network:red')");
    check_kept("confirmed", true, true);
    change("UPDATE transactions t JOIN orders o ON o.id = t.order_id SET t.window_ends_at = " NOW
           ", o.held_until = " NOW " WHERE t.id = @payment");
    change("DO payments_finalise(10)");
    check_kept("final", true, true);
    change("DO order_claim(@order, 'returned', 'operator:eva')");
    check_kept("returned", true, true);
}
END_TEST

START_TEST(what_was_taken_back_is_kept_and_its_order_is_free) {
    pay("'back'");
    change("DO payment_confirm(@network, 'back', 'network:red')");
    change("DO payment_cancel(@network, 'back', 'network:red')");
    check_kept("taken back", false, true);
}
END_TEST

TCase *kept_tests(void) {
    TCase *tests = database_case("kept");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, what_is_written_once_is_kept, CHANGES);
    tcase_add_test(tests, what_somebody_paid_is_kept);
    tcase_add_test(tests, what_was_taken_back_is_kept_and_its_order_is_free);
    return tests;
}
