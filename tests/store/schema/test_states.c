#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* The specification's table of an order's states, and ours for a transaction. The database refuses every other
 * change. */
static const char *const ORDER_STATES[] = {"PENDIENTE", "APROBADA", "VENCIDA", "CANCELADA", "ANULADA"};
static const char *const TRANSACTION_STATES[] = {"REGISTRADA", "CONFIRMADA", "FINALIZADA", "CANCELADA"};

enum {
    ORDER_PAIRS = COUNT_OF(ORDER_STATES) * COUNT_OF(ORDER_STATES),
    TRANSACTION_PAIRS = COUNT_OF(TRANSACTION_STATES) * COUNT_OF(TRANSACTION_STATES)
};

static const char *const ORDER_CHANGES[][2] = {
    {"PENDIENTE", "APROBADA"}, {"PENDIENTE", "VENCIDA"}, {"PENDIENTE", "CANCELADA"}, {"APROBADA", "ANULADA"}};

static const char *const TRANSACTION_CHANGES[][2] = {{"REGISTRADA", "CONFIRMADA"},
                                                     {"REGISTRADA", "CANCELADA"},
                                                     {"CONFIRMADA", "FINALIZADA"},
                                                     {"CONFIRMADA", "CANCELADA"}};

static bool is_among(const char *const changes[][2], size_t count, const char *from, const char *to) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(changes[i][0], from) == 0 && strcmp(changes[i][1], to) == 0) {
            return true;
        }
    }
    return false;
}

static const char *quoted(const char *word) {
    return arena_print(arena, "'%s'", word).at;
}

static bool is_paid(const char *state) {
    return strcmp(state, "APROBADA") == 0 || strcmp(state, "ANULADA") == 0;
}

/* Returns "from to actor version" of the last event about the subject. */
static const char *last_event(const char *subject, uint64_t id) {
    return database_text("SELECT CONCAT_WS(' ', what, from_state, to_state, actor, version) FROM events"
                         " WHERE subject = '%s' AND subject_id = %" PRIu64 " ORDER BY id DESC LIMIT 1",
                         subject, id);
}

static void check_change(const char *subject, uint64_t id, unsigned error, bool allowed, const char *from,
                         const char *to) {
    bool same = strcmp(from, to) == 0;
    if (same || allowed) {
        ck_assert_msg(error == 0, "%s %s -> %s gives %u", subject, from, to, error);
        ck_assert_str_eq(last_event(subject, id),
                         arena_print(arena, "%s %s %s someone 2", same ? "changed" : "state", from, to).at);
    } else {
        ck_assert_msg(error == ER_SIGNAL_EXCEPTION, "%s %s -> %s gives %u", subject, from, to, error);
        ck_assert_str_eq(last_event(subject, id), arena_print(arena, "created %s test 1", from).at);
    }
}

START_TEST(orders_change_as_the_specification_says) {
    const char *from = ORDER_STATES[(size_t)_i / COUNT_OF(ORDER_STATES)];
    const char *to = ORDER_STATES[(size_t)_i % COUNT_OF(ORDER_STATES)];
    uint64_t id = new_order(.state = quoted(from), .paid_by = is_paid(from) ? "5" : "NULL");
    uint64_t payment = new_transaction(.order_id = id, .state = "'FINALIZADA'", .window_ends_at = NOW);
    const char *paid_by = is_paid(from) ? "5" : arena_print(arena, "%" PRIu64, payment).at;
    MYSQL *mysql = database_login(OWNER);
    unsigned error = database_error(mysql,
                                    "UPDATE orders SET state = '%s', paid_by = %s, changed_by = 'someone'"
                                    " WHERE id = %" PRIu64,
                                    to, is_paid(to) ? paid_by : "NULL", id);
    check_change("order", id, error, is_among(ORDER_CHANGES, COUNT_OF(ORDER_CHANGES), from, to), from, to);
    mysql_close(mysql);
}
END_TEST

