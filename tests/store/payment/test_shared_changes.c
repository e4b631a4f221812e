#include "store.h"

#include "store/db/connection_private.h"
#include "store/party/money_limits.h"
#include "store/payment/transactions.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* Several registrations, confirmations or cancellations in one statement. */
enum { SEVERAL = 4, SECONDS_FOR_A_TEST = 60 };

static struct connection *worker;
static uint64_t red, azul;

static void set_up(void) {
    worker = database_connect(WORKER);
    red = sample_network("Red Norte");
    azul = sample_network("Azul");
    /* A statement that waits for a lock outlasts its test. */
    ck_assert_int_eq(mysql_query(worker->mysql, "SET SESSION innodb_lock_wait_timeout = 1000"), 0);
}

static void tear_down(void) {
    connection_close(worker);
}

static struct registration requests[SEVERAL];
static struct transaction stored[SEVERAL];
static struct new_registration news[SEVERAL];
static struct new_registration *const NEWS[] = {&news[0], &news[1], &news[2], &news[3]};

static struct transaction_change changes[SEVERAL];
static struct transaction_change *const CHANGES[] = {&changes[0], &changes[1], &changes[2], &changes[3]};

/* Orders 1 to 4 of COP 45,000, each of a merchant of its own; 1 and 2 are registered by red, 3 and 4 by azul. */
static void prepare_registrations(void) {
    for (uint64_t i = 0; i < SEVERAL; i++) {
        const char *number = arena_print(arena, "%" PRIu64, i + 1).at;
        uint64_t merchant = new_merchant(.name = arena_print(arena, "'m%s'", number).at,
                                         .commerce = arena_print(arena, "'Tienda %s'", number).at);
        (void)new_order(.merchant_id = merchant, .reference = number,
                        .description = arena_print(arena, "'Pedido %s'", number).at);
        requests[i] = (struct registration){.name = i < 2 ? TEXT("Red Norte") : TEXT("Azul"),
                                            .reference = text_of(number),
                                            .amount = TEXT("45000"),
                                            .transaction = i % 2 == 0 ? TEXT("T-1") : TEXT("T-2"),
                                            .commerce = arena_print(arena, "Tienda %s", number),
                                            .teller = TEXT("caja"),
                                            .money = TEXT("COP")};
        ck_assert(money_parse(requests[i].amount, &requests[i].value));
        stored[i] = (struct transaction){0};
        memset(stored[i].fingerprint, (int)i + 1, sizeof stored[i].fingerprint);
        news[i] = (struct new_registration){i < 2 ? red : azul, &requests[i], arena, &stored[i], STATUS_FAULT};
    }
}

static enum status register_all_of_them(void) {
    return transactions_register_shared(worker, NEWS, SEVERAL, arena);
}

static uint64_t stored_rows(void) {
    return database_number("SELECT COUNT(*) FROM transactions");
}

/* Everything that the row says comes from the request with which it was sent, and the reply from its own row. */
START_TEST(each_registration_is_stored_as_it_was_sent) {
    static const char *const NAMES[SEVERAL] = {"", "O'Hara \"Pepe\"", "C:\\temp\\", "Ñandú 😀 \xE2\x80\xA8"};
    prepare_registrations();
    for (size_t i = 0; i < SEVERAL; i++) {
        requests[i].given_names = text_of(NAMES[i]);
    }
    ck_assert_int_eq(register_all_of_them(), STATUS_OK);
    for (size_t i = 0; i < SEVERAL; i++) {
        ck_assert_int_eq(news[i].status, STATUS_OK);
        ck_assert_str_eq(
            database_text("SELECT CONCAT_WS('|', network_id, network_transaction, order_id = (SELECT id FROM orders"
                          " WHERE reference = '%zu'), reference, amount, currency, commerce, description, teller,"
                          " COALESCE(given_names, '-'), surname1, surname2, HEX(fingerprint) = REPEAT('0%zu', 32),"
                          " changed_by) FROM transactions WHERE id = %" PRIu64,
                          i + 1, i + 1, stored[i].id),
            arena_print(arena, "%" PRIu64 "|T-%zu|1|%zu|45000.0000|COP|Tienda %zu|Pedido %zu|caja|%s|1|network:%.*s",
                        news[i].network_id, i % 2 + 1, i + 1, i + 1, i + 1, i == 0 ? "-" : NAMES[i],
                        TEXT_ARGS(requests[i].name))
                .at);
        assert_text(stored[i].commerce, arena_print(arena, "Tienda %zu", i + 1).at);
        assert_text(stored[i].description, arena_print(arena, "Pedido %zu", i + 1).at);
    }
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', what, to_state, actor) ORDER BY id) FROM"
                                   " event_log WHERE subject = 'transaction' AND subject_id >= %" PRIu64,
                                   stored[0].id),
                     "created REGISTRADA network:Red Norte,created REGISTRADA network:Red Norte,"
                     "created REGISTRADA network:Azul,created REGISTRADA network:Azul");
}
END_TEST

