#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* The specification's table of an order's states, and ours of a transaction's: every other change is refused by the
 * database. */
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

/* "from to actor version" of the last event about it. */
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

/* Nobody can set the version: it counts. */
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

static const char *const FOR_EVER[] = {
    "UPDATE events SET actor = 'x'",
    "UPDATE events SET reason = 'x' ORDER BY id LIMIT 1",
    "DELETE FROM events",
    "DELETE FROM events ORDER BY id LIMIT 1",
    "REPLACE INTO events SELECT * FROM events LIMIT 1",
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
    tcase_add_test(tests, the_log_names_the_database_account);
    add_table_test(tests, the_log_and_the_ledger_cannot_be_changed_even_by_their_owner, FOR_EVER);
    return tests;
}
