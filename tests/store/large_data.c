#include "database.h"

#include "large_data.h"

/*
 * The states of the orders, by their number within each thousand. 0 is held; its window has closed in even thousands. 1
 * is overdue. Every other tenth is PENDIENTE and the order after it VENCIDA. 3 is ANULADA. All others are paid, except
 * the newest 20,000, which stay PENDIENTE for a day, however slow the tests are. Of the notifications about them, 5 is
 * pending (all of one merchant), 6 waits, 7 is exhausted.
 */
static const char *const ROWS[] = {
    "INSERT INTO networks (id, name, fixed_hash, changed_by)"
    " SELECT seq, CONCAT('large-', seq), 'sealed', 'test' FROM seq_1_to_50",

    "INSERT INTO merchants (id, name, commerce, country, notify_url, fixed_hash, notification_hash, changed_by)"
    " SELECT seq, CONCAT('large-', seq), 'Tienda', 343, 'http://127.0.0.1/', 'sealed', 'sealed', 'test' FROM "
    "seq_1_to_100",

    "INSERT INTO integrations (id, merchant_id, kind, code, endpoint, currency, changed_by)"
    " SELECT seq, seq, 2, 90000000 + seq, 'http://127.0.0.1/', 'COP', 'test' FROM seq_1_to_100",

    "INSERT INTO accounts (id, document, document_type, name, currency, changed_by)"
    " SELECT seq, CONCAT('D', seq), 'CC', 'Ana', 'COP', 'test' FROM seq_1_to_100000",

    "INSERT INTO orders (id, merchant_id, po_id, reference, state, amount, currency, origin, due_at, held_by, "
    "held_until,"
    "  paid_by, token, created_at, changed_by)"
    " SELECT seq, 1 + seq % 100, CONCAT('PO-', seq), seq,"
    "  CASE WHEN seq % 10 = 0 OR seq % 1000 = 1 THEN 'PENDIENTE' WHEN seq % 10 = 1 THEN 'VENCIDA'"
    "       WHEN seq % 1000 = 3 THEN 'ANULADA' WHEN seq <= 20000 THEN 'PENDIENTE' ELSE 'APROBADA' END,"
    "  45000, 'COP', 'imported',"
    "  UTC_TIMESTAMP(6) + INTERVAL IF(seq % 10 = 1, -seq, 86400 + seq) SECOND,"
    "  IF(seq % 1000 = 0, seq, NULL),"
    "  IF(seq % 1000 = 0, UTC_TIMESTAMP(6) + INTERVAL IF(seq % 2000 = 0, -1, 1) HOUR, NULL),"
    "  IF(seq % 10 > 1 AND (seq > 20000 OR seq % 1000 = 3), seq, NULL), LPAD(seq, 32, '0'),"
    "  UTC_TIMESTAMP(6) - INTERVAL seq MINUTE, 'test'"
    " FROM seq_1_to_100000",

    "INSERT INTO transactions (id, network_id, network_transaction, order_id, account_id, reference, state, amount, "
    "currency,"
    "  commerce, description, teller, fingerprint, registered_at, confirmed_at, window_ends_at, finalised_at, "
    "cancelled_at,"
    "  changed_by)"
    " SELECT seq, 1 + seq % 50, CONCAT('TX-', seq), IF(seq <= 90000, seq, NULL), IF(seq <= 90000, NULL, seq), seq,"
    "  CASE WHEN seq % 1000 = 0 THEN 'CONFIRMADA' WHEN seq % 10 <= 1 THEN 'REGISTRADA' WHEN seq % 1000 = 3 THEN "
    "'CANCELADA'"
    "       ELSE 'FINALIZADA' END, 45000, 'COP', 'Tienda', '', 'caja', REPEAT('f', 32),"
    "  UTC_TIMESTAMP(6) - INTERVAL seq MINUTE,"
    "  IF(seq % 1000 = 0 OR seq % 10 > 1, UTC_TIMESTAMP(6), NULL),"
    "  IF(seq % 1000 = 0 OR seq % 10 > 1, UTC_TIMESTAMP(6) + INTERVAL IF(seq % 2000 = 1000, 1, -1) HOUR, NULL),"
    "  IF(seq % 10 > 1 AND seq % 1000 <> 3, UTC_TIMESTAMP(6), NULL), IF(seq % 1000 = 3, UTC_TIMESTAMP(6), NULL), 'test'"
    " FROM seq_1_to_100000",

    "INSERT INTO notifications (id, order_id, merchant_id, status, state, amount, payment_means, lease)"
    " SELECT seq, seq, 1 + seq % 100, 'approved',"
    "  CASE seq % 1000 WHEN 5 THEN 'pending' WHEN 6 THEN 'waiting' WHEN 7 THEN 'exhausted' ELSE 'delivered' END, "
    "45000, '',"
    "  IF(seq % 1000 = 5, REPEAT('l', 16), NULL) FROM seq_1_to_100000 WHERE seq % 10 > 1",

    "INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, address, http_status, "
    "reason, late,"
    "  reply, lease)"
    " SELECT seq, 1, 1, UTC_TIMESTAMP(6) - INTERVAL seq MINUTE, 5000, '127.0.0.1', 200, 'acknowledged', FALSE, 'OK',"
    "  REPEAT('x', 16) FROM seq_1_to_100000",

    "INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us, outcome)"
    " SELECT UTC_TIMESTAMP(6) - INTERVAL seq MINUTE, 1 + seq % 100, 1 + seq % 100, 1 + seq % 50, seq, 5000,"
    "  IF(seq % 100 = 7, 'silent', 'answered')"
    "  FROM seq_1_to_100000",

    "INSERT INTO account_ledger (account_id, transaction_id, amount, balance)"
    " SELECT 1 + seq % 1000, 1000000 + seq, 1, 1 FROM seq_1_to_100000",

    "INSERT INTO settlement_items (transaction_id, kind, at) SELECT id, IF(state = 'CANCELADA', 'cancelled', "
    "'finalised'), registered_at FROM transactions WHERE state IN ('FINALIZADA', 'CANCELADA')",

    "SELECT settlement_collect(300)",

    "INSERT INTO console_users (id, name, role, changed_by) VALUES (1, 'omar', 'operator', 'test')",

    "ANALYZE TABLE settlement_items, reference_owners, orders, transactions, notifications, accounts, account_ledger, "
    "event_log, networks, merchants, integrations, attempts, external_queries",
};

