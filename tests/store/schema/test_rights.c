#include "store.h"

#include "store/schema/rights.h"
#include "store/schema/schema.h"

#include <inttypes.h>
#include <mysqld_error.h>

/*
 * What an attacker with one account's password cannot do to money, in a session with SQL modes off and a changed clock.
 *
 * The statements name these rows. @free is an order that nobody pays, with the registrations @registered and @cheap (of
 * another amount). @held is held by the payment @holder; @second would replace that. @paid was paid by @payer; @credit
 * is a confirmed top-up of @account; @waiting is a pending notification. No window has closed. @gone is an order
 * cancelled today. Its customer's data, its registration @abandoned, the @attempt to deliver its notification and the
 * external @query may be purged one day, but not today.
 *
 * Users of the console: @viewer, @helper (support), @boss (operator), @clerk of the merchant @shop, @stranger of
 * another merchant, @former, a disabled operator.
 */
enum outcome { DENIED, REFUSED, NOTHING }; /* by the grants; by a trigger; runs but changes nothing */

#define HOSTILE "SET SESSION sql_mode = '', timestamp = UNIX_TIMESTAMP() + 86400;"

#define PAYMENT(columns, values)                                                                                       \
    "INSERT INTO transactions (network_id, network_transaction, order_id, reference, amount, currency, commerce,"      \
    " description, teller, fingerprint, changed_by" columns ") SELECT network_id, 'forged', @free, reference, amount," \
    " currency, commerce, description, teller, fingerprint, 'x'" values " FROM transactions WHERE id = @registered"

/* A purge of a row of today, by a mistaken or hostile operator or dispatcher. */
#define PURGE(function, variable, reason) "SELECT " function "(CONCAT('[', @" variable ", ']')" reason ", 'x')"

/* A call that names a transaction by its network's number. */
#define NAMING(function, variable)                                                                                     \
    "SELECT network_id, network_transaction INTO @network, @sent FROM transactions WHERE id = @" variable ";"          \
    " SELECT " function "(@network, @sent, 'x')"
#define CONFIRM(variable) NAMING("payment_confirm", variable)
#define CANCEL(variable)  NAMING("payment_cancel", variable)
#define CONFIRM_WITH_OTHERS(variable)                                                                                  \
    "SELECT network_id, network_transaction INTO @network, @sent FROM transactions WHERE id = @" variable ";"          \
    " SELECT payments_confirm(JSON_ARRAY(JSON_ARRAY(0, @network, @sent, 'x')))"

/* A retry of @notification, which is pending, by a user of the console. */
#define RETRY_AS(user, notification)                                                                                   \
    "SET @retry = CONCAT('[{\"id\":', @" notification ", ',\"was\":\"pending\",\"becomes\":\"pending\"}]');"           \
    " SET @done = console_retry(" user ", @retry, @retry, 'x')"

/* After a row with the last id a table takes no other. */
#define CHOSEN "1000000000"

#define QUERY(id)                                                                                                      \
    "INSERT INTO external_queries (id, asked_at, merchant_id, integration_id, network_id, reference, duration_us,"     \
    " outcome) VALUES (" id ", NOW(), 1, 1, 1, '1', 1, 'silent')"

#define ATTEMPT(insert, id)                                                                                            \
    insert " INTO attempts (id, notification_id, number, dispatcher_id, started_at, duration_us, address, reason,"     \
           " late, reply, lease) VALUES (" id ", @waiting, 1, 1, NOW(), 1, '', 'timeout', FALSE, '', REPEAT('x', 16))"

