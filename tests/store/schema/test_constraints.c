#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* The table has one valid row of each kind; each change must be refused with that error. */
static const struct {
    const char *table, *change;
    unsigned error;
} REFUSED[] = {
    {"orders", "amount = -0.0001", ER_CONSTRAINT_FAILED},
    {"orders", "amount = 10000000000000000", ER_WARN_DATA_OUT_OF_RANGE},
    {"orders", "min_amount = 5, max_amount = 4.9999", ER_CONSTRAINT_FAILED},
    {"orders", "reference = ''", ER_CONSTRAINT_FAILED},
    {"orders", "reference = '12a'", ER_CONSTRAINT_FAILED},
    {"orders", "reference = '12\n'", ER_CONSTRAINT_FAILED},
    {"orders", "reference = '12345678901234567890123456'", ER_DATA_TOO_LONG},
    {"orders", "po_id = ''", ER_CONSTRAINT_FAILED},
    {"orders", "po_id = 'a b'", ER_CONSTRAINT_FAILED},
    {"orders", "po_id = 'a\n'", ER_CONSTRAINT_FAILED},
    {"orders", "held_by = 5", ER_CONSTRAINT_FAILED},
    {"orders", "held_until = " NOW, ER_CONSTRAINT_FAILED},
    {"orders", "state = 'VENCIDA', held_by = 5, held_until = " NOW, ER_CONSTRAINT_FAILED},
    {"orders", "state = 'APROBADA'", ER_SIGNAL_EXCEPTION},
    {"orders", "paid_by = 5", ER_SIGNAL_EXCEPTION},
    {"orders", "state = 'VENCIDA', paid_by = 5", ER_SIGNAL_EXCEPTION},
    {"orders", "currency = 'ZZZ'", ER_NO_REFERENCED_ROW_2},
    {"orders", "merchant_id = 0", ER_NO_REFERENCED_ROW_2},
    {"orders", "due_at = NULL", ER_BAD_NULL_ERROR},
    {"transactions", "amount = 0", ER_CONSTRAINT_FAILED},
    {"transactions", "amount = -1", ER_CONSTRAINT_FAILED},
    {"transactions", "account_id = 5", ER_CONSTRAINT_FAILED},
    {"transactions", "order_id = NULL", ER_CONSTRAINT_FAILED},
    {"transactions", "confirmed_at = " NOW, ER_CONSTRAINT_FAILED},
    {"transactions", "window_ends_at = " NOW, ER_CONSTRAINT_FAILED},
    {"transactions", "state = 'CONFIRMADA'", ER_CONSTRAINT_FAILED},
    {"transactions", "finalised_at = " NOW, ER_CONSTRAINT_FAILED},
    {"transactions", "state = 'CANCELADA'", ER_CONSTRAINT_FAILED},
    {"transactions", "cancelled_at = " NOW, ER_CONSTRAINT_FAILED},
    {"transactions", "network_id = 0", ER_NO_REFERENCED_ROW_2},
    {"accounts", "balance = -0.0001", ER_CONSTRAINT_FAILED},
    {"accounts", "document = ''", ER_CONSTRAINT_FAILED},
    {"accounts", "document = 'a b'", ER_CONSTRAINT_FAILED},
    {"accounts", "document = '1\n'", ER_CONSTRAINT_FAILED},
    {"accounts", "currency = 'ZZZ'", ER_NO_REFERENCED_ROW_2},
    {"merchants", "country = 1", ER_NO_REFERENCED_ROW_2},
    {"merchants", "notify_digest = 'md5'", WARN_DATA_TRUNCATED},
    {"currencies", "code = 'cop'", ER_CONSTRAINT_FAILED},
    {"currencies", "query_code = 10", ER_CONSTRAINT_FAILED},
};

static void insert_rows(void) {
    uint64_t order = new_order(.reference = "1");
    new_transaction(.order_id = order);
    sample_account("2");
}

START_TEST(refuses_what_cannot_be) {
    MYSQL *mysql = database_login(OWNER);
    insert_rows();
    const char *where = strcmp(REFUSED[_i].table, "currencies") == 0 ? "code = 'CRC'" : "id > 0";
    unsigned error = database_error(mysql, "UPDATE %s SET %s WHERE %s", REFUSED[_i].table, REFUSED[_i].change, where);
    /* If a trigger forbids any change of the column, it refuses first; the constraint is then for new rows. */
    ck_assert_msg(error == REFUSED[_i].error || error == ER_SIGNAL_EXCEPTION, "%s: %u %s", REFUSED[_i].change, error,
                  mysql_error(mysql));
    mysql_close(mysql);
}
END_TEST

static unsigned insert_second_order(MYSQL *mysql, const char *differences) {
    return database_error(
        mysql,
        "INSERT INTO orders (merchant_id, po_id, reference, state, amount, currency, origin, due_at,"
        " changed_by) SELECT merchant_id, po_id, reference, 'PENDIENTE', 5, currency, origin, due_at, 'x'"
        " FROM (SELECT merchant_id, %s, currency, origin, due_at FROM orders) AS first",
        differences);
}