/* The greatest of every field passes; nothing is cut. */
START_TEST(no_text_is_cut_on_its_way) {
    prepare_registrations();
    const char *longest = arena_print(arena, "%s", database_text("SELECT REPEAT('😀', 100)")).at;
    database_run("UPDATE orders SET amount = 999999999999999.9999, changed_by = 'x' WHERE reference = '1'");
    requests[0].transaction = (struct text){longest, 64 * strlen("😀")};
    requests[0].teller = requests[0].transaction;
    requests[0].given_names = requests[0].surname1 = requests[0].surname2 = text_of(longest);
    requests[0].amount = TEXT("999999999999999.9999");
    ck_assert(money_parse(requests[0].amount, &requests[0].value));
    ck_assert_int_eq(register_all_of_them(), STATUS_OK);
    ck_assert_int_eq(news[0].status, STATUS_CHANGED); /* pesos have no ten-thousandths */
    database_run("UPDATE orders SET amount = 999999999999999.99, changed_by = 'x' WHERE reference = '1'");
    requests[0].amount = TEXT("999999999999999.99");
    ck_assert(money_parse(requests[0].amount, &requests[0].value));
    ck_assert_int_eq(transactions_register_shared(worker, NEWS, 1, arena), STATUS_OK);
    ck_assert_int_eq(news[0].status, STATUS_OK);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', amount, CHAR_LENGTH(network_transaction), CHAR_LENGTH(teller),"
                      " CHAR_LENGTH(given_names), CHAR_LENGTH(surname1), CHAR_LENGTH(surname2))"
                      " FROM transactions WHERE id = %" PRIu64,
                      stored[0].id),
        "999999999999999.9900 64 64 100 100 100");
    requests[0].transaction = (struct text){longest, 65 * strlen("😀")};
    ck_assert_int_eq(transactions_register_shared(worker, NEWS, 1, arena), STATUS_FAULT);
    changes[0] = (struct transaction_change){{red, requests[0].transaction, TEXT("network:Red Norte")}, STATUS_OK};
    ck_assert_int_eq(transactions_confirm_shared(worker, CHANGES, 1, arena), STATUS_OK);
    ck_assert_int_eq(changes[0].status, STATUS_CHANGED); /* no network has such a one */
}
END_TEST

START_TEST(what_a_rule_refuses_keeps_no_other_from_being_stored) {
    prepare_registrations();
    database_run("UPDATE merchants SET enabled = FALSE, changed_by = 'x' WHERE name = 'm1'");
    requests[2].commerce = TEXT("Tienda 4");
    ck_assert_int_eq(register_all_of_them(), STATUS_OK);
    ck_assert_int_eq(news[0].status, STATUS_CHANGED);
    ck_assert_int_eq(news[1].status, STATUS_OK);
    ck_assert_int_eq(news[2].status, STATUS_CHANGED);
    ck_assert_int_eq(news[3].status, STATUS_OK);
    ck_assert_uint_eq(stored_rows(), 2);
}
END_TEST