static const struct {
    enum db_account account;
    enum outcome outcome;
    const char *sql;
} ATTACKS[] = {
    {WORKER, DENIED, PAYMENT(", state, confirmed_at, window_ends_at", ", 'CONFIRMADA', '2020-01-01', '2020-01-01'")},
    {WORKER, DENIED, PAYMENT(", state", ", 'CONFIRMADA'")},
    {WORKER, DENIED, PAYMENT(", registered_at", ", '2020-01-01'")},
    {WORKER, DENIED, PAYMENT(", finalised_at", ", '2020-01-01'")},
    {WORKER, REFUSED, PAYMENT(", id", ", 1000000000")},
    {WORKER, REFUSED, "SET insert_id = 1000000000; " PAYMENT("", "")},
    {WORKER, REFUSED,
     "SET insert_id = 1000000000; INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at,"
     " changed_by) SELECT merchant_id, 'forged', '987654321', amount, currency, 'registered', due_at, 'x' FROM orders"
     " WHERE id = @free"},
    {WORKER, DENIED, PAYMENT("", "") " ON DUPLICATE KEY UPDATE state = 'CONFIRMADA'"},
    {WORKER, DENIED, "REPLACE INTO transactions (id, commerce) VALUES (@registered, 'x')"},
    {WORKER, DENIED, "UPDATE transactions SET state = 'CONFIRMADA' WHERE id = @registered"},
    {WORKER, DENIED, "UPDATE transactions SET confirmed_at = '2020-01-01' WHERE id = @holder"},
    {WORKER, DENIED, "UPDATE transactions SET window_ends_at = '2020-01-01' WHERE id = @holder"},
    {WORKER, DENIED, "UPDATE transactions SET cancelled_at = '2020-01-01', state = 'CANCELADA' WHERE id = @holder"},
    {WORKER, DENIED, "UPDATE transactions SET order_id = @free WHERE id = @payer"},
    {WORKER, DENIED, "UPDATE orders SET held_by = @registered, held_until = '2020-01-01' WHERE id = @free"},
    {WORKER, DENIED, "UPDATE orders SET held_by = NULL, held_until = NULL WHERE id = @held"},
    {WORKER, DENIED, "UPDATE orders SET state = 'APROBADA' WHERE id = @free"},
    {WORKER, DENIED, "UPDATE orders SET state = 'CANCELADA' WHERE id = @held"},
    {WORKER, DENIED, "UPDATE orders SET paid_by = @payer WHERE id = @free"},
    {WORKER, DENIED, "UPDATE orders SET created_at = '2020-01-01'"},
    {WORKER, REFUSED, "UPDATE orders SET amount = 1 WHERE id = @held"},
    {WORKER, REFUSED, "UPDATE orders SET reference = '1' WHERE id = @held"},
    {WORKER, REFUSED, "UPDATE orders SET due_at = '2999-01-01' WHERE id = @held"},
    {WORKER, REFUSED, "UPDATE orders SET amount = 1 WHERE id = @paid"},
    {WORKER, REFUSED, "SET SESSION time_zone = '-12:00'; UPDATE orders SET amount = 1 WHERE id = @paid"},
    {WORKER, NOTHING, "SELECT order_finalise(@held, 'x')"},
    {WORKER, NOTHING, "SELECT order_finalise(@free, 'x')"},
    {WORKER, NOTHING, "SET SESSION time_zone = '+13:00'; SELECT order_finalise(@held, 'x')"},
    {WORKER, NOTHING, CONFIRM("cheap")},
    {WORKER, NOTHING, CONFIRM("second")},
    {WORKER, NOTHING, CONFIRM("payer")},
    {WORKER, NOTHING, CONFIRM_WITH_OTHERS("cheap")},
    {WORKER, NOTHING, CONFIRM_WITH_OTHERS("second")},
    {WORKER, NOTHING, CONFIRM_WITH_OTHERS("payer")},
    {WORKER, NOTHING, "SELECT top_up_confirm(@registered, 'x')"},
    {WORKER, NOTHING, CANCEL("payer")},
    {WORKER, NOTHING, "SELECT order_cancel(@held, NULL, 'x')"},
    {WORKER, NOTHING, "SELECT order_cancel(@paid, NULL, 'x')"},
    {WORKER, NOTHING, "SELECT order_refund(@free, 'x', 'x')"},
    {WORKER, NOTHING, "SELECT order_refund(@held, 'x', 'x')"},
    {WORKER, DENIED, "SELECT payments_finalise(100)"},
    {WORKER, DENIED, "SELECT top_ups_finalise(100)"},
    {WORKER, NOTHING, "SELECT top_up_finalise(@credit, 'x')"},
    {WORKER, NOTHING, "SET SESSION time_zone = '+13:00'; SELECT top_up_finalise(@credit, 'x')"},
    {WORKER, DENIED, "SELECT order_claim(@paid, 'x', 'x')"},
    {WORKER, DENIED, "CALL payments_write(CONCAT('[', @holder, ']'), 'x', '2999-01-01', @written)"},
    {WORKER, DENIED, "UPDATE settings SET cancel_window = 0"},
    {WORKER, DENIED, "UPDATE accounts SET balance = 1000, reserved = 0"},
    {WORKER, DENIED,
     "INSERT INTO account_ledger (account_id, transaction_id, amount, balance) VALUES (@account, 1, 1, 1)"},
    {WORKER, DENIED, "INSERT INTO refunds (order_id, transaction_id) VALUES (@paid, @payer)"},
    {WORKER, DENIED,
     "INSERT INTO event_log (subject, subject_id, what, actor, db_account) VALUES ('order', 1, 'x', 'x', 'x')"},

    {DISPATCHER, DENIED, "UPDATE orders SET state = 'APROBADA', paid_by = @registered WHERE id = @free"},
    {DISPATCHER, DENIED, "UPDATE orders SET state = 'APROBADA', paid_by = @payer WHERE id = @free"},
    {DISPATCHER, DENIED, "UPDATE orders SET state = 'VENCIDA' WHERE id = @free"},
    {DISPATCHER, DENIED,
     "UPDATE transactions SET state = 'FINALIZADA', finalised_at = '2020-01-01' WHERE id = @holder"},
    {DISPATCHER, DENIED, "UPDATE accounts SET balance = balance + 1000 WHERE id = @account"},
    {DISPATCHER, DENIED,
     "INSERT INTO account_ledger (account_id, transaction_id, amount, balance) VALUES (@account, @credit, 5, 5)"},
    {DISPATCHER, DENIED, "INSERT INTO notifications (order_id, merchant_id, status) VALUES (@free, 1, 'approved')"},
    {DISPATCHER, DENIED,
     "INSERT INTO event_log (subject, subject_id, what, actor, db_account) VALUES ('order', 1, 'x', 'x', 'x')"},
    {DISPATCHER, DENIED, "UPDATE settings SET cancel_window = 0"},
    {DISPATCHER, DENIED, "CALL payments_write(CONCAT('[', @holder, ']'), 'x', '2999-01-01', @written)"},
    {DISPATCHER, NOTHING, "SELECT order_finalise(@held, 'x')"},
    {DISPATCHER, DENIED, CONFIRM("registered")},
    {DISPATCHER, DENIED, CONFIRM_WITH_OTHERS("registered")},
    {DISPATCHER, DENIED, CANCEL("holder")},
    {DISPATCHER, NOTHING, "SELECT payments_finalise(100)"},
    {DISPATCHER, NOTHING, "SET SESSION time_zone = '+13:00'; SELECT payments_finalise(100)"},
    {DISPATCHER, NOTHING, "SELECT top_ups_finalise(100)"},
    {DISPATCHER, NOTHING, "SELECT top_up_finalise(@credit, 'x')"},
    {DISPATCHER, NOTHING, "SET SESSION time_zone = '+13:00'; SELECT top_up_finalise(@credit, 'x')"},
    {DISPATCHER, DENIED, "SET @written = 0; CALL top_up_write(@credit, @account, 1000, 'x', '2999-01-01', @written)"},
    {DISPATCHER, NOTHING, "SELECT orders_expire(100)"},
    {DISPATCHER, NOTHING, "SELECT order_expire(@held)"},
    {DISPATCHER, NOTHING, "SELECT order_expire(@free)"},
    {DISPATCHER, DENIED, "CALL orders_expire_write(CONCAT('[', @free, ']'), '2999-01-01', @written)"},
    {DISPATCHER, NOTHING, PURGE("attempts_purge", "attempt", ", 'x'")},
    {DISPATCHER, NOTHING, PURGE("queries_purge", "query", ", 'x'")},
    {DISPATCHER, NOTHING, PURGE("transactions_purge", "abandoned", "")},
    {DISPATCHER, NOTHING, PURGE("orders_purge", "gone", "")},

    {DELIVERER, REFUSED,
     "SET insert_id = 18446744073709551614; UPDATE notifications SET state = 'exhausted' WHERE id = @waiting"},
    {DELIVERER, DENIED, "SELECT payments_finalise(100)"},
    {DELIVERER, DENIED, "SELECT top_ups_finalise(100)"},
    {DELIVERER, DENIED, "SELECT top_up_finalise(@credit, 'x')"},
    {DELIVERER, DENIED, "SELECT orders_expire(100)"},
    {DELIVERER, DENIED, "SELECT order_expire(@free)"},
    {DELIVERER, DENIED, "SELECT order_finalise(@held, 'x')"},
    {DELIVERER, DENIED, CONFIRM("registered")},
    {DELIVERER, DENIED, "CALL payments_write(CONCAT('[', @holder, ']'), 'x', '2999-01-01', @written)"},
    {DELIVERER, DENIED, "INSERT INTO notifications (order_id, merchant_id, status) VALUES (@free, 1, 'approved')"},
    {DELIVERER, DENIED, "UPDATE notifications SET order_id = @free WHERE id = @waiting"},
    {DELIVERER, DENIED, "UPDATE notifications SET amount = 1 WHERE id = @waiting"},

    {OPERATOR, DENIED,
     "INSERT INTO event_log (subject, subject_id, what, actor, db_account) VALUES ('order', 1, 'x', 'x', 'x')"},
    {OPERATOR, DENIED, "UPDATE orders SET state = 'APROBADA', paid_by = @registered WHERE id = @free"},
    {OPERATOR, DENIED, "UPDATE orders SET state_reason = 'x' WHERE id = @paid"},
    {OPERATOR, DENIED, "INSERT INTO orders (po_id, state, paid_by) VALUES ('x', 'APROBADA', @payer)"},
    {OPERATOR, DENIED, "INSERT INTO orders (po_id, created_at) VALUES ('x', '2020-01-01')"},
    {OPERATOR, DENIED, "INSERT INTO accounts (document, balance) VALUES ('x', 1000)"},
    {OPERATOR, DENIED, "INSERT INTO notifications (order_id, merchant_id, status) VALUES (@free, 1, 'approved')"},
    {OPERATOR, DENIED, "UPDATE notifications SET state = 'delivered' WHERE id = @waiting"},
    {OPERATOR, DENIED, "UPDATE settings SET cancel_window = 0"},
    {OPERATOR, DENIED, "DELETE FROM attempts"},
    {OPERATOR, DENIED, "DELETE FROM external_queries"},
    {OPERATOR, DENIED, "SELECT payments_finalise(100)"},
    {OPERATOR, DENIED, CONFIRM("registered")},
    {OPERATOR, DENIED, "SELECT order_refund(@paid, 'x', 'x')"},
    {OPERATOR, DENIED, "SELECT network_limit_set_now(1, 'COP', 1, 1, 'x')"},
    {OPERATOR, DENIED, "SELECT approval_make(1, 'x')"},
    {OPERATOR, DENIED, "SELECT approval_store('limits', 1, 'COP', '{}', NULL, 'x', 'x', 60)"},
    {OPERATOR, DENIED, "SELECT sealed FROM approvals"},
    {OPERATOR, DENIED, "UPDATE approvals SET state = 'making'"},
    {OPERATOR, DENIED, "DELETE FROM dual_changes"},
    {OPERATOR, REFUSED, "SET @done = approval_ask('claim', @paid, '', NULL, 0, 'x', 'x')"},
    {OPERATOR, NOTHING, "SELECT order_finalise(@held, 'x')"},
    {OPERATOR, NOTHING, "SELECT order_claim(@held, 'x', 'x')"},
    {OPERATOR, NOTHING, "SELECT order_claim(@free, 'x', 'x')"},
    {OPERATOR, NOTHING,
     "SELECT notifications_retry(CONCAT('[{\"id\":', @waiting, ',\"was\":\"pending\",\"becomes\":\"delivered\"}]'),"
     " '[]', 'x', 'x')"},
    {OPERATOR, NOTHING,
     "SELECT notifications_retry('[]',"
     " CONCAT('[{\"id\":', @waiting, ',\"was\":\"exhausted\",\"becomes\":\"pending\"}]'), 'x', 'x')"},
    {OPERATOR, NOTHING, PURGE("attempts_purge", "attempt", ", 'x'")},
    {OPERATOR, NOTHING, PURGE("queries_purge", "query", ", 'x'")},
    {OPERATOR, NOTHING, PURGE("transactions_purge", "abandoned", "")},
    {OPERATOR, NOTHING, PURGE("orders_purge", "gone", "")},

    {READER, DENIED, "SELECT order_finalise(@held, 'x')"},
    {READER, DENIED, "SELECT payments_finalise(100)"},
    {CONSOLE, DENIED, "SELECT balance FROM accounts"},
    {CONSOLE, DENIED, "SELECT name FROM accounts"},
    {CONSOLE, DENIED, "UPDATE merchants SET enabled = 0"},
    {CONSOLE, DENIED, "UPDATE networks SET enabled = 0"},
    {CONSOLE, DENIED, "UPDATE integrations SET removed_at = NOW()"},
    {CONSOLE, DENIED, "UPDATE orders SET state = 'ANULADA' WHERE id = @paid"},
    {CONSOLE, DENIED, "UPDATE notifications SET state = 'pending' WHERE id = @waiting"},
    {CONSOLE, DENIED, "UPDATE console_users SET role = 'operator'"},
    {CONSOLE, DENIED, "INSERT INTO console_users (name, role, changed_by) VALUES ('x', 'operator', 'x')"},
    {CONSOLE, DENIED, "INSERT INTO network_limits (network_id, currency, changed_by) VALUES (1, 'COP', 'x')"},
    {CONSOLE, DENIED, "UPDATE endpoint_tests SET asked_at = NOW()"},
    {CONSOLE, DENIED, "UPDATE settings SET cancel_window = 0"},
    {CONSOLE, DENIED,
     "INSERT INTO event_log (subject, subject_id, what, actor, db_account) VALUES ('order', 1, 'x', 'x', 'x')"},
    {CONSOLE, DENIED, "SELECT order_claim(@paid, 'x', 'x')"},
    {CONSOLE, DENIED, "SELECT order_refund(@paid, 'x', 'x')"},
    {CONSOLE, DENIED, "SELECT notifications_retry('[]', '[]', 'x', 'x')"},
    {CONSOLE, DENIED, "SELECT network_limit_begin(1, 'COP')"},
    {CONSOLE, DENIED, "SELECT network_limit_set(1, 'COP', 1, 1, 0, 'x')"},
    {CONSOLE, DENIED, "SELECT network_limit_set_now(1, 'COP', 1, 1, 'x')"},
    {CONSOLE, DENIED, "SELECT approval_ask('notify_url', 1, 'x', NULL, 0, 'x', 'x')"},
    {CONSOLE, DENIED, "SELECT sealed FROM approvals"},
    {CONSOLE, DENIED, "SELECT network_remit(1, 'COP', 1, 'x', 'x')"},
    {CONSOLE, DENIED, "SET @done = console_actor(@boss, 'operator', NULL)"},
    {CONSOLE, REFUSED, "SET @done = console_claim(@viewer, @paid, 'x')"},
    {CONSOLE, REFUSED, "SET @done = console_claim(@clerk, @paid, 'x')"},
    {CONSOLE, REFUSED, "SET @done = console_claim(@former, @paid, 'x')"},
    {CONSOLE, REFUSED, "SET @done = console_claim(0, @paid, 'x')"},
    {CONSOLE, REFUSED, "SET @done = console_claim(NULL, @paid, 'x')"},
    {CONSOLE, NOTHING, "SET @done = console_claim(@boss, @held, 'x')"},
    {CONSOLE, NOTHING, "SET @done = console_claim(@boss, @free, 'x')"},
    {CONSOLE, REFUSED, RETRY_AS("@viewer", "waiting")},
    {CONSOLE, REFUSED, RETRY_AS("@stranger", "waiting")},
    {CONSOLE, REFUSED, RETRY_AS("@former", "waiting")},
    {CONSOLE, REFUSED, "SET @done = console_retry(@clerk, '[]', '[]', 'x')"},
    {CONSOLE, REFUSED,
     "SET @done = console_enable(@helper, 'merchant', @shop, 0, history_end('merchant', @shop), 'x')"},
    {CONSOLE, REFUSED, "SET @done = console_enable(@clerk, 'merchant', @shop, 0, history_end('merchant', @shop), 'x')"},
    {CONSOLE, NOTHING, "SET @done = console_enable(@boss, 'merchant', @shop, 1, history_end('merchant', @shop), 'x')"},
    {CONSOLE, NOTHING,
     "SET @done = console_enable(@boss, 'merchant', @shop, 0, history_end('merchant', @shop) - 1, 'x')"},
    {CONSOLE, NOTHING, "SET @done = console_enable(@boss, 'merchant', @shop, 0, NULL, 'x')"},
    {CONSOLE, NOTHING, "SET @done = console_enable(@boss, 'user', @former, 1, history_end('user', @former), 'x')"},
    {CONSOLE, REFUSED, "SET @done = console_limit_begin(@helper, 1, 'COP')"},
    {CONSOLE, REFUSED, "SET @done = console_limit_set(@helper, 1, 'COP', 1, 1, history_end('network', 1), 'x')"},
    {CONSOLE, NOTHING, "SET @done = console_limit_set(@boss, 1, 'COP', 1, 1, history_end('network', 1) + 1, 'x')"},
    {CONSOLE, REFUSED, "SET @done = console_test(@viewer, @shop, NULL, 'x')"},
    {CONSOLE, REFUSED, "SET @done = console_test(@stranger, @shop, NULL, 'x')"},
    {CONSOLE, NOTHING, "SET @done = console_test(@clerk, @shop, '2020-01-01', 'x')"},

    {WORKER, REFUSED, QUERY(CHOSEN)},
    {WORKER, REFUSED, "SET insert_id = " CHOSEN "; " QUERY("0")},
    {DISPATCHER, REFUSED, "INSERT INTO dispatchers (id, host, pid) VALUES (" CHOSEN ", 'x', 1)"},
    {DISPATCHER, DENIED, "INSERT INTO dispatchers (host, pid) VALUES ('x', 1) ON DUPLICATE KEY UPDATE id = " CHOSEN},
    {DISPATCHER, DENIED, "UPDATE dispatchers SET id = " CHOSEN},
    {DELIVERER, REFUSED, "SET insert_id = " CHOSEN "; INSERT INTO dispatchers (host, pid) VALUES ('x', 1)"},
    {DELIVERER, DENIED, "UPDATE dispatchers SET id = " CHOSEN},
    {DELIVERER, REFUSED, ATTEMPT("INSERT", CHOSEN)},
    {DELIVERER, REFUSED, ATTEMPT("INSERT IGNORE", CHOSEN)},
    {DELIVERER, REFUSED, "SET insert_id = " CHOSEN "; " ATTEMPT("INSERT", "0")},
    {OPERATOR, REFUSED,
     "INSERT INTO networks (id, name, fixed_hash, changed_by) VALUES (" CHOSEN ", 'chosen', 'x', 'x')"},
    {OPERATOR, REFUSED,
     "SET insert_id = " CHOSEN "; INSERT INTO networks (name, fixed_hash, changed_by) VALUES ('chosen', 'x', 'x')"},
    {OPERATOR, REFUSED,
     "SET STATEMENT auto_increment_increment = 65535 FOR"
     " INSERT INTO networks (name, fixed_hash, changed_by) VALUES ('chosen', 'x', 'x')"},
    {OPERATOR, REFUSED,
     "INSERT INTO merchants (id, name, commerce, country, fixed_hash, notification_hash, changed_by) SELECT " CHOSEN
     ", 'chosen', commerce, country, fixed_hash, notification_hash, 'x' FROM merchants WHERE id = @shop"},
    {OPERATOR, REFUSED,
     "INSERT INTO integrations (id, merchant_id, kind, code, endpoint, currency, changed_by) VALUES (" CHOSEN
     ", @shop, 2, '777', 'http://127.0.0.1/', 'COP', 'x')"},
    {OPERATOR, REFUSED,
     "SET insert_id = " CHOSEN "; INSERT INTO accounts (document, document_type, name, currency, changed_by)"
     " VALUES ('777', 'CC', 'x', 'COP', 'x')"},
    {OPERATOR, REFUSED,
     "SET insert_id = " CHOSEN "; INSERT INTO console_users (name, role, changed_by) VALUES ('x', 'viewer', 'x')"},
    {OPERATOR, REFUSED, "SET insert_id = " CHOSEN "; SET @done = order_claim(@paid, 'x', 'x')"},

    {DELIVERER, DENIED,
     "INSERT INTO endpoint_tests (merchant_id, asked_at, asked_by, currency) VALUES (1, NOW(), 'x', 'COP')"},
    {DELIVERER, DENIED, "UPDATE endpoint_tests SET asked_at = NOW()"},
    {OPERATOR, DENIED, "SET @done = console_claim(@boss, @paid, 'x')"},
    {WORKER, DENIED, "SET @done = console_enable(@boss, 'merchant', @shop, 0, 1, 'x')"},

    {READER, DENIED, "SELECT notifications_retry('[]', '[]', 'x', 'x')"},
    {READER, DENIED, "UPDATE settings SET cancel_window = 0"},
    {READER, DENIED,
     "INSERT INTO event_log (subject, subject_id, what, actor, db_account) VALUES ('order', 1, 'x', 'x', 'x')"},
};

