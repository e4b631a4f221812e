#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* What the triggers of orders and payments refuse and accept by themselves, without the constraints, which any session
 * can switch off. The statements name the order @order_id, its payment @payment and a merchant @other. */

static MYSQL *mysql;

#define ACCOUNT_WITH_RIGHTS "recaudo_clerk"

/* Logs in with an account that may write all tables, and is neither the owner nor one of the programs'. */
static void log_in_as_clerk(void) {
    database_run("CREATE OR REPLACE USER " ACCOUNT_WITH_RIGHTS "@localhost");
    database_run("GRANT ALL ON %s.* TO " ACCOUNT_WITH_RIGHTS "@localhost", config.database.name);
    mysql = mysql_init(NULL);
    ck_assert_ptr_nonnull(mysql_real_connect(mysql, config.database.host, ACCOUNT_WITH_RIGHTS, "", config.database.name,
                                             (unsigned)config.database.port, config.database.socket,
                                             CLIENT_MULTI_STATEMENTS));
}

static void log_out(void) {
    mysql_close(mysql);
    database_run("DROP USER IF EXISTS " ACCOUNT_WITH_RIGHTS "@localhost");
}

static void name_rows(uint64_t order, uint64_t payment) {
    const char *names =
        arena_print(arena,
                    "SET time_zone = '+00:00', @order_id = %" PRIu64 ", @payment = %" PRIu64 ", @other = %" PRIu64,
                    order, payment, new_merchant(.name = "'other'"))
            .at;
    database_run("%s", names);
    ck_assert_uint_eq(database_error(mysql, "%s", names), 0);
}

/* Has the function confirm a payment; its order is then held, in version 2. */
static void confirm_one(void) {
    uint64_t network = sample_network(NULL), order = new_order(.reference = "77");
    uint64_t payment = new_transaction(.network_id = network, .order_id = order, .network_transaction = "'guarded'");
    name_rows(order, payment);
    ck_assert_uint_eq(database_number("SELECT payment_confirm(%" PRIu64 ", 'guarded', 'network:red')", network), 1);
}

static const char *order_and_payment(void) {
    return database_text(
        "SELECT CONCAT_WS(' ', o.id, o.merchant_id, o.po_id, o.reference, o.state, o.version, o.amount,"
        " o.min_amount, o.max_amount, o.currency, o.due_at, o.held_by, o.held_until, o.paid_by, t.state,"
        " t.version, t.order_version, t.confirmed_at, t.window_ends_at, t.finalised_at, t.cancelled_at)"
        " FROM orders o JOIN transactions t ON t.id = @payment WHERE o.id = @order_id");
}

static void assert_refused_with(unsigned wanted, const char *statement) {
    const char *before = order_and_payment();
    unsigned error = database_error(mysql, "%s", statement);
    ck_assert_msg(error == wanted, "%s gives %u", statement, error);
    ck_assert_str_eq(order_and_payment(), before);
}

static void assert_refused(const char *statement) {
    assert_refused_with(ER_SIGNAL_EXCEPTION, statement);
}

/* Changes by a session that sets the variables of a function's release and changes something else too. */
static const char *const WITH_A_RELEASE[] = {
    "id = id + 1000",     "merchant_id = @other",
    "po_id = 'x'",        "reference = '78'",
    "amount = 1",         "currency = 'USD'",
    "paid_by = @payment", "state = 'ANULADA'",
    "state = 'APROBADA'", "paid_by = held_by, state = 'APROBADA'",
};

START_TEST(a_release_changes_nothing_else) {
    mysql = database_login(OWNER);
    confirm_one();
    assert_refused(arena_print(arena,
                               "SET @recaudo_told = @payment, @recaudo_told_version = 3; UPDATE orders SET %s,"
                               " held_by = NULL, held_until = NULL WHERE id = @order_id",
                               WITH_A_RELEASE[_i])
                       .at);
    mysql_close(mysql);
}
END_TEST

/* A state that is written together with a release closes the order like any other change of state. */
START_TEST(a_state_with_a_release_closes_the_order) {
    mysql = database_login(OWNER);
    confirm_one();
    ck_assert_uint_eq(database_error(mysql, "SET @recaudo_told = @payment, @recaudo_told_version = 3; UPDATE orders SET"
                                            " state = 'CANCELADA', held_by = NULL, held_until = NULL, closed_at = NULL"
                                            " WHERE id = @order_id"),
                      0);
    ck_assert_uint_eq(database_number("SELECT closed_at BETWEEN " NOW " - INTERVAL 1 MINUTE AND " NOW
                                      " FROM orders WHERE id = @order_id"),
                      1);
    mysql_close(mysql);
}
END_TEST