START_TEST(transactions_change_as_the_protocol_says) {
    const char *from = TRANSACTION_STATES[(size_t)_i / COUNT_OF(TRANSACTION_STATES)];
    const char *to = TRANSACTION_STATES[(size_t)_i % COUNT_OF(TRANSACTION_STATES)];
    uint64_t id = new_transaction(.order_id = 5, .state = quoted(from), .window_ends_at = NOW);
    MYSQL *mysql = database_login(OWNER);
    unsigned error = database_error(mysql,
                                    "UPDATE transactions SET state = '%s', finalised_at = %s, cancelled_at = %s,"
                                    " changed_by = 'someone' WHERE id = %" PRIu64,
                                    to, strcmp(to, "FINALIZADA") == 0 ? NOW : "NULL",
                                    strcmp(to, "CANCELADA") == 0 ? NOW : "NULL", id);
    bool allowed = is_among(TRANSACTION_CHANGES, COUNT_OF(TRANSACTION_CHANGES), from, to);
    check_change("transaction", id, error, allowed, from, to);
    mysql_close(mysql);
}
END_TEST

START_TEST(a_hold_is_told_in_the_log) {
    uint64_t id = new_order(.reference = "1");
    database_run("UPDATE orders SET held_by = 5, held_until = " NOW ", changed_by = 'a' WHERE id = %" PRIu64, id);
    ck_assert_str_eq(last_event("order", id), "held PENDIENTE PENDIENTE a 2");
    database_run("UPDATE orders SET held_by = NULL, held_until = NULL, changed_by = 'b' WHERE id = %" PRIu64, id);
    ck_assert_str_eq(last_event("order", id), "released PENDIENTE PENDIENTE b 3");
    database_run("UPDATE orders SET description = 'x', changed_by = 'c' WHERE id = %" PRIu64, id);
    ck_assert_str_eq(last_event("order", id), "changed PENDIENTE PENDIENTE c 4");
    ck_assert_uint_eq(database_number("SELECT version FROM orders WHERE id = %" PRIu64, id), 4);
    ck_assert_uint_eq(
        database_number("SELECT COUNT(*) FROM events WHERE subject = 'order' AND subject_id = %" PRIu64, id), 4);
}
END_TEST

/* The version counts changes; no statement can set it. */
START_TEST(versions_only_count) {
    uint64_t id = new_order(.reference = "1");
    database_run("UPDATE orders SET version = 77 WHERE id = %" PRIu64, id);
    ck_assert_uint_eq(database_number("SELECT version FROM orders WHERE id = %" PRIu64, id), 2);
    id = new_transaction(.order_id = id);
    database_run("UPDATE transactions SET version = 77 WHERE id = %" PRIu64, id);
    ck_assert_uint_eq(database_number("SELECT version FROM transactions WHERE id = %" PRIu64, id), 2);
}
END_TEST

static const struct {
    const char *table, *change;
    const char *event;
} SWITCHES[] = {
    {"networks", "enabled = FALSE", "state enabled disabled someone"},
    {"networks", "fixed_hash = 'other'", "rotated enabled enabled someone"},
    {"networks", "enabled = TRUE", "changed enabled enabled someone"},
    {"merchants", "enabled = FALSE", "state enabled disabled someone"},
    {"merchants", "fixed_hash = 'other'", "rotated enabled enabled someone"},
    {"merchants", "notification_hash = 'other'", "rotated enabled enabled someone"},
    {"merchants", "notify_url = 'http://a/'", "changed enabled enabled someone"},
};

START_TEST(what_operators_change_is_told_in_the_log) {
    bool of_network = strcmp(SWITCHES[_i].table, "networks") == 0;
    const char *subject = of_network ? "network" : "merchant";
    uint64_t id = of_network ? sample_network("Red Norte") : new_merchant(.name = "'Tienda'");
    ck_assert_str_eq(last_event(subject, id), "created enabled test");
    database_run("UPDATE %s SET %s, changed_by = 'someone' WHERE id = %" PRIu64, SWITCHES[_i].table,
                 SWITCHES[_i].change, id);
    ck_assert_str_eq(last_event(subject, id), SWITCHES[_i].event);
}
END_TEST