/* Inserts the rows that may be purged one day, and returns the SQL that sets their variables. */
static const char *stock_of_today(uint64_t merchant) {
    uint64_t gone = new_order(.merchant_id = merchant, .reference = "1004", .state = "'CANCELADA'");
    uint64_t abandoned = new_transaction(.order_id = gone);
    database_run("UPDATE orders SET email = 'a@b.co' WHERE id = %" PRIu64, gone);
    database_run("UPDATE transactions SET given_names = 'Ana' WHERE id = %" PRIu64, abandoned);
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = %" PRIu64
                 ", status = 'cancelled', state = 'delivered', settled_at = UTC_TIMESTAMP(6), amount = 45000,"
                 " payment_means = 'x'",
                 gone, merchant);
    database_run(
        "INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, address, reason,"
        " late, reply, lease) VALUES (LAST_INSERT_ID(), 1, 1, UTC_TIMESTAMP(6), 5, '', 'acknowledged', FALSE,"
        " '', REPEAT('l', 16))");
    uint64_t attempt = database_number("SELECT LAST_INSERT_ID()");
    database_run("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference,"
                 " duration_us, outcome) VALUES (UTC_TIMESTAMP(6), %" PRIu64 ", 1, 1, '1', 1, 'silent')",
                 merchant);
    return arena_print(arena,
                       "SET @gone = %" PRIu64 ", @abandoned = %" PRIu64 ", @attempt = %" PRIu64 ", @query = %" PRIu64,
                       gone, abandoned, attempt, database_number("SELECT LAST_INSERT_ID()"))
        .at;
}