START_TEST(one_that_exists_keeps_no_other_from_being_stored) {
    prepare_registrations();
    ck_assert_int_eq(transactions_register(worker, &news[3]), STATUS_OK);
    ck_assert_int_eq(register_all_of_them(), STATUS_OK);
    ck_assert_int_eq(news[2].status, STATUS_OK);
    ck_assert_int_eq(news[3].status, STATUS_CHANGED);
    ck_assert_uint_eq(stored_rows(), SEVERAL);
}
END_TEST

START_TEST(two_that_are_the_same_keep_all_from_being_stored) {
    prepare_registrations();
    requests[1] = requests[0];
    stored[1] = stored[0];
    ck_assert_int_eq(register_all_of_them(), STATUS_CLASH);
    ck_assert_uint_eq(stored_rows(), 0);
}
END_TEST

/* Of two with the same id the first is refused, by a rule or as it stands. It is not answered with the other's row. */
START_TEST(a_refused_one_is_not_taken_for_another_of_its_id) {
    static const char *const AMOUNTS[] = {"45001", "45000.0001"};
    prepare_registrations();
    requests[0].transaction = requests[1].transaction;
    requests[0].amount = text_of(AMOUNTS[_i]);
    ck_assert(money_parse(requests[0].amount, &requests[0].value));
    ck_assert_int_eq(register_all_of_them(), STATUS_OK);
    ck_assert_int_eq(news[0].status, STATUS_CHANGED);
    ck_assert_int_eq(news[1].status, STATUS_OK);
    ck_assert_uint_eq(stored[0].id, 0);
    ck_assert_uint_eq(database_number("SELECT reference FROM transactions WHERE id = %" PRIu64, stored[1].id), 2);
}
END_TEST

/* Locks the order with this reference for another session, which the caller ends. */
static MYSQL *lock_order(const char *reference) {
    MYSQL *holder = database_login(OWNER);
    ck_assert_uint_eq(database_error(holder, "START TRANSACTION"), 0);
    ck_assert_uint_eq(database_error(holder, "UPDATE orders SET changed_by = 'x' WHERE reference = '%s'", reference),
                      0);
    return holder;
}

/* The server ends a session that is closed when it gets to it, a transaction at once. */
static void end_lock(MYSQL *holder) {
    ck_assert_uint_eq(database_error(holder, "ROLLBACK"), 0);
    mysql_close(holder);
}

START_TEST(no_registration_waits_for_a_lock) {
    prepare_registrations();
    MYSQL *holder = database_login(OWNER);
    ck_assert_uint_eq(database_error(holder, "START TRANSACTION"), 0);
    ck_assert_uint_eq(database_error(holder,
                                     "INSERT INTO transactions (network_id, network_transaction, order_id, reference,"
                                     " amount, currency, commerce, description, teller, fingerprint, changed_by)"
                                     " SELECT %" PRIu64 ", 'T-2', id, reference, amount, currency, '', '', '',"
                                     " REPEAT('f', 32), 'x' FROM orders WHERE reference = '2'",
                                     red),
                      0);
    ck_assert_int_eq(register_all_of_them(), STATUS_AGAIN);
    ck_assert_uint_eq(stored_rows(), 0);
    end_lock(holder);
    ck_assert_int_eq(register_all_of_them(), STATUS_OK);
    ck_assert_uint_eq(stored_rows(), SEVERAL);
}
END_TEST

static void prepare_changes(void) {
    prepare_registrations();
    ck_assert_int_eq(register_all_of_them(), STATUS_OK);
    for (size_t i = 0; i < SEVERAL; i++) {
        const struct transaction_name name = {news[i].network_id, requests[i].transaction,
                                              i < 2 ? TEXT("network:Red Norte") : TEXT("network:Azul")};
        changes[i] = (struct transaction_change){name, STATUS_FAULT};
    }
}

static enum status confirm_all_of_them(void) {
    return transactions_confirm_shared(worker, CHANGES, SEVERAL, arena);
}

static const char *states(void) {
    return database_text("SELECT GROUP_CONCAT(CONCAT(t.state, IF(o.held_by = t.id, ' holds', '')) ORDER BY t.id)"
                         " FROM transactions t JOIN orders o ON o.id = t.order_id");
}