/* For another payment or version the variables have no effect: the order gets its own event of the release. */
static const char *const OF_SOMETHING_ELSE[] = {
    "SET @recaudo_told = @payment + 1, @recaudo_told_version = 3",
    "SET @recaudo_told = @payment, @recaudo_told_version = 4",
    "SET @recaudo_told = NULL, @recaudo_told_version = 3",
};

START_TEST(a_release_by_hand_is_told) {
    mysql = database_login(OWNER);
    confirm_one();
    ck_assert_uint_eq(database_error(mysql,
                                     "%s; UPDATE orders SET held_by = NULL, held_until = NULL, vat = 5,"
                                     " changed_by = 'eva' WHERE id = @order_id",
                                     OF_SOMETHING_ELSE[_i]),
                      0);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', what, version, actor, changes) FROM event_log"
                                   " WHERE subject = 'order' AND subject_id = @order_id ORDER BY id DESC LIMIT 1"),
                     "released 3 eva {\"vat\":[null, 5.0000]}");
    mysql_close(mysql);
}
END_TEST

/* The terms of an order, and the situations in which only the owner may still change them. */
static const char *const TERMS[] = {"reference = '78'",
                                    "amount = amount - 1",
                                    "currency = 'USD'",
                                    "min_amount = 1",
                                    "max_amount = 99999",
                                    "min_amount = NULL",
                                    "due_at = " IN_AN_HOUR " + INTERVAL 1 DAY"};
enum { PAID_FOR = 3 }; /* of these terms, the first ones */
static const struct {
    const char *name, *before;
    unsigned error; /* ER_CHECKREAD: a program that judged it a moment ago judges it again */
} SITUATIONS[] = {
    {"open", "DO 0", 0},
    {"held", "UPDATE orders SET held_by = 5, held_until = " IN_AN_HOUR, ER_SIGNAL_EXCEPTION},
    {"held long ago", "UPDATE orders SET held_by = 5, held_until = " AN_HOUR_AGO, ER_SIGNAL_EXCEPTION},
    {"due", "UPDATE orders SET due_at = " NOW, ER_CHECKREAD},
    {"expired", "UPDATE orders SET state = 'VENCIDA'", ER_SIGNAL_EXCEPTION},
    {"withdrawn", "UPDATE orders SET state = 'CANCELADA'", ER_SIGNAL_EXCEPTION},
};

START_TEST(terms_stay_once_somebody_may_rely_on_them) {
    size_t term = (size_t)_i % COUNT_OF(TERMS), situation = (size_t)_i / COUNT_OF(TERMS);
    uint64_t order = new_order(.reference = "77", .min_amount = "2");
    log_in_as_clerk();
    name_rows(order, new_transaction(.order_id = order));
    database_run("%s", SITUATIONS[situation].before);
    const char *statement = arena_print(arena, "UPDATE orders SET %s WHERE id = @order_id", TERMS[term]).at;
    if (SITUATIONS[situation].error == 0) {
        ck_assert_uint_eq(database_error(mysql, "%s", statement), 0);
        ck_assert_uint_eq(database_error(mysql, "SET time_zone = '-05:00'"), 0);
        assert_refused(arena_print(arena, "UPDATE orders SET due_at = '2030-01-01', %s WHERE id = @order_id",
                                   strstr(TERMS[term], "due_at") == NULL ? TERMS[term] : "vat = 1")
                           .at);
    } else {
        assert_refused_with(SITUATIONS[situation].error, statement);
        ck_assert_uint_eq(database_error(mysql, "UPDATE orders SET description = 'B' WHERE id = @order_id"), 0);
    }
    log_out();
}
END_TEST

/* The owner may repair a row, except what was paid for, if the order is held or closed. */
START_TEST(the_owner_may_repair_terms) {
    size_t term = (size_t)_i % COUNT_OF(TERMS), situation = (size_t)_i / COUNT_OF(TERMS);
    bool due = strcmp(SITUATIONS[situation].name, "open") == 0 || strcmp(SITUATIONS[situation].name, "due") == 0;
    bool paid_for = term < PAID_FOR;
    mysql = database_login(OWNER);
    uint64_t order = new_order(.reference = "77", .min_amount = "2");
    name_rows(order, new_transaction(.order_id = order));
    database_run("%s", SITUATIONS[situation].before);
    const char *statement = arena_print(arena, "UPDATE orders SET %s WHERE id = @order_id", TERMS[term]).at;
    if (paid_for && !due) {
        assert_refused(statement);
    } else {
        ck_assert_uint_eq(database_error(mysql, "%s", statement), 0);
    }
    mysql_close(mysql);
}
END_TEST