START_TEST(the_log_names_the_database_account) {
    uint64_t id = new_order(.reference = "1");
    MYSQL *mysql = database_login(WORKER);
    ck_assert_uint_eq(database_error(mysql,
                                     "UPDATE orders SET description = 'x', changed_by = 'a'"
                                     " WHERE id = %" PRIu64,
                                     id),
                      0);
    mysql_close(mysql);
    ck_assert_str_eq(
        database_text("SELECT db_account FROM events WHERE what = 'changed' AND subject_id = %" PRIu64, id),
        "recaudo_worker@localhost");
}
END_TEST

/* Refused for rows that are held, paid or settled, even for the owner, whose account people use. */
static const struct {
    const char *table, *change;
} NEVER[] = {
    {"orders", "amount = 1"},
    {"orders", "currency = 'USD'"},
    {"orders", "reference = '777'"},
    {"orders", "merchant_id = merchant_id + 1"},
    {"orders", "po_id = 'other'"},
    {"transactions", "amount = 1"},
    {"transactions", "currency = 'USD'"},
    {"transactions", "reference = '777'"},
    {"transactions", "network_id = network_id + 1"},
    {"transactions", "network_transaction = 'other'"},
    {"transactions", "order_id = order_id + 1"},
    {"transactions", "order_id = NULL, account_id = 1"},
    {"transactions", "fingerprint = REPEAT('x', 32)"},
    {"transactions", "registered_at = '2020-01-01'"},
    {"notifications", "amount = 1"},
    {"notifications", "merchant_id = merchant_id + 1"},
    {"notifications", "order_id = order_id + 1"},
    {"notifications", "status = 'cancelled'"},
    {"notifications", "webhook_id = 'ntf_x'"},
};

static void check_never(const char *table, uint64_t id, const char *change) {
    MYSQL *mysql = database_login(OWNER);
    unsigned error = database_error(mysql, "UPDATE %s SET %s WHERE id = %" PRIu64, table, change, id);
    ck_assert_msg(error == ER_SIGNAL_EXCEPTION, "%s %s: %u", table, change, error);
    mysql_close(mysql);
}

START_TEST(what_was_paid_never_changes_whoever_asks) {
    const char *table = NEVER[_i].table;
    uint64_t order = new_order(.reference = "1"), held = new_order(.reference = "2", .held_by = "5", .held_until = NOW);
    uint64_t payment = new_transaction(.order_id = order, .state = "'FINALIZADA'", .window_ends_at = NOW);
    database_run("UPDATE orders SET state = 'APROBADA', paid_by = %" PRIu64 " WHERE id = %" PRIu64, payment, order);
    if (strcmp(table, "orders") == 0) {
        check_never(table, order, NEVER[_i].change);
        check_never(table, held, NEVER[_i].change);
    } else if (strcmp(table, "transactions") == 0) {
        check_never(table, payment, NEVER[_i].change);
        check_never(table, new_transaction(.order_id = held), NEVER[_i].change);
    } else {
        database_run("INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means)"
                     " SELECT id, merchant_id, 'approved', 'pending', amount + 1, 'x' FROM orders WHERE id = %" PRIu64,
                     order);
        check_never(table, database_number("SELECT id FROM notifications WHERE order_id = %" PRIu64, order),
                    NEVER[_i].change);
    }
}
END_TEST

static const char *last_changes(const char *subject, uint64_t id) {
    return database_text("SELECT CONCAT_WS(' ', actor, changes) FROM events WHERE subject = '%s'"
                         " AND subject_id = %" PRIu64 " ORDER BY id DESC LIMIT 1",
                         subject, id);
}