/* Each confirmation has one event, which also tells of the order; none says that an order was held by itself. */
START_TEST(each_is_confirmed_and_has_its_event) {
    prepare_changes();
    ck_assert_int_eq(confirm_all_of_them(), STATUS_OK);
    for (size_t i = 0; i < SEVERAL; i++) {
        ck_assert_int_eq(changes[i].status, STATUS_OK);
        ck_assert_str_eq(
            database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', what, to_state, actor, order_version, order_id ="
                          " (SELECT order_id FROM transactions WHERE id = subject_id)) ORDER BY id) FROM event_log"
                          " WHERE subject = 'transaction' AND subject_id = %" PRIu64,
                          stored[i].id),
            arena_print(arena, "created REGISTRADA network:%.*s,state CONFIRMADA network:%.*s 2 1",
                        TEXT_ARGS(requests[i].name), TEXT_ARGS(requests[i].name))
                .at);
    }
    ck_assert_str_eq(states(), "CONFIRMADA holds,CONFIRMADA holds,CONFIRMADA holds,CONFIRMADA holds");
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM event_log WHERE subject = 'order' AND what = 'held'"
                                      " AND subject_id IN (SELECT id FROM orders)"),
                      0);
    ck_assert_int_eq(transactions_cancel_shared(worker, CHANGES, SEVERAL, arena), STATUS_OK);
    ck_assert_int_eq(changes[0].status, STATUS_OK);
    ck_assert_int_eq(changes[3].status, STATUS_OK);
    ck_assert_str_eq(states(), "CANCELADA,CANCELADA,CANCELADA,CANCELADA");
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders WHERE held_by IS NOT NULL"), 0);
}
END_TEST

/* Unknown and confirmed before: neither keeps the others from being confirmed. */
START_TEST(each_change_has_its_own_status) {
    prepare_changes();
    ck_assert_int_eq(transactions_confirm(worker, &changes[1].name), STATUS_OK);
    changes[2].name.transaction = TEXT("T-unknown");
    ck_assert_int_eq(confirm_all_of_them(), STATUS_OK);
    ck_assert_int_eq(changes[0].status, STATUS_OK);
    ck_assert_int_eq(changes[1].status, STATUS_CHANGED);
    ck_assert_int_eq(changes[2].status, STATUS_CHANGED);
    ck_assert_int_eq(changes[3].status, STATUS_OK);
    ck_assert_str_eq(states(), "CONFIRMADA holds,CONFIRMADA holds,REGISTRADA,CONFIRMADA holds");
}
END_TEST

/* Two payments of one order, or one payment twice, also beside one that is refused: which is first is found out one
 * after the other. */
START_TEST(two_for_one_order_keep_all_from_being_confirmed) {
    prepare_changes();
    if (_i % 2 == 0) {
        new_transaction(.network_id = azul, .network_transaction = "'rival'",
                        .order_id = database_number("SELECT id FROM orders WHERE reference = '1'"));
        changes[3].name.transaction = TEXT("rival");
    } else {
        changes[3].name = changes[0].name;
    }
    if (_i / 2 == 1) {
        changes[1].name.transaction = TEXT("T-unknown");
    }
    uint64_t events = database_number("SELECT COUNT(*) FROM event_log");
    ck_assert_int_eq(confirm_all_of_them(), STATUS_AGAIN);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM transactions WHERE state <> 'REGISTRADA'"), 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM event_log"), events);
    ck_assert_int_eq(transactions_confirm(worker, &changes[0].name), STATUS_OK);
    ck_assert_int_eq(transactions_confirm(worker, &changes[3].name), STATUS_CHANGED);
}
END_TEST

/* Three payments and one order are as many rows as two payments and their two orders. Nor does it help whoever calls
 * the function to name one place for two payments, or a place that does not exist. */
