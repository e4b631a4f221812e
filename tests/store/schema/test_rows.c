#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* Which rows the tables accept, whoever writes them: for each constraint a row that it accepts and one that it
 * refuses. */

#define SETTLEMENT(values)                                                                                             \
    "INSERT INTO settlements (number, opened_at, state, closed_at, closed_by, day, zone, digest, finalised,"           \
    " cancelled, refunded) VALUES (900001, '2026-01-02', " values ")"
#define CLOSED "'closed', '2026-01-03', 'eva', "
#define DIGEST "REPEAT('0a', 32)"
#define APPROVAL(values)                                                                                               \
    "INSERT INTO approvals (subject_id, seen, reason, asked_by, expires_at, kind, amount, currency, changes, state,"   \
    " answered_by, answered_at) VALUES (1, '1', '', 'eva', " NOW ", " values ")"
#define WAITS    ", 'waiting', NULL, NULL"
#define ORDER_OF "INSERT INTO orders (merchant_id, currency, origin, due_at, changed_by, reference, po_id, amount"
#define SOLD     "VALUES (@merchant, 'COP', 'imported', " NOW ", 'eva', "
#define PAYMENT(values)                                                                                                \
    "INSERT INTO transactions (network_id, network_transaction, reference, currency, commerce, description, teller,"   \
    " fingerprint, changed_by, order_id, account_id, amount, state, confirmed_at, window_ends_at, finalised_at,"       \
    " cancelled_at) VALUES (@network, 'rows', '1', 'COP', '', '', '', REPEAT('f', 32), 'eva', " values ")"
#define NETWORK "INSERT INTO networks SET name = 'rows', fixed_hash = 'x', changed_by = 'eva', "
#define MERCHANT                                                                                                       \
    "INSERT INTO merchants SET name = 'rows', commerce = 'x', country = 343, fixed_hash = 'x',"                        \
    " notification_hash = 'x', changed_by = 'eva', "
#define INTEGRATION                                                                                                    \
    "INSERT INTO integrations SET merchant_id = @merchant, endpoint = 'http://a/', currency = 'COP',"                  \
    " changed_by = 'eva', "
#define ACCOUNT "INSERT INTO accounts SET document_type = 'CC', name = 'Ana', currency = 'COP', changed_by = 'eva', "
#define LIMIT   "INSERT INTO network_limits SET network_id = @network, currency = 'COP', changed_by = 'eva', "
#define SEAL                                                                                                           \
    "INSERT INTO seals SET number = 1, sealed_at = " NOW ", first_id = 1, count = 0, events = '', digest = '',"        \
    " marks = '', "
#define PREFIX "INSERT INTO reference_prefixes SET merchant_id = @merchant, changed_by = 'eva', "
#define USER   "INSERT INTO console_users SET changed_by = 'eva', "