START_TEST(what_changes_is_told_with_old_and_new) {
    uint64_t order = new_order(.reference = "1");
    database_run("UPDATE orders SET description = 'otra \"cosa\"', email = 'a@b.example', changed_by = 'operator:ana'"
                 " WHERE id = %" PRIu64,
                 order);
    const char *changes = last_changes("order", order);
    ck_assert_msg(strstr(changes, "operator:ana {\"description\":[\"") == changes, "%s", changes);
    ck_assert_msg(strstr(changes, "\"otra \\\"cosa\\\"\"],\"email\":\"changed\"}") != NULL, "%s", changes);
    uint64_t merchant = new_merchant(.name = "'Tienda'", .notify_url = "'https://a.example/'");
    database_run("UPDATE merchants SET notify_url = 'https://b.example/', fixed_hash = 'z', changed_by = 'operator:ana'"
                 " WHERE id = %" PRIu64,
                 merchant);
    ck_assert_str_eq(last_changes("merchant", merchant),
                     "operator:ana {\"notify_url\":[\"https://a.example/\", \"https://b.example/\"],"
                     "\"fixed_hash\":\"changed\"}");
    uint64_t network = sample_network("Red Norte");
    database_run("UPDATE networks SET signature = 'accepted', changed_by = 'operator:ana' WHERE id = %" PRIu64,
                 network);
    ck_assert_str_eq(database_text("SELECT changes FROM events WHERE subject = 'network' AND what = 'changed'"
                                   " AND subject_id = %" PRIu64,
                                   network),
                     "{\"signature\":[\"off\", \"accepted\"]}");
}
END_TEST

/* A person who uses another account and does not set changed_by is recorded by that account, not as the previous
 * actor. */
START_TEST(who_does_not_say_who_he_is_is_his_account) {
    uint64_t order = new_order(.reference = "1");
    database_run("UPDATE orders SET payment_means = 'EFECTIVO' WHERE id = %" PRIu64, order);
    ck_assert_str_eq(last_changes("order", order), "db:root@localhost {\"payment_means\":[null, \"EFECTIVO\"]}");
    uint64_t payment = new_transaction(.order_id = order);
    database_run("UPDATE transactions SET teller = 'kiosko' WHERE id = %" PRIu64, payment);
    ck_assert_msg(strstr(last_changes("transaction", payment), "db:root@localhost {\"teller\":[\"") != NULL, "%s",
                  last_changes("transaction", payment));
    uint64_t account = sample_account("1020304050");
    database_run("UPDATE accounts SET balance = 7, lastname1 = 'otro' WHERE id = %" PRIu64, account);
    ck_assert_str_eq(last_changes("account", account),
                     "db:root@localhost {\"balance\":[0.0000, 7.0000],\"lastname1\":\"changed\"}");
    database_run("UPDATE settings SET cancel_window = cancel_window + 1");
    ck_assert_msg(strstr(last_changes("setting", 1), "db:root@localhost {\"cancel_window\":[") != NULL, "%s",
                  last_changes("setting", 1));
    database_run("UPDATE settings SET cancel_window = cancel_window - 1");
    database_run("UPDATE currencies SET query_code = 7, changed_by = 'operator:ana' WHERE code = 'PEN'");
    ck_assert_str_eq(last_changes("setting", 1), "operator:ana {\"PEN.query_code\":[null, 7]}");
    database_run("UPDATE currencies SET query_code = NULL, changed_by = NULL WHERE code = 'PEN'");
}
END_TEST