static void stock_users(void) {
    uint64_t merchant = database_number("SELECT MAX(merchant_id) FROM orders");
    database_run("SET foreign_key_checks = 0;"
                 "INSERT INTO console_users (id, name, role, merchant_id, enabled, changed_by) VALUES"
                 " (1, 'viewer', 'viewer', NULL, 1, 'test'), (2, 'helper', 'support', NULL, 1, 'test'),"
                 " (3, 'boss', 'operator', NULL, 1, 'test'), (4, 'clerk', 'merchant', %" PRIu64 ", 1, 'test'),"
                 " (5, 'stranger', 'merchant', %" PRIu64 ", 1, 'test'), (6, 'gone', 'operator', NULL, 0, 'test');"
                 "SET foreign_key_checks = 1",
                 merchant, merchant + 1);
}

/* Inserts the rows, and returns the SQL that sets the variables which the statements use. */
static struct text stock(void) {
    uint64_t merchant = new_merchant(.notify_url = "'http://127.0.0.1/n'"), account = sample_account("1");
    uint64_t free = new_order(.merchant_id = merchant, .reference = "1001");
    uint64_t held = new_order(.merchant_id = merchant, .reference = "1002");
    uint64_t paid = new_order(.merchant_id = merchant, .reference = "1003");
    uint64_t payer = confirmed_payment(paid, "45000", AN_HOUR_AGO);
    approve(paid, payer);
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = %" PRIu64
                 ", status = 'approved', state = 'pending', amount = 45000, payment_means = 'x'",
                 paid, merchant);
    uint64_t waiting = database_number("SELECT LAST_INSERT_ID()");
    uint64_t holder = confirmed_payment(held, "45000", IN_AN_HOUR);
    uint64_t credit = new_transaction(.account_id = account, .state = "'CONFIRMADA'", .window_ends_at = IN_AN_HOUR);
    return arena_print(arena,
                       "SET @free = %" PRIu64 ", @held = %" PRIu64 ", @paid = %" PRIu64 ", @payer = %" PRIu64
                       ", @holder = %" PRIu64 ", @credit = %" PRIu64 ", @account = %" PRIu64 ", @waiting = %" PRIu64
                       ", @registered = %" PRIu64 ", @cheap = %" PRIu64 ", @second = %" PRIu64 "; %s;"
                       "SET @shop = %" PRIu64
                       ", @viewer = 1, @helper = 2, @boss = 3, @clerk = 4, @stranger = 5, @former = 6;",
                       free, held, paid, payer, holder, credit, account, waiting, new_transaction(.order_id = free),
                       new_transaction(.order_id = free, .amount = "1"), new_transaction(.order_id = held),
                       stock_of_today(merchant), merchant);
}