static const char *const TAKEN[] = {
    SETTLEMENT(CLOSED "NULL, NULL, NULL, NULL, NULL, NULL"),
    SETTLEMENT("'closed', '2026-01-02', 'eva', NULL, NULL, NULL, NULL, NULL, NULL"),
    SETTLEMENT(CLOSED "'2026-09-30', 'UTC', " DIGEST ", 0, 0, 0"),
    APPROVAL("'claim', 5, 'COP', NULL" WAITS),
    APPROVAL("'claim', 5, 'COP', NULL, 'making', NULL, NULL"),
    APPROVAL("'claim', 5, 'COP', NULL, 'approved', 'ivo', " NOW),
    APPROVAL("'limits', NULL, 'COP', '{}', 'refused', 'ivo', " NOW),
    APPROVAL("'notify_url', NULL, NULL, '{}'" WAITS),
    APPROVAL("'network_secret', NULL, NULL, '{}'" WAITS),
    ORDER_OF ") " SOLD "'1', 'a-_Z9', 0)",
    ORDER_OF ", min_amount, max_amount) " SOLD "'1', 'a', 0, 5, 5)",
    ORDER_OF ", min_amount) " SOLD "'1', 'a', 0, 5)",
    ORDER_OF ", max_amount) " SOLD "'1', 'a', 0, 5)",
    ORDER_OF ", held_by, held_until) " SOLD "'1', 'a', 0, 5, " NOW ")",
    ORDER_OF ", state, paid_by) " SOLD "REPEAT('9', 25), REPEAT('a', 200), 1, 'APROBADA', 5)",
    ORDER_OF ", state, paid_by) " SOLD "'1', 'a', 1, 'ANULADA', 5)",
    ORDER_OF ", state) " SOLD "'1', 'a', 1, 'VENCIDA')",
    PAYMENT("1, NULL, 0.0001, 'REGISTRADA', NULL, NULL, NULL, NULL"),
    PAYMENT("NULL, @account, 1, 'REGISTRADA', NULL, NULL, NULL, NULL"),
    PAYMENT("1, NULL, 1, 'CONFIRMADA', " NOW ", " NOW ", NULL, NULL"),
    PAYMENT("1, NULL, 1, 'FINALIZADA', " NOW ", " NOW ", " NOW ", NULL"),
    PAYMENT("1, NULL, 1, 'CANCELADA', " NOW ", " NOW ", NULL, " NOW),
    PAYMENT("1, NULL, 1, 'CANCELADA', NULL, NULL, NULL, " NOW),
    NETWORK "old_hash = 'x', old_hash_until = " NOW,
    NETWORK "rate_limit = 1, rate_burst = 1",
    NETWORK "allow_addresses = '10.0.0.0/8 2001:db8::/32 192.0.2.0/24'",
    MERCHANT "old_hash = 'x', old_hash_until = " NOW,
    MERCHANT "old_notification_hash = 'x', old_notification_hash_until = " NOW,
    INTEGRATION "kind = 1, network_id = @network, code = '1'",
    INTEGRATION "kind = 2, code = '1234567890123456'",
    ACCOUNT "document = 'az-AZ-09'",
    ACCOUNT "document = '1', balance = 0, reserved = 0",
    LIMIT "day_limit = 0, outstanding_limit = 0",
    LIMIT "day_limit = NULL, outstanding_limit = 5",
    SEAL "last_id = 0",
    SEAL "last_id = 0, key_id = 'a', signature = 'b'",
    "INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 0, valid_for = 60",
    "INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 5, valid_for = 2592000",
    "INSERT INTO dual_changes SET kind = 'limits', valid_for = 60",
    "INSERT INTO dual_changes SET kind = 'limits', valid_for = 2592000",
    USER "name = 'a', role = 'viewer'",
    USER "name = 'a', role = 'merchant', merchant_id = @merchant",
    "INSERT INTO currencies SET code = 'AZX', name = 'x', query_code = 0",
    "INSERT INTO currencies SET code = 'AZX', name = 'x', query_code = 9",
    PREFIX "prefix = '123'",
    PREFIX "prefix = '123456789012'",
};