START_TEST(no_number_of_rows_hides_two_for_one_order) {
    static const char *const GROUPS[] = {
        "[0,N,\"a\",\"x\"],[1,N,\"a\",\"x\"],[2,N,\"b\",\"x\"],[3,N,\"c\",\"x\"]",
        "[0,N,\"a\",\"x\"],[1,N,\"b\",\"x\"],[1,N,\"c\",\"x\"]",
        "[0,N,\"a\",\"x\"],[1,N,\"b\",\"x\"],[64,N,\"c\",\"x\"]",
    };
    prepare_changes();
    uint64_t order = database_number("SELECT id FROM orders WHERE reference = '1'");
    new_transaction(.network_id = azul, .network_transaction = "'a'", .order_id = order);
    new_transaction(.network_id = azul, .network_transaction = "'b'", .order_id = order);
    new_transaction(.network_id = azul, .network_transaction = "'c'", .order_id = order);
    ck_assert_int_ne(
        mysql_query(
            worker->mysql,
            arena_print(arena, "SET @confirmed = payments_confirm(REPLACE('[%s]', 'N', %" PRIu64 "))", GROUPS[_i], azul)
                .at),
        0);
    ck_assert_uint_eq(mysql_errno(worker->mysql), ER_LOCK_DEADLOCK);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM transactions WHERE state <> 'REGISTRADA'"), 0);
}
END_TEST

/* Three payments of one order, one of another, and one that nobody has registered. */
static const char *const PAYMENTS[] = {"a", "b", "c", "d", "unknown"};
enum { OF_FIRST_ORDER = 3, REGISTERED = 4 };

/* Takes the group of this number, whose digits are its payments. Returns how many there are to be confirmed, or 0: two
 * of them are for one order. */
static uint64_t take_group(size_t number, size_t count) {
    uint64_t of_order[2] = {0}, registered = 0;
    for (size_t i = 0; i < count; i++, number /= COUNT_OF(PAYMENTS)) {
        size_t payment = number % COUNT_OF(PAYMENTS);
        changes[i] = (struct transaction_change){{azul, text_of(PAYMENTS[payment]), TEXT("x")}, STATUS_FAULT};
        of_order[payment >= OF_FIRST_ORDER] += payment < REGISTERED;
        registered += payment < REGISTERED;
    }
    return of_order[0] > 1 || of_order[1] > 1 ? 0 : registered;
}

#define WRITTEN                                                                                                        \
    "SELECT CONCAT_WS(' ', (SELECT COUNT(*) FROM transactions WHERE state <> 'REGISTRADA'), COUNT(*)) FROM orders o"   \
    " JOIN transactions t ON t.id = o.held_by WHERE t.order_id = o.id AND t.state = 'CONFIRMADA'"                      \
    " AND t.order_version = o.version"

/* Confirms the first of CHANGES and takes it back. Returns how many were confirmed, each with its order; fails the test
 * where the rows and the statuses differ. */
static uint64_t try_group(size_t count, enum status *status) {
    uint64_t told = 0;
    ck_assert_uint_eq(database_error(owner->mysql, "START TRANSACTION"), 0);
    *status = transactions_confirm_shared(owner, CHANGES, count, arena);
    for (size_t i = 0; i < count; i++) {
        told += *status == STATUS_OK && changes[i].status == STATUS_OK;
    }
    database_send(owner->mysql, WRITTEN);
    const char *written = database_answer(owner->mysql, WRITTEN);
    ck_assert_str_eq(written, arena_print(arena, "%" PRIu64 " %" PRIu64, told, told).at);
    ck_assert_uint_eq(database_error(owner->mysql, "ROLLBACK"), 0);
    return told;
}