START_TEST(one_open_order_per_reference) {
    MYSQL *mysql = database_login(OWNER);
    uint64_t id = new_order(.reference = "1");
    ck_assert_uint_eq(insert_second_order(mysql, "'SECOND' AS po_id, reference"), ER_DUP_ENTRY);
    database_run("UPDATE orders SET state = 'VENCIDA' WHERE id = %" PRIu64, id);
    ck_assert_uint_eq(insert_second_order(mysql, "'SECOND' AS po_id, reference"), 0);
    mysql_close(mysql);
}
END_TEST

START_TEST(one_order_number_per_merchant_for_ever) {
    MYSQL *mysql = database_login(OWNER);
    uint64_t id = new_order(.reference = "1");
    database_run("UPDATE orders SET state = 'CANCELADA' WHERE id = %" PRIu64, id);
    ck_assert_uint_eq(insert_second_order(mysql, "po_id, '2' AS reference"), ER_DUP_ENTRY);
    new_order(.po_id = "'SAME'", .reference = "3");
    new_order(.po_id = "'SAME'", .reference = "4"); /* of another merchant */
    mysql_close(mysql);
}
END_TEST

/* Names and numbers are compared byte by byte. */
START_TEST(identifiers_compare_exactly) {
    static const char *const NAMES[] = {"Red", "red", "Red ",
                                        "R\xC3\xA9"
                                        "d",
                                        "Re\xCC\x81"
                                        "d"};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        sample_network(NAMES[i]);
    }
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM networks WHERE name = '%s'", NAMES[i]), 1);
    }
    new_order(.reference = "0012");
    new_order(.reference = "12");
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders WHERE reference = '12'"), 1);
}
END_TEST

START_TEST(each_top_up_is_in_the_ledger_once) {
    MYSQL *mysql = database_login(OWNER);
    uint64_t account = sample_account("1");
    uint64_t next = database_number("SELECT COALESCE(MAX(transaction_id), 0) + 1 FROM account_ledger");
    const char *sql = arena_print(arena,
                                  "INSERT INTO account_ledger (account_id, transaction_id, amount, balance)"
                                  " VALUES (%" PRIu64 ", %" PRIu64 ", 1, 1)",
                                  account, next)
                          .at;
    ck_assert_uint_eq(database_error(mysql, "%s", sql), 0);
    ck_assert_uint_eq(database_error(mysql, "%s", sql), ER_DUP_ENTRY);
    mysql_close(mysql);
}
END_TEST

static const struct {
    const char *state, *due_at, *held_by, *held_until;
    const char *now;
} ORDERS_NOW[] = {
    {"'PENDIENTE'", IN_AN_HOUR, NULL, NULL, "PENDIENTE 0"},
    {"'PENDIENTE'", AN_HOUR_AGO, NULL, NULL, "VENCIDA 0"},
    {"'PENDIENTE'", AN_HOUR_AGO, "5", IN_AN_HOUR, "PENDIENTE 0"},
    {"'PENDIENTE'", IN_AN_HOUR, "5", AN_HOUR_AGO, "PENDIENTE 1"},
    {"'PENDIENTE'", AN_HOUR_AGO, "5", AN_HOUR_AGO, "PENDIENTE 1"},
    {"'VENCIDA'", IN_AN_HOUR, NULL, NULL, "VENCIDA 0"},
    {"'CANCELADA'", AN_HOUR_AGO, NULL, NULL, "CANCELADA 0"},
};

START_TEST(orders_now_asserts_no_payment_by_the_clock) {
    uint64_t id = new_order(.state = ORDERS_NOW[_i].state, .due_at = ORDERS_NOW[_i].due_at,
                            .held_by = ORDERS_NOW[_i].held_by, .held_until = ORDERS_NOW[_i].held_until);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', state_now, window_closed) FROM orders_now WHERE id = %" PRIu64, id),
        ORDERS_NOW[_i].now);
}
END_TEST

static const struct {
    const char *state, *window_ends_at;
    const char *now;
} TRANSACTIONS_NOW[] = {
    {"'REGISTRADA'", NULL, "REGISTRADA 0"},        {"'CONFIRMADA'", IN_AN_HOUR, "CONFIRMADA 0"},
    {"'CONFIRMADA'", AN_HOUR_AGO, "CONFIRMADA 1"}, {"'FINALIZADA'", AN_HOUR_AGO, "FINALIZADA 0"},
    {"'CANCELADA'", AN_HOUR_AGO, "CANCELADA 0"},
};

START_TEST(transactions_now_asserts_no_payment_by_the_clock) {
    uint64_t id = new_transaction(.order_id = 5, .state = TRANSACTIONS_NOW[_i].state,
                                  .window_ends_at = TRANSACTIONS_NOW[_i].window_ends_at);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', state_now, window_closed) FROM transactions_now WHERE id = %" PRIu64, id),
        TRANSACTIONS_NOW[_i].now);
}
END_TEST

TCase *constraints_tests(void) {
    TCase *tests = database_case("constraints");
    add_table_test(tests, refuses_what_cannot_be, REFUSED);
    tcase_add_test(tests, one_open_order_per_reference);
    tcase_add_test(tests, one_order_number_per_merchant_for_ever);
    tcase_add_test(tests, identifiers_compare_exactly);
    tcase_add_test(tests, each_top_up_is_in_the_ledger_once);
    add_table_test(tests, orders_now_asserts_no_payment_by_the_clock, ORDERS_NOW);
    add_table_test(tests, transactions_now_asserts_no_payment_by_the_clock, TRANSACTIONS_NOW);
    return tests;
}