/* If confirming made a row grow, each confirmation would cost 6 KB of redo log and 0.6 page reorganisations. */
START_TEST(a_confirmed_row_keeps_its_place) {
    enum { PAYMENTS = 600 };
    uint64_t merchant = new_merchant(.name = "'Grande'"), network = sample_network("Red Grande");
    database_run("INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by)"
                 " SELECT %" PRIu64
                 ", CONCAT('place-', seq), 4000000 + seq, 5, 'COP', 'registered', '2999-01-01', 'merchant:Grande'"
                 " FROM seq_1_to_%d",
                 merchant, PAYMENTS);
    database_run("INSERT INTO transactions (network_id, network_transaction, order_id, reference, amount, currency,"
                 " commerce, description, teller, fingerprint, changed_by)"
                 " SELECT %" PRIu64
                 ", CONCAT('place-', id), id, reference, amount, currency, 'Grande', 'x', 'caja', REPEAT('f', 32),"
                 " 'network:Red Grande' FROM orders WHERE po_id LIKE 'place-%%' ORDER BY id",
                 network);
    database_run("SET GLOBAL innodb_monitor_enable = 'index_page_reorg_attempts'");
    uint64_t before = database_number("SELECT COUNT FROM information_schema.innodb_metrics"
                                      " WHERE name = 'index_page_reorg_attempts'");
    uint64_t first = database_number("SELECT MIN(order_id) FROM transactions WHERE network_id = %" PRIu64, network);
    for (uint64_t i = 0; i < PAYMENTS; i++) { /* in scattered order: 389 and 600 have no common divisor */
        ck_assert_uint_eq(database_number("SELECT payment_confirm(%" PRIu64 ", 'place-%" PRIu64
                                          "', 'network:Red Grande')",
                                          network, first + i * 389 % PAYMENTS),
                          1);
    }
    uint64_t reorganised = database_number("SELECT COUNT FROM information_schema.innodb_metrics"
                                           " WHERE name = 'index_page_reorg_attempts'") -
                           before;
    ck_assert_msg(reorganised < PAYMENTS / 10, "%" PRIu64 " reorganisations", reorganised);
}
END_TEST

/* Returns the log's own rows about a subject since it was created: the change, the new state, and the order's
 * version. */
static const char *log_rows(const char *subject, uint64_t id) {
    return database_text("SELECT COALESCE(GROUP_CONCAT(CONCAT_WS(' ', what, to_state, order_version) ORDER BY id), '')"
                         " FROM event_log WHERE subject = '%s' AND subject_id = %" PRIu64 " AND what <> 'created'",
                         subject, id);
}

static const char *versions_told(uint64_t order) {
    return database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', version, what, to_state) ORDER BY version) FROM events"
                         " WHERE subject = 'order' AND subject_id = %" PRIu64,
                         order);
}

struct logged {
    uint64_t order, payment;
};

/* Confirms a payment, then runs `then` in the same session, which still has the variables of its triggers. */
static struct logged confirm_and(const char *then) {
    uint64_t network = sample_network(NULL);
    uint64_t order =
        new_order(.reference = arena_print(arena, "77%" PRIu64, network).at); /* a different one each time */
    uint64_t payment = new_transaction(.network_id = network, .order_id = order, .network_transaction = "'log'");
    database_run("SET time_zone = '+00:00', @network = %" PRIu64 ", @order = %" PRIu64
                 "; BEGIN; DO payment_confirm(@network, 'log', 'network:red'); %s",
                 network, order, then);
    return (struct logged){order, payment};
}

START_TEST(one_row_tells_what_a_payment_changed_of_its_order) {
    database_run("UPDATE settings SET cancel_window = 1");
    struct logged paid = confirm_and("COMMIT; DO SLEEP(0.01); DO order_finalise(@order, 'dispatcher')");
    database_run("UPDATE settings SET cancel_window = 30000000");
    ck_assert_str_eq(log_rows("transaction", paid.payment), "state CONFIRMADA 2,state FINALIZADA 3");
    ck_assert_str_eq(log_rows("order", paid.order), "");
    ck_assert_str_eq(versions_told(paid.order), "1 created PENDIENTE,2 held PENDIENTE,3 state APROBADA");
}
END_TEST