#define EACH(columns, table)                                                                                           \
    "(SELECT GROUP_CONCAT(CONCAT_WS(',', " columns ") ORDER BY id SEPARATOR ' ') FROM " table ")"

#define ORDERS                                                                                                         \
    EACH("id, state, version, held_by, held_until, paid_by, amount, reference, due_at, created_at, email", "orders")
#define TRANSACTIONS                                                                                                   \
    EACH("id, state, version, order_id, amount, registered_at, confirmed_at, window_ends_at, finalised_at, "           \
         "cancelled_at, given_names",                                                                                  \
         "transactions")
#define ACCOUNTS      EACH("id, balance, reserved", "accounts")
#define NOTIFICATIONS EACH("id, order_id, status, state, amount, due_at", "notifications")
#define COUNT(table)  "(SELECT COUNT(*) FROM " table ")"
#define COUNTS                                                                                                         \
    COUNT("account_ledger")                                                                                            \
    ", " COUNT("event_log") ", " COUNT("refunds") ", " COUNT("attempts") ", " COUNT("external_queries") ", " COUNT(    \
        "endpoint_tests") ", " COUNT("network_rooms")

/* Returns everything that an attack could want to change. */
static const char *state_of_the_tables(void) {
    return database_text("SELECT CONCAT_WS('; ', " ORDERS ", " TRANSACTIONS ", " ACCOUNTS ", " NOTIFICATIONS ", " COUNTS
                         ", (SELECT cancel_window FROM settings), (SELECT SUM(enabled) FROM merchants),"
                         " (SELECT GROUP_CONCAT(name) FROM id_counters WHERE next_id > " CHOSEN "))");
}