/* Every group of up to four: all that may be confirmed is confirmed and holds its order, or nothing is written. */
START_TEST(every_group_is_confirmed_or_falls_apart) {
    prepare_registrations();
    for (size_t payment = 0; payment < REGISTERED; payment++) {
        const char *order = payment < OF_FIRST_ORDER ? "1" : "2";
        new_transaction(.network_id = azul, .network_transaction = arena_print(arena, "'%s'", PAYMENTS[payment]).at,
                        .order_id = database_number("SELECT id FROM orders WHERE reference = '%s'", order));
    }
    for (size_t count = 1, groups = COUNT_OF(PAYMENTS); count <= SEVERAL; count++, groups *= COUNT_OF(PAYMENTS)) {
        for (size_t number = 0; number < groups; number++) {
            enum status status;
            uint64_t wanted = take_group(number, count), done = try_group(count, &status);
            bool is_whole = wanted > 0 || number + 1 == groups; /* the last one has nothing but unknown ones */
            ck_assert_msg(done == wanted && status == (is_whole ? STATUS_OK : STATUS_AGAIN),
                          "group %zu of %zu payments: %d, %" PRIu64, number, count, status, done);
        }
    }
}
END_TEST

START_TEST(no_change_waits_for_a_lock) {
    prepare_changes();
    MYSQL *holder = lock_order("3");
    ck_assert_int_eq(confirm_all_of_them(), STATUS_AGAIN);
    ck_assert_str_eq(states(), "REGISTRADA,REGISTRADA,REGISTRADA,REGISTRADA");
    end_lock(holder);
    ck_assert_int_eq(confirm_all_of_them(), STATUS_OK);
    ck_assert_str_eq(states(), "CONFIRMADA holds,CONFIRMADA holds,CONFIRMADA holds,CONFIRMADA holds");
}
END_TEST

/* A network's limit takes two of COP 45,000, and the third is one too many: nothing at all is confirmed. */
START_TEST(what_exceeds_a_limit_keeps_all_from_being_confirmed) {
    struct connection *operator= database_connect(OPERATOR);
    const struct money_limit_change limit = {azul,          TEXT("COP"), TEXT("1000000"),
                                             TEXT("45000"), 0,           TEXT("operator:eva")};
    struct money_limit_change change = limit;
    uint64_t approval;
    prepare_changes();
    change.seen = database_number("SELECT history_end('network', %" PRIu64 ")", azul);
    ck_assert_int_eq(money_limits_set(operator, & change, &approval), STATUS_OK);
    ck_assert_int_eq(confirm_all_of_them(), STATUS_LIMIT);
    ck_assert_str_eq(states(), "REGISTRADA,REGISTRADA,REGISTRADA,REGISTRADA");
    ck_assert_int_eq(transactions_confirm_shared(worker, CHANGES, SEVERAL - 1, arena), STATUS_OK);
    ck_assert_str_eq(states(), "CONFIRMADA holds,CONFIRMADA holds,CONFIRMADA holds,REGISTRADA");
    ck_assert_uint_eq(
        database_number("SELECT SUM(outstanding_room) = 0 FROM network_rooms WHERE network_id = %" PRIu64, azul), 1);
    connection_close(operator);
}
END_TEST

TCase *shared_changes_tests(void) {
    TCase *tests = database_case("shared_changes");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, SECONDS_FOR_A_TEST);
    tcase_add_test(tests, each_registration_is_stored_as_it_was_sent);
    tcase_add_test(tests, no_text_is_cut_on_its_way);
    tcase_add_test(tests, what_a_rule_refuses_keeps_no_other_from_being_stored);
    tcase_add_test(tests, one_that_exists_keeps_no_other_from_being_stored);
    tcase_add_test(tests, two_that_are_the_same_keep_all_from_being_stored);
    tcase_add_loop_test(tests, a_refused_one_is_not_taken_for_another_of_its_id, 0, 2);
    tcase_add_test(tests, no_registration_waits_for_a_lock);
    tcase_add_test(tests, each_is_confirmed_and_has_its_event);
    tcase_add_test(tests, each_change_has_its_own_status);
    tcase_add_loop_test(tests, two_for_one_order_keep_all_from_being_confirmed, 0, 4);
    tcase_add_loop_test(tests, no_number_of_rows_hides_two_for_one_order, 0, 3);
    tcase_add_test(tests, every_group_is_confirmed_or_falls_apart);
    tcase_add_test(tests, no_change_waits_for_a_lock);
    tcase_add_test(tests, what_exceeds_a_limit_keeps_all_from_being_confirmed);
    return tests;
}