START_TEST(one_row_tells_what_a_cancellation_released) {
    struct logged released = confirm_and("COMMIT; DO payment_cancel(@network, 'log', 'network:red')");
    ck_assert_str_eq(log_rows("transaction", released.payment), "state CONFIRMADA 2,state CANCELADA 3");
    ck_assert_str_eq(log_rows("order", released.order), "");
    ck_assert_str_eq(versions_told(released.order), "1 created PENDIENTE,2 held PENDIENTE,3 released PENDIENTE");
}
END_TEST

/* After a rollback, the session still has its variables, but they must not suppress events. */
START_TEST(what_was_rolled_back_tells_nothing) {
    struct logged withdrawn = confirm_and("ROLLBACK; DO order_cancel(@order, NULL, 'merchant:x')");
    ck_assert_str_eq(log_rows("transaction", withdrawn.payment), "");
    ck_assert_str_eq(versions_told(withdrawn.order), "1 created PENDIENTE,2 state CANCELADA");
    struct logged held =
        confirm_and("ROLLBACK; UPDATE orders SET held_by = 1, held_until = '2037-01-01' WHERE id = @order");
    ck_assert_str_eq(versions_told(held.order), "1 created PENDIENTE,2 held PENDIENTE");
}
END_TEST

/* Session variables tell the triggers what a function writes. Setting them by hand, or after a function succeeded or
 * failed, must change nothing. */
static const char *const BY_VARIABLES[] = {
    "SET @recaudo_moment = '2037-01-01';"
    " UPDATE transactions SET state = 'CANCELADA', cancelled_at = '2037-01-01', amount = 1 WHERE order_id = @order",
    "UPDATE transactions SET state = 'CANCELADA', cancelled_at = confirmed_at, currency = 'USD'"
    " WHERE order_id = @order",
    "SET @recaudo_told = (SELECT held_by FROM orders WHERE id = @order), @recaudo_told_version = 3;"
    " UPDATE orders SET held_by = NULL, held_until = NULL, amount = 1 WHERE id = @order",
    "SET @recaudo_told = (SELECT held_by FROM orders WHERE id = @order), @recaudo_told_version = 3;"
    " UPDATE orders SET held_by = NULL, held_until = NULL, po_id = 'x' WHERE id = @order",
    "SET @recaudo_told = (SELECT held_by FROM orders WHERE id = @order), @recaudo_told_version = 3,"
    " @recaudo_moment = '2037-01-01';"
    " UPDATE orders SET state = 'APROBADA', paid_by = held_by, closed_at = '2037-01-01' WHERE id = @order",
};

START_TEST(variables_open_no_guard) {
    struct logged paid = confirm_and(
        arena_print(arena,
                    "COMMIT; BEGIN NOT ATOMIC DECLARE EXIT HANDLER FOR SQLSTATE '45000' SET @refused = TRUE; %s; END",
                    BY_VARIABLES[_i])
            .at);
    ck_assert_uint_eq(
        database_number("SELECT COUNT(*) FROM orders o JOIN transactions t ON t.order_id = o.id AND t.id = o.held_by"
                        " WHERE o.id = %" PRIu64 " AND o.state = 'PENDIENTE' AND o.version = 2 AND o.amount > 1"
                        " AND o.po_id <> 'x' AND t.state = 'CONFIRMADA' AND t.amount = o.amount"
                        " AND t.currency = o.currency",
                        paid.order),
        1);
}
END_TEST

START_TEST(a_hand_after_a_function_is_told_by_its_own_name) {
    struct logged paid = confirm_and("COMMIT; UPDATE transactions SET state = 'CANCELADA', cancelled_at = confirmed_at"
                                     " WHERE order_id = @order");
    ck_assert_ptr_eq(strstr(last_changes("transaction", paid.payment), "network:red"), NULL);
}
END_TEST