static void check_outcome(MYSQL *mysql, enum outcome outcome, unsigned error, const char *sql) {
    bool as_expected = outcome == DENIED    ? database_is_denial(error)
                       : outcome == REFUSED ? error == ER_SIGNAL_EXCEPTION
                                            : error == 0;
    ck_assert_msg(as_expected, "%s: %u %s", sql, error, mysql_error(mysql));
}

static const char *const CONSOLE_ACTIONS[] = {
    "SET @done = console_claim(@boss, @paid, 'of this action')",
    "SET @done = console_test(@boss, @shop, NULL, 'of this action')",
    "SET @retry = CONCAT('[{\"id\":', @waiting, ',\"was\":\"pending\",\"becomes\":\"pending\"}]');"
    " SET @done = console_retry(@boss, @retry, @retry, 'of this action')",
};

/* An action that is interrupted leaves its reason in the session. */
START_TEST(a_reason_stays_with_its_action) {
    const char *variables = stock().at;
    stock_users();
    MYSQL *mysql = database_login(CONSOLE);
    unsigned error =
        database_error(mysql, "%sSET @recaudo_reason = 'of another action'; %s", variables, CONSOLE_ACTIONS[_i]);
    database_run("DELETE FROM endpoint_tests; TRUNCATE TABLE console_users");
    check_outcome(mysql, NOTHING, error, CONSOLE_ACTIONS[_i]);
    mysql_close(mysql);
    ck_assert_uint_gt(database_number("SELECT COUNT(*) FROM event_log WHERE reason LIKE '%%of this action'"), 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM event_log WHERE reason LIKE '%%of another action'"), 0);
}
END_TEST

START_TEST(an_account_cannot) {
    const char *variables = stock().at;
    stock_users();
    const char *before = state_of_the_tables();
    MYSQL *mysql = database_login(ATTACKS[_i].account);
    ck_assert_uint_eq(database_error(mysql, "%s%s", HOSTILE, variables), 0);
    unsigned error = database_error(mysql, "%s", ATTACKS[_i].sql);
    const char *after = state_of_the_tables();
    database_run("TRUNCATE TABLE console_users"); /* else other tests could not remove the merchants */
    check_outcome(mysql, ATTACKS[_i].outcome, error, ATTACKS[_i].sql);
    mysql_close(mysql);
    ck_assert_msg(strcmp(before, after) == 0, "%s changed something", ATTACKS[_i].sql);
}
END_TEST

#define OF_A_NETWORK "SELECT MAX(id) INTO @network FROM networks; "

/* Functions that write no event before their row. */
static const struct {
    const char *given, *sql, *refusal;
} CHOSEN_FOR_FUNCTIONS[] = {
    {"INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 5",
     "SET @done = order_claim(@paid, 'x', 'x')", "approvals: the database assigns the id, leave it out"},
    {OF_A_NETWORK "DO network_limit_begin(@network, 'COP');"
                  " DO network_limit_set_now(@network, 'COP', 500, 300, 'test')",
     "SET @done = network_remit(@network, 'COP', -1, 'x', 'x')",
     "remittances: the database assigns the id, leave it out"},
};

START_TEST(nobody_chooses_an_id_for_a_function) {
    const char *variables = stock().at, *sql = CHOSEN_FOR_FUNCTIONS[_i].sql;
    sample_network(NULL);
    database_run("%s", CHOSEN_FOR_FUNCTIONS[_i].given);
    MYSQL *mysql = database_login(OPERATOR);
    ck_assert_uint_eq(database_error(mysql, "%s" OF_A_NETWORK "SET insert_id = " CHOSEN, variables), 0);
    unsigned error = database_error(mysql, "%s", sql);
    database_run("DELETE FROM dual_control");
    ck_assert_msg(error == ER_SIGNAL_EXCEPTION && strcmp(mysql_error(mysql), CHOSEN_FOR_FUNCTIONS[_i].refusal) == 0,
                  "%s: %u %s", sql, error, mysql_error(mysql));
    mysql_close(mysql);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM id_counters WHERE next_id > " CHOSEN), 0);
}
END_TEST

static const struct {
    const char *table, *row;
} CHOSEN_BY_OPERATORS[] = {
    {"networks", "(name, fixed_hash, changed_by) VALUES ('chosen', 'x', 'x')"},
    {"merchants", "(name, commerce, country, fixed_hash, notification_hash, changed_by)"
                  " VALUES ('chosen', 'x', 343, 'x', 'x', 'x')"},
    {"integrations", "(merchant_id, kind, code, endpoint, currency, changed_by) SELECT MAX(id), 2, '77', 'http://a/',"
                     " 'COP', 'x' FROM merchants"},
    {"accounts", "(document, document_type, name, currency, changed_by) VALUES ('77', 'CC', 'x', 'COP', 'x')"},
    {"console_users", "(name, role, changed_by) VALUES ('chosen', 'viewer', 'x')"},
};

START_TEST(an_operator_is_told_where_no_id_is_chosen) {
    const char *table = CHOSEN_BY_OPERATORS[_i].table;
    new_merchant(.enabled = "TRUE");
    MYSQL *mysql = database_login(OPERATOR);
    unsigned error =
        database_error(mysql, "SET insert_id = " CHOSEN "; INSERT INTO %s %s", table, CHOSEN_BY_OPERATORS[_i].row);
    ck_assert_msg(error == ER_SIGNAL_EXCEPTION, "%s: %u", table, error);
    ck_assert_str_eq(mysql_error(mysql), arena_print(arena, "%s: the database assigns the id, leave it out", table).at);
    mysql_close(mysql);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM id_counters WHERE next_id > " CHOSEN), 0);
}
END_TEST

/* Settings that any session may change without a privilege. With the last one, a function's SELECT would find no
 * rule. */
static const char *const SWITCHED_OFF[] = {"check_constraint_checks = 0", "foreign_key_checks = 0", "unique_checks = 0",
                                           "sql_select_limit = 0"};

#define CHECKS_ON "SET SESSION check_constraint_checks = 1, foreign_key_checks = 1, unique_checks = 1, "

static const struct {
    enum db_account account;
    const char *sql;
} ALLOWED[] = {
    {WORKER, PAYMENT("", "")},
    {WORKER, "SET @done = payment_confirm(@network, @sent, 'x')"},
    {WORKER, "UPDATE orders SET amount = 1 WHERE id = @free"},
    {DELIVERER, "UPDATE notifications SET state = 'exhausted' WHERE id = @waiting"},
    {OPERATOR, "SET @done = order_claim(@paid, 'x', 'x')"},
    {CONSOLE, "SET @done = console_claim(@boss, @paid, 'x')"},
};

/* Returns SQL that names @registered, for accounts that may not read it. */
static const char *name_registered(void) {
    return database_text("SELECT CONCAT('SET @network = ', t.network_id, ', @sent = ', QUOTE(t.network_transaction))"
                         " FROM transactions t JOIN orders o ON o.id = t.order_id WHERE o.reference = '1001' AND"
                         " t.amount > 1");
}

/* Without the switched-off setting the same statement changes the row, so the test proves something. */
START_TEST(a_session_without_its_checks_changes_nothing) {
    const char *variables = stock().at, *sql = ALLOWED[_i].sql;
    stock_users();
    const char *before = state_of_the_tables(), *registered = name_registered();
    MYSQL *mysql = database_login(ALLOWED[_i].account);
    unsigned errors[COUNT_OF(SWITCHED_OFF)];
    ck_assert_uint_eq(database_error(mysql, "%s%s", variables, registered), 0);
    for (size_t i = 0; i < COUNT_OF(SWITCHED_OFF); i++) {
        errors[i] = database_error(mysql, CHECKS_ON "%s; %s", SWITCHED_OFF[i], sql);
    }
    const char *after = state_of_the_tables();
    mysql_close(mysql);
    mysql = database_login(ALLOWED[_i].account);
    ck_assert_uint_eq(database_error(mysql, "%s%s", variables, registered), 0);
    unsigned by_itself = database_error(mysql, "%s", sql);
    mysql_close(mysql);
    database_run("TRUNCATE TABLE console_users");
    for (size_t i = 0; i < COUNT_OF(SWITCHED_OFF); i++) {
        ck_assert_msg(errors[i] == ER_SIGNAL_EXCEPTION, "%s; %s: %u", SWITCHED_OFF[i], sql, errors[i]);
    }
    ck_assert_str_eq(before, after);
    ck_assert_msg(by_itself == 0, "%s: %u", sql, by_itself);
    ck_assert_str_ne(before, state_of_the_tables());
}
END_TEST

/* Sets the session's clock back into the window. */
START_TEST(a_window_that_is_over_is_over) {
    uint64_t order = new_order(.reference = "1000"), payment = confirmed_payment(order, "45000", AN_HOUR_AGO);
    const char *before = state_of_the_tables();
    MYSQL *mysql = database_login(WORKER);
    ck_assert_uint_eq(database_error(mysql,
                                     "SET SESSION timestamp = UNIX_TIMESTAMP() - 86400;"
                                     "SET @payer = %" PRIu64 ";" CANCEL("payer"),
                                     payment),
                      0);
    mysql_close(mysql);
    ck_assert_str_eq(before, state_of_the_tables());
}
END_TEST

/* These take their instants from the server's clock in the session's time zone, so they write nothing in a zone other
 * than UTC. */
static const char *const IN_ANOTHER_ZONE[] = {
    CONFIRM("registered"),
    CANCEL("registered"),
    CANCEL("holder"),
};

START_TEST(another_time_zone_moves_no_instant) {
    const char *variables = stock().at, *before = state_of_the_tables();
    MYSQL *mysql = database_login(WORKER);
    ck_assert_uint_eq(database_error(mysql, "%sSET SESSION time_zone = '-12:00'; %s", variables, IN_ANOTHER_ZONE[_i]),
                      0);
    mysql_close(mysql);
    ck_assert_str_eq(before, state_of_the_tables());
}
END_TEST

/* A confirmation in a hostile session gets the true instants and the owner's window. */
START_TEST(the_database_sets_the_instants) {
    uint64_t order = new_order(.reference = "1000", .due_at = NOW " + INTERVAL 9 DAY");
    uint64_t payment = new_transaction(.order_id = order);
    database_run("UPDATE settings SET cancel_window = 7000000");
    MYSQL *mysql = database_login(WORKER);
    ck_assert_uint_eq(database_error(mysql, HOSTILE "SET @registered = %" PRIu64 ";" CONFIRM("registered"), payment),
                      0);
    mysql_close(mysql);
    database_run("UPDATE settings SET cancel_window = 30000000");
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', t.state, ABS(TIMESTAMPDIFF(SECOND, t.confirmed_at, " NOW
                                   ")) < 60, TIMESTAMPDIFF(MICROSECOND, t.confirmed_at, t.window_ends_at),"
                                   " o.held_until = t.window_ends_at) FROM transactions t JOIN orders o"
                                   " ON o.held_by = t.id"),
                     "CONFIRMADA 1 7000000 1");
}
END_TEST