static const char *const TABLES[] = {"orders",           "transactions",     "notifications", "accounts",
                                     "account_ledger",   "event_log",        "attempts",      "external_queries",
                                     "settlement_items", "reference_owners", "console_users", "integrations"};

static void run(MYSQL *mysql, const char *sql) {
    ck_assert_msg(database_error(mysql, "%s", sql) == 0, "%s: %s", sql, mysql_error(mysql));
}

void large_data_insert(void) {
    MYSQL *mysql = database_login(OWNER);
    run(mysql, "SET foreign_key_checks = 0; TRUNCATE TABLE orders; TRUNCATE TABLE transactions;"
               "TRUNCATE TABLE notifications; TRUNCATE TABLE accounts; TRUNCATE TABLE integrations;"
               "TRUNCATE TABLE merchants;"
               "TRUNCATE TABLE networks; SET foreign_key_checks = 1; DELETE FROM reference_owners");
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        run(mysql, ROWS[i]);
    }
    mysql_close(mysql);
}

void large_data_remove(void) {
    MYSQL *mysql = database_login(OWNER);
    for (size_t i = 0; i < COUNT_OF(TABLES); i++) {
        ck_assert_uint_eq(database_error(mysql, "TRUNCATE TABLE %s", TABLES[i]), 0);
    }
    mysql_close(mysql);
}