/* Ids are assigned in the order of insertion. Only the owner may restore a row with its id. */
START_TEST(nobody_else_chooses_an_id) {
    static const char INSERTS[] =
        "SET insert_id = 900001;"
        " INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by)"
        " SELECT merchant_id, 'x', '79', 5, 'COP', 'imported', due_at, 'test' FROM orders LIMIT 1";
    static const char PAYS[] =
        "SET insert_id = %d; INSERT INTO transactions (id, network_id, network_transaction, order_id, reference,"
        " amount, currency, commerce, description, teller, fingerprint, changed_by) SELECT %d, network_id, 'x',"
        " order_id, '1', 5, 'COP', '', '', '', fingerprint, 'test' FROM transactions LIMIT 1";
    uint64_t order = new_order(.reference = "77");
    new_transaction(.order_id = order);
    log_in_as_clerk();
    ck_assert_uint_eq(database_error(mysql, INSERTS), ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(database_error(mysql, PAYS, 900001, 0), ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(database_error(mysql, PAYS, 0, 900001), ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(database_error(mysql, PAYS, 0, 0), 0);
    log_out();
}
END_TEST

/* A change of a payment's state by hand must set the instants of that state, and must not change others. */
static const struct {
    const char *state, *change;
    bool allowed;
} INSTANTS[] = {
    {"REGISTRADA", "state = 'CONFIRMADA', confirmed_at = " NOW ", window_ends_at = " IN_AN_HOUR, true},
    {"REGISTRADA", "state = 'CANCELADA', cancelled_at = " NOW, true},
    {"CONFIRMADA", "state = 'CANCELADA', cancelled_at = " NOW, true},
    {"CONFIRMADA", "state = 'FINALIZADA', finalised_at = " NOW, true},
    {"REGISTRADA", "confirmed_at = " NOW, false},
    {"REGISTRADA", "window_ends_at = " NOW, false},
    {"REGISTRADA", "cancelled_at = " NOW, false},
    {"REGISTRADA", "finalised_at = " NOW, false},
    {"CONFIRMADA", "cancelled_at = " NOW, false},
    {"CONFIRMADA", "finalised_at = " NOW, false},
    {"CONFIRMADA", "state = 'CANCELADA', cancelled_at = " NOW ", confirmed_at = '2026-01-01'", false},
    {"CONFIRMADA", "state = 'CANCELADA', cancelled_at = " NOW ", window_ends_at = '2999-01-01'", false},
    {"CONFIRMADA", "state = 'FINALIZADA', finalised_at = " NOW ", window_ends_at = '2026-01-01'", false},
    {"CONFIRMADA", "state = 'FINALIZADA', finalised_at = " NOW ", confirmed_at = NULL", false},
    {"CONFIRMADA", "state = 'CANCELADA', cancelled_at = @recaudo_moment := '2030-01-01', window_ends_at = '2999-01-01'",
     false},
};

START_TEST(instants_come_with_their_state) {
    bool confirmed = strcmp(INSTANTS[_i].state, "CONFIRMADA") == 0;
    uint64_t order = new_order(.reference = "77");
    log_in_as_clerk();
    name_rows(order, confirmed ? confirmed_payment(order, "45000", IN_AN_HOUR) : new_transaction(.order_id = order));
    const char *statement =
        arena_print(arena, "UPDATE transactions SET order_version = 9, %s WHERE id = @payment", INSTANTS[_i].change).at;
    if (INSTANTS[_i].allowed) {
        unsigned error = database_error(mysql, "%s", statement);
        ck_assert_msg(error == 0, "%s gives %u", statement, error);
        ck_assert_str_eq(database_text("SELECT CONCAT(actor, ' ', COALESCE(order_version, 'alone')) FROM event_log"
                                       " WHERE subject = 'transaction' AND subject_id = @payment AND what = 'state'"),
                         "db:" ACCOUNT_WITH_RIGHTS "@localhost alone");
        ck_assert_ptr_null(database_text("SELECT order_version FROM transactions WHERE id = @payment"));
    } else {
        assert_refused(statement);
    }
    log_out();
}
END_TEST

static unsigned copy_confirmed(const char *name, const char *amount) {
    return database_error(
        mysql,
        "INSERT INTO transactions (network_id, network_transaction, account_id, reference, state, amount, currency,"
        " commerce, description, teller, fingerprint, confirmed_at, window_ends_at, changed_by)"
        " SELECT network_id, '%s', account_id, reference, 'CONFIRMADA', %s, currency, commerce, description, teller,"
        " fingerprint, " NOW ", " IN_AN_HOUR ", 'eva' FROM transactions LIMIT 1",
        name, amount);
}

/* Inserted by hand, or by another system. */
START_TEST(a_top_up_that_begins_confirmed_needs_its_room) {
    uint64_t account = sample_account("1020");
    mysql = database_login(OWNER);
    database_run("UPDATE accounts SET balance = 999999999999999.9999 - 10");
    new_transaction(.account_id = account, .amount = "11");
    new_transaction(.account_id = account, .amount = "11", .state = "'FINALIZADA'", .window_ends_at = AN_HOUR_AGO);
    ck_assert_uint_eq(copy_confirmed("1", "10.0001"), ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(copy_confirmed("2", "10"), 0);
    ck_assert_uint_eq(copy_confirmed("3", "0.0001"), ER_SIGNAL_EXCEPTION);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', reserved, room) FROM accounts"), "10.0000 0.0000");
    mysql_close(mysql);
}
END_TEST

/* Columns that change together with a state: the event has both values. */
static const struct {
    const char *column, *was, *becomes, *told;
} WITH_A_STATE[] = {
    {"reference", "'78'", "'79'", "[\"78\", \"79\"]"},
    {"amount", "5", "6", "[5.0000, 6.0000]"},
    {"min_amount", "5", "6", "[5.0000, 6.0000]"},
    {"max_amount", "7", "8", "[7.0000, 8.0000]"},
    {"vat", "5", "6", "[5.0000, 6.0000]"},
    {"currency", "'USD'", "'CRC'", "[\"USD\", \"CRC\"]"},
    {"country", "314", "345", "[314, 345]"},
    {"description", "'A'", "'B'", "[\"A\", \"B\"]"},
    {"language", "'es'", "'en'", "[\"es\", \"en\"]"},
    {"payment_means", "'A'", "'B'", "[\"A\", \"B\"]"},
    {"due_at", "'2998-01-01'", "'2999-01-01'", "[\"2998-01-01 00:00:00.000000\", \"2999-01-01 00:00:00.000000\"]"},
    {"email", "'a'", "'b'", "\"changed\""},
    {"document", "'1'", "'2'", "\"changed\""},
    {"document_type", "'A'", "'B'", "\"changed\""},
    {"customer_name", "'A'", "'B'", "\"changed\""},
    {"token", "REPEAT('a', 32)", "REPEAT('b', 32)", "\"changed\""},
};

/* Gives every column a value, so that none is compared with NULL. */
START_TEST(what_changes_with_a_state_is_told) {
    mysql = database_login(OWNER);
    uint64_t order = new_order(.reference = "77");
    name_rows(order, new_transaction(.order_id = order));
    for (size_t i = 0; i < COUNT_OF(WITH_A_STATE); i++) {
        database_run("UPDATE orders SET %s = %s", WITH_A_STATE[i].column, WITH_A_STATE[i].was);
    }
    database_run("UPDATE orders SET state = 'VENCIDA', %s = %s", WITH_A_STATE[_i].column, WITH_A_STATE[_i].becomes);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', what, to_state, changes) FROM event_log"
                      " WHERE subject = 'order' ORDER BY id DESC LIMIT 1"),
        arena_print(arena, "state VENCIDA {\"%s\":%s}", WITH_A_STATE[_i].column, WITH_A_STATE[_i].told).at);
    mysql_close(mysql);
}
END_TEST

/* The registration does not hold the order, so the other payment's hold stays. */
START_TEST(cancelling_a_registration_releases_nobody_elses_order) {
    mysql = database_login(OWNER);
    confirm_one();
    uint64_t network = sample_network(NULL);
    uint64_t late = new_transaction(.network_id = network, .order_id = database_number("SELECT @order_id"),
                                    .network_transaction = "'late'");
    const char *before = order_and_payment();
    ck_assert_uint_eq(database_number("SELECT payment_cancel(%" PRIu64 ", 'late', 'network:red')", network), 1);
    ck_assert_str_eq(order_and_payment(), before);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', to_state, order_id, order_version) FROM event_log"
                                   " WHERE what = 'state' AND subject = 'transaction' AND subject_id = %" PRIu64,
                                   late),
                     "CANCELADA");
    mysql_close(mysql);
}
END_TEST

TCase *guards_tests(void) {
    TCase *tests = database_case("guards");
    add_table_test(tests, a_release_changes_nothing_else, WITH_A_RELEASE);
    tcase_add_test(tests, a_state_with_a_release_closes_the_order);
    add_table_test(tests, a_release_by_hand_is_told, OF_SOMETHING_ELSE);
    tcase_add_loop_test(tests, terms_stay_once_somebody_may_rely_on_them, 0,
                        (int)(COUNT_OF(TERMS) * COUNT_OF(SITUATIONS)));
    tcase_add_loop_test(tests, the_owner_may_repair_terms, 0, (int)(COUNT_OF(TERMS) * COUNT_OF(SITUATIONS)));
    tcase_add_test(tests, nobody_else_chooses_an_id);
    add_table_test(tests, instants_come_with_their_state, INSTANTS);
    add_table_test(tests, what_changes_with_a_state_is_told, WITH_A_STATE);
    tcase_add_test(tests, a_top_up_that_begins_confirmed_needs_its_room);
    tcase_add_test(tests, cancelling_a_registration_releases_nobody_elses_order);
    return tests;
}