START_TEST(a_refused_confirmation_opens_no_order) {
    uint64_t network = sample_network(NULL);
    uint64_t order = new_order(.reference = "77");
    uint64_t payment = new_transaction(.network_id = network, .order_id = order, .network_transaction = "'log'");
    database_run("SET time_zone = '+00:00', @network = %" PRIu64 ", @order = %" PRIu64 ", @payment = %" PRIu64
                 "; DO network_limit_begin(@network, 'COP');"
                 " DO network_limit_set(@network, 'COP', 1, 1, history_end('network', @network), 'operator:ana');"
                 " BEGIN NOT ATOMIC DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET @refused = TRUE;"
                 " DO payment_confirm(@network, 'log', 'network:red');"
                 " UPDATE orders SET held_by = @payment, held_until = '2037-01-01', description = 'other'"
                 " WHERE id = @order; END",
                 network, order, payment);
    database_run("DELETE FROM network_limits WHERE network_id = %" PRIu64
                 "; DELETE FROM network_rooms WHERE network_id = %" PRIu64,
                 network, network);
    ck_assert_str_eq(versions_told(order), "1 created PENDIENTE,2 held PENDIENTE");
    ck_assert_ptr_ne(strstr(last_changes("order", order), "description"), NULL);
}
END_TEST

static const char *const FOR_EVER[] = {
    "UPDATE event_log SET actor = 'x'",
    "UPDATE event_log SET reason = 'x' ORDER BY id LIMIT 1",
    "DELETE FROM event_log",
    "DELETE FROM event_log ORDER BY id LIMIT 1",
    "REPLACE INTO event_log SELECT * FROM event_log LIMIT 1",
    "UPDATE account_ledger SET amount = 5",
    "DELETE FROM account_ledger",
};

START_TEST(the_log_and_the_ledger_cannot_be_changed_even_by_their_owner) {
    MYSQL *mysql = database_login(OWNER);
    uint64_t account = sample_account("1");
    database_run("INSERT INTO account_ledger (account_id, transaction_id, amount, balance)"
                 " SELECT %" PRIu64 ", COALESCE(MAX(transaction_id), 0) + 1, 1, 1 FROM account_ledger",
                 account);
    ck_assert_msg(database_error(mysql, "%s", FOR_EVER[_i]) == ER_SIGNAL_EXCEPTION, "%s", mysql_error(mysql));
    mysql_close(mysql);
}
END_TEST

TCase *states_tests(void) {
    TCase *tests = database_case("states");
    tcase_add_loop_test(tests, orders_change_as_the_specification_says, 0, ORDER_PAIRS);
    tcase_add_loop_test(tests, transactions_change_as_the_protocol_says, 0, TRANSACTION_PAIRS);
    tcase_add_test(tests, a_hold_is_told_in_the_log);
    tcase_add_test(tests, versions_only_count);
    add_table_test(tests, what_operators_change_is_told_in_the_log, SWITCHES);
    tcase_add_loop_test(tests, what_was_paid_never_changes_whoever_asks, 0, COUNT_OF(NEVER));
    tcase_add_test(tests, what_changes_is_told_with_old_and_new);
    tcase_add_test(tests, who_does_not_say_who_he_is_is_his_account);
    tcase_add_test(tests, a_confirmed_row_keeps_its_place);
    tcase_add_test(tests, one_row_tells_what_a_payment_changed_of_its_order);
    tcase_add_test(tests, one_row_tells_what_a_cancellation_released);
    tcase_add_test(tests, what_was_rolled_back_tells_nothing);
    tcase_add_loop_test(tests, variables_open_no_guard, 0, COUNT_OF(BY_VARIABLES));
    tcase_add_test(tests, a_hand_after_a_function_is_told_by_its_own_name);
    tcase_add_test(tests, a_refused_confirmation_opens_no_order);
    tcase_add_test(tests, the_log_names_the_database_account);
    add_table_test(tests, the_log_and_the_ledger_cannot_be_changed_even_by_their_owner, FOR_EVER);
    return tests;
}
