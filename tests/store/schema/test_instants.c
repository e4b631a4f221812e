#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* An instant of a payment is written once. Only the owner can change it, and an event records the change. The
 * statements name the payment's transaction @payment and its order @order_id. */

static const struct {
    const char *state; /* the payment's state before the statement */
    const char *statement, *column, *told;
} MOVES[] = {
    {"CONFIRMADA", "UPDATE transactions SET window_ends_at = window_ends_at + INTERVAL 1 SECOND WHERE id = @payment",
     "window_ends_at", "transaction"},
    {"CONFIRMADA",
     "UPDATE transactions SET window_ends_at = UTC_TIMESTAMP(6), confirmed_at = '2026-01-01'"
     " WHERE id = @payment",
     "confirmed_at", "transaction"},
    {"CONFIRMADA", "UPDATE orders SET held_until = held_until - INTERVAL 1 SECOND WHERE id = @order_id", "held_until",
     "order"},
    {"CONFIRMADA",
     "UPDATE orders SET held_until = held_until + INTERVAL 1 SECOND, description = 'B' WHERE id = @order_id",
     "held_until", "order"},
    {"FINALIZADA", "UPDATE transactions SET finalised_at = finalised_at + INTERVAL 1 SECOND WHERE id = @payment",
     "finalised_at", "transaction"},
    {"CANCELADA", "UPDATE transactions SET cancelled_at = cancelled_at + INTERVAL 1 SECOND WHERE id = @payment",
     "cancelled_at", "transaction"},
    {"CANCELADA", "UPDATE transactions SET confirmed_at = NULL, window_ends_at = NULL WHERE id = @payment",
     "window_ends_at", "transaction"},
};

static void keep(const char *name, uint64_t id) {
    database_run("SET @%s = %" PRIu64, name, id);
}

static void pay(const char *state) {
    uint64_t order = new_order(.due_at = "'2999-01-01'");
    uint64_t payment = confirmed_payment(order, "45000", IN_AN_HOUR);
    keep("order_id", order);
    keep("payment", payment);
    if (strcmp(state, "CANCELADA") == 0) {
        database_run("UPDATE orders SET held_by = NULL, held_until = NULL WHERE id = @order_id");
        database_run(
            "UPDATE transactions SET state = 'CANCELADA', cancelled_at = UTC_TIMESTAMP(6) WHERE id = @payment");
    } else if (strcmp(state, "FINALIZADA") == 0) {
        database_run("UPDATE transactions SET state = 'FINALIZADA', finalised_at = window_ends_at WHERE id = @payment");
    }
}

/* An account with all privileges that does not own the schema. */
static MYSQL *login_as_guest(void) {
    MYSQL *mysql = mysql_init(NULL);
    database_run("CREATE OR REPLACE USER recaudo_guest@localhost");
    database_run("GRANT ALL ON *.* TO recaudo_guest@localhost");
    ck_assert_ptr_nonnull(mysql_real_connect(mysql, config.database.host, "recaudo_guest", "", config.database.name,
                                             (unsigned)config.database.port, config.database.socket,
                                             CLIENT_MULTI_STATEMENTS));
    ck_assert_uint_eq(database_error(mysql, "SET @order_id = %" PRIu64 ", @payment = %" PRIu64,
                                     database_number("SELECT @order_id"), database_number("SELECT @payment")),
                      0);
    return mysql;
}

static void end_guest(MYSQL *mysql) {
    mysql_close(mysql);
    database_run("DROP USER recaudo_guest@localhost");
}

START_TEST(nobody_else_moves_an_instant) {
    pay(MOVES[_i].state);
    uint64_t events = database_number("SELECT COUNT(*) FROM event_log");
    MYSQL *mysql = login_as_guest();
    ck_assert_uint_eq(database_error(mysql, "%s", MOVES[_i].statement), ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(database_error(mysql,
                                     "SET @recaudo_moment = UTC_TIMESTAMP(6), @recaudo_told = @payment,"
                                     " @recaudo_plain = TRUE; %s",
                                     MOVES[_i].statement),
                      ER_SIGNAL_EXCEPTION);
    end_guest(mysql);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM event_log"), events);
}
END_TEST

/* A payment has no instant of a state it has not reached. If an instant was written early, the function could not write
 * it later. */
START_TEST(no_instant_comes_before_its_state) {
    keep("order_id", new_order(.due_at = "'2999-01-01'"));
    keep("payment", new_transaction(.order_id = database_number("SELECT @order_id")));
    MYSQL *mysql = login_as_guest();
    ck_assert_uint_eq(
        database_error(mysql, "UPDATE transactions SET confirmed_at = '2030-01-01', window_ends_at = '2031-01-01'"
                              " WHERE id = @payment"),
        ER_SIGNAL_EXCEPTION);
    end_guest(mysql);
}
END_TEST

/* Also if the statement poses as a function's, and makes a late cancellation timely. */
START_TEST(what_moves_with_a_state_is_told) {
    pay("CONFIRMADA");
    uint64_t last = database_number("SELECT MAX(id) FROM event_log");
    database_run(
        "SET @recaudo_moment = SYSDATE(6);"
        "UPDATE transactions t JOIN orders o ON o.id = t.order_id AND o.held_by = t.id SET t.state = 'CANCELADA',"
        " t.cancelled_at = @recaudo_moment, t.confirmed_at = t.confirmed_at + INTERVAL 50 SECOND,"
        " t.window_ends_at = t.window_ends_at + INTERVAL 50 SECOND, t.order_version = o.version + 1,"
        " o.held_by = NULL, o.held_until = NULL WHERE t.id = @payment");
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM event_log WHERE id > %" PRIu64
                                      " AND subject = 'transaction'"
                                      " AND JSON_LENGTH(changes, '$.window_ends_at') = 2",
                                      last),
                      1);
}
END_TEST

START_TEST(what_the_owner_moves_is_told) {
    pay(MOVES[_i].state);
    uint64_t last = database_number("SELECT MAX(id) FROM event_log");
    database_run("%s", MOVES[_i].statement);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM event_log WHERE id > %" PRIu64 " AND what = 'changed'"
                                      " AND subject = '%s' AND JSON_LENGTH(changes, '$.%s') = 2",
                                      last, MOVES[_i].told, MOVES[_i].column),
                      1);
}
END_TEST

/* Whatever account the statement gives, the event names the login's. */
START_TEST(nobody_chooses_the_account_of_an_event) {
    pay("CONFIRMADA");
    const char *insert = "INSERT INTO event_log (subject, subject_id, what, actor, db_account)"
                         " VALUES ('order', @order_id, 'forged', 'dispatcher', 'recaudo_dispatcher@localhost')";
    MYSQL *mysql = login_as_guest();
    ck_assert_uint_eq(database_error(mysql, "%s", insert), 0);
    end_guest(mysql);
    database_run("%s", insert);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(db_account ORDER BY id) FROM event_log WHERE what = 'forged'"
                                   " AND subject_id = @order_id"),
                     database_text("SELECT CONCAT('recaudo_guest@localhost,', SESSION_USER())"));
}
END_TEST

TCase *instants_tests(void) {
    TCase *tests = database_case("instants");
    add_table_test(tests, nobody_else_moves_an_instant, MOVES);
    add_table_test(tests, what_the_owner_moves_is_told, MOVES);
    tcase_add_test(tests, no_instant_comes_before_its_state);
    tcase_add_test(tests, what_moves_with_a_state_is_told);
    tcase_add_test(tests, nobody_chooses_the_account_of_an_event);
    return tests;
}