static const char *const REFUSED[] = {
    SETTLEMENT("'closed', NULL, 'eva', NULL, NULL, NULL, NULL, NULL, NULL"),
    SETTLEMENT("'closed', '2026-01-03', NULL, NULL, NULL, NULL, NULL, NULL, NULL"),
    SETTLEMENT("'closed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"),
    SETTLEMENT("'open', '2026-01-03', 'eva', NULL, NULL, NULL, NULL, NULL, NULL"),
    SETTLEMENT("'open', NULL, 'eva', NULL, NULL, NULL, NULL, NULL, NULL"),
    SETTLEMENT("'open', NULL, NULL, '2026-09-30', 'UTC', NULL, NULL, NULL, NULL"),
    SETTLEMENT("'open', NULL, NULL, NULL, NULL, " DIGEST ", 0, 0, 0"),
    SETTLEMENT("'closed', '2026-01-01', 'eva', NULL, NULL, NULL, NULL, NULL, NULL"),
    SETTLEMENT(CLOSED "'2026-9-30', 'UTC', NULL, NULL, NULL, NULL"),
    SETTLEMENT(CLOSED "'x026-09-30', 'UTC', NULL, NULL, NULL, NULL"),
    SETTLEMENT(CLOSED "'2026-09-30', NULL, NULL, NULL, NULL, NULL"),
    SETTLEMENT(CLOSED "NULL, 'UTC', NULL, NULL, NULL, NULL"),
    SETTLEMENT(CLOSED "NULL, NULL, " DIGEST ", NULL, 0, 0"),
    SETTLEMENT(CLOSED "NULL, NULL, " DIGEST ", 0, NULL, 0"),
    SETTLEMENT(CLOSED "NULL, NULL, " DIGEST ", 0, 0, NULL"),
    SETTLEMENT(CLOSED "NULL, NULL, NULL, 0, NULL, NULL"),
    SETTLEMENT(CLOSED "NULL, NULL, NULL, NULL, 0, NULL"),
    SETTLEMENT(CLOSED "NULL, NULL, NULL, NULL, NULL, 0"),
    SETTLEMENT(CLOSED "NULL, NULL, REPEAT('0A', 32), 0, 0, 0"),
    SETTLEMENT(CLOSED "NULL, NULL, REPEAT('a', 63), 0, 0, 0"),
    APPROVAL("'claim', 5, 'COP', NULL, 'waiting', 'ivo', NULL"),
    APPROVAL("'claim', 5, 'COP', NULL, 'waiting', NULL, " NOW),
    APPROVAL("'claim', 5, 'COP', NULL, 'making', 'ivo', NULL"),
    APPROVAL("'claim', 5, 'COP', NULL, 'making', NULL, " NOW),
    APPROVAL("'claim', 5, 'COP', NULL, 'approved', NULL, " NOW),
    APPROVAL("'claim', 5, 'COP', NULL, 'refused', 'ivo', NULL"),
    APPROVAL("'claim', NULL, 'COP', NULL" WAITS),
    APPROVAL("'claim', 5, NULL, NULL" WAITS),
    APPROVAL("'claim', 5, 'COP', '{}'" WAITS),
    APPROVAL("'limits', 5, 'COP', '{}'" WAITS),
    APPROVAL("'limits', NULL, NULL, '{}'" WAITS),
    APPROVAL("'limits', NULL, 'COP', NULL" WAITS),
    APPROVAL("'notify_url', NULL, 'COP', '{}'" WAITS),
    ORDER_OF ") " SOLD "'1', 'a', -0.0001)",
    ORDER_OF ", min_amount, max_amount) " SOLD "'1', 'a', 0, 5.0001, 5)",
    ORDER_OF ") " SOLD "'1x', 'a', 0)",
    ORDER_OF ") " SOLD "'', 'a', 0)",
    ORDER_OF ") " SOLD "'1', '', 0)",
    ORDER_OF ") " SOLD "'1', 'a b', 0)",
    ORDER_OF ", held_by) " SOLD "'1', 'a', 0, 5)",
    ORDER_OF ", held_until) " SOLD "'1', 'a', 0, " NOW ")",
    ORDER_OF ", state, held_by, held_until) " SOLD "'1', 'a', 0, 'VENCIDA', 5, " NOW ")",
    ORDER_OF ", state) " SOLD "'1', 'a', 0, 'APROBADA')",
    ORDER_OF ", state) " SOLD "'1', 'a', 0, 'ANULADA')",
    ORDER_OF ", paid_by) " SOLD "'1', 'a', 0, 5)",
    ORDER_OF ", state, paid_by) " SOLD "'1', 'a', 0, 'CANCELADA', 5)",
    PAYMENT("NULL, NULL, 1, 'REGISTRADA', NULL, NULL, NULL, NULL"),
    PAYMENT("1, @account, 1, 'REGISTRADA', NULL, NULL, NULL, NULL"),
    PAYMENT("1, NULL, 0, 'REGISTRADA', NULL, NULL, NULL, NULL"),
    PAYMENT("1, NULL, 1, 'REGISTRADA', " NOW ", NULL, NULL, NULL"),
    PAYMENT("1, NULL, 1, 'REGISTRADA', NULL, " NOW ", NULL, NULL"),
    PAYMENT("1, NULL, 1, 'CONFIRMADA', NULL, NULL, NULL, NULL"),
    PAYMENT("1, NULL, 1, 'FINALIZADA', NULL, NULL, " NOW ", NULL"),
    PAYMENT("1, NULL, 1, 'FINALIZADA', " NOW ", " NOW ", NULL, NULL"),
    PAYMENT("1, NULL, 1, 'CONFIRMADA', " NOW ", " NOW ", " NOW ", NULL"),
    PAYMENT("1, NULL, 1, 'CANCELADA', NULL, NULL, NULL, NULL"),
    PAYMENT("1, NULL, 1, 'REGISTRADA', NULL, NULL, NULL, " NOW),
    NETWORK "old_hash = 'x'",
    NETWORK "old_hash_until = " NOW,
    NETWORK "rate_limit = 1",
    NETWORK "rate_burst = 1",
    NETWORK "allow_addresses = '10.0.0.0'",
    NETWORK "allow_addresses = '10.0.0.0/8  192.0.2.0/24'",
    NETWORK "allow_addresses = '10.0.0.0/8x'",
    MERCHANT "old_hash = 'x'",
    MERCHANT "old_hash_until = " NOW,
    MERCHANT "old_notification_hash = 'x'",
    MERCHANT "old_notification_hash_until = " NOW,
    INTEGRATION "kind = 1, code = '1'",
    INTEGRATION "kind = 2, network_id = @network, code = '1'",
    INTEGRATION "kind = 0, code = '1'",
    INTEGRATION "kind = 3, code = '1'",
    INTEGRATION "kind = 2, code = ''",
    INTEGRATION "kind = 2, code = 'a'",
    ACCOUNT "document = 'a.b'",
    ACCOUNT "document = '1', balance = -0.0001",
    ACCOUNT "document = '1', reserved = -0.0001",
    LIMIT "day_limit = -0.0001",
    LIMIT "outstanding_limit = -0.0001",
    LIMIT "day_limit = 5, outstanding_limit = -0.0001",
    LIMIT "day_limit = -0.0001, outstanding_limit = 5",
    SEAL "last_id = 0, key_id = 'a'",
    SEAL "last_id = 0, signature = 'a'",
    "INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = -0.0001",
    "INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 0, valid_for = 59",
    "INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 0, valid_for = 2592001",
    "INSERT INTO dual_changes SET kind = 'limits', valid_for = 59",
    "INSERT INTO dual_changes SET kind = 'limits', valid_for = 2592001",
    USER "name = 'a', role = 'merchant'",
    USER "name = 'a', role = 'operator', merchant_id = @merchant",
    USER "name = '', role = 'viewer'",
    "INSERT INTO currencies SET code = 'azx', name = 'x'",
    "INSERT INTO currencies SET code = 'AZX', name = 'x', query_code = 10",
    PREFIX "prefix = '12'",
    PREFIX "prefix = '12a'",
    "INSERT INTO always SET id = 2",
    "INSERT INTO settings SET id = 2, cancel_window = 1",
    "INSERT INTO console_keys SET id = 2, form_key = ''",
};