static const struct {
    const char *sql; /* @payer: the transaction that paid the first order */
    unsigned error;
} SECOND_ORDERS[] = {
    {"UPDATE orders SET state = 'APROBADA', paid_by = @payer WHERE reference = '2000'", ER_SIGNAL_EXCEPTION},
    {"UPDATE orders SET paid_by = @payer WHERE reference = '2000'", ER_SIGNAL_EXCEPTION},
    {"INSERT INTO orders (merchant_id, po_id, reference, state, amount, currency, origin, due_at, paid_by, changed_by)"
     " SELECT merchant_id, 'twice', '3000', 'APROBADA', amount, currency, origin, due_at, @payer, 'x' FROM orders"
     " WHERE reference = '2000'",
     ER_DUP_ENTRY},
};

/* Nobody can do it, not even the owner. */
START_TEST(a_transaction_pays_one_order) {
    uint64_t order = new_order(.reference = "1000"), payment = confirmed_payment(order, "45000", AN_HOUR_AGO);
    new_order(.reference = "2000");
    approve(order, payment);
    MYSQL *mysql = database_login(OWNER);
    ck_assert_uint_eq(database_error(mysql, HOSTILE "SET @payer = %" PRIu64, payment), 0);
    unsigned error = database_error(mysql, "%s", SECOND_ORDERS[_i].sql);
    ck_assert_msg(error == SECOND_ORDERS[_i].error, "%u %s", error, mysql_error(mysql));
    mysql_close(mysql);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders WHERE paid_by IS NOT NULL"), 1);
}
END_TEST