static MYSQL *mysql;

static void set_up(void) {
    mysql = database_login(OWNER);
    ck_assert_uint_eq(database_error(mysql, "SET @merchant = %" PRIu64 ", @network = %" PRIu64 ", @account = %" PRIu64,
                                     new_merchant(.name = "'first'"), sample_network(NULL), sample_account("77")),
                      0);
}

static void tear_down(void) {
    mysql_close(mysql);
}

/* Commits nothing, because some rows cannot be deleted. */
static void assert_row(const char *statement, unsigned expected) {
    ck_assert_uint_eq(database_error(mysql, "BEGIN"), 0);
    unsigned error = database_error(mysql, "%s", statement);
    ck_assert_msg(error == expected, "%s gives %u %s", statement, error, mysql_error(mysql));
    ck_assert_uint_eq(database_error(mysql, "ROLLBACK"), 0);
}

START_TEST(takes_what_is_whole) {
    for (size_t i = 0; i < COUNT_OF(TAKEN); i++) {
        assert_row(TAKEN[i], 0);
    }
}
END_TEST

START_TEST(refuses_what_contradicts_itself) {
    for (size_t i = 0; i < COUNT_OF(REFUSED); i++) {
        assert_row(REFUSED[i], ER_CONSTRAINT_FAILED);
    }
}
END_TEST

TCase *rows_tests(void) {
    TCase *tests = database_case("rows");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, takes_what_is_whole);
    tcase_add_test(tests, refuses_what_contradicts_itself);
    return tests;
}