static struct schema_report migrate(void) {
    struct schema_report report = {.applied = 0};
    ck_assert_int_eq(schema_migrate(owner, &config, arena, &report), STATUS_OK);
    return report;
}

static const char *const GIVEN[][2] = {
    {"UPDATE ON orders TO recaudo_worker@localhost",
     "REVOKE UPDATE ON `recaudo`.`orders` FROM 'recaudo_worker'@'localhost';\n"},
    {"UPDATE (state, held_by) ON orders TO recaudo_dispatcher@localhost",
     "REVOKE UPDATE (`held_by`) ON `recaudo`.`orders` FROM 'recaudo_dispatcher'@'localhost';\n"
     "REVOKE UPDATE (`state`) ON `recaudo`.`orders` FROM 'recaudo_dispatcher'@'localhost';\n"},
    {"INSERT ON recaudo.* TO recaudo_operator@localhost",
     "REVOKE INSERT ON `recaudo`.* FROM 'recaudo_operator'@'localhost';\n"},
    {"EXECUTE ON FUNCTION order_claim TO recaudo_worker@localhost",
     "REVOKE EXECUTE ON FUNCTION `recaudo`.`order_claim` FROM 'recaudo_worker'@'localhost';\n"},
    {"EXECUTE ON PROCEDURE payments_write TO recaudo_deliverer@localhost",
     "REVOKE EXECUTE ON PROCEDURE `recaudo`.`payments_write` FROM 'recaudo_deliverer'@'localhost';\n"},
    {"FILE ON *.* TO recaudo_reader@localhost", "REVOKE FILE ON *.* FROM 'recaudo_reader'@'localhost';\n"},
    {"SELECT ON event_log TO recaudo_reader@localhost WITH GRANT OPTION",
     "REVOKE GRANT OPTION ON `recaudo`.`event_log` FROM 'recaudo_reader'@'localhost';\n"},
};

START_TEST(a_grant_that_is_not_written_is_taken_back) {
    database_run("GRANT %s", GIVEN[_i][0]);
    ck_assert_str_eq(arena_copy(arena, migrate().revoked).at, GIVEN[_i][1]);
    ck_assert_uint_eq(migrate().revoked.size, 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM mysql.user WHERE host LIKE '%%.invalid'"), 0);
}
END_TEST

static const char *const ON_TRIGGERS[] = {"recaudo.*", "`recau%`.*", "recaudo.orders"};

START_TEST(who_may_drop_triggers) {
    struct text before, then;
    ck_assert_int_eq(rights_on_triggers(owner, arena, &before), STATUS_OK);
    database_run("GRANT TRIGGER ON %s TO recaudo_reader@localhost", ON_TRIGGERS[_i]);
    enum status status = rights_on_triggers(owner, arena, &then);
    database_run("REVOKE TRIGGER ON %s FROM recaudo_reader@localhost", ON_TRIGGERS[_i]);
    ck_assert_int_eq(status, STATUS_OK);
    assert_text(before, "");
    assert_text(then, "'recaudo_reader'@'localhost'");
}
END_TEST

TCase *rights_tests(void) {
    TCase *tests = database_case("rights");
    add_table_test(tests, an_account_cannot, ATTACKS);
    add_table_test(tests, nobody_chooses_an_id_for_a_function, CHOSEN_FOR_FUNCTIONS);
    add_table_test(tests, an_operator_is_told_where_no_id_is_chosen, CHOSEN_BY_OPERATORS);
    add_table_test(tests, a_session_without_its_checks_changes_nothing, ALLOWED);
    add_table_test(tests, a_reason_stays_with_its_action, CONSOLE_ACTIONS);
    tcase_add_test(tests, a_window_that_is_over_is_over);
    add_table_test(tests, another_time_zone_moves_no_instant, IN_ANOTHER_ZONE);
    tcase_add_test(tests, the_database_sets_the_instants);
    add_table_test(tests, a_transaction_pays_one_order, SECOND_ORDERS);
    add_table_test(tests, who_may_drop_triggers, ON_TRIGGERS);
    add_table_test(tests, a_grant_that_is_not_written_is_taken_back, GIVEN);
    return tests;
}
