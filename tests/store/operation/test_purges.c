#include "store.h"

#include "store/operation/purges.h"

#include <inttypes.h>

#define LONG_AGO "UTC_TIMESTAMP(6) - INTERVAL 100 DAY"
#define RECENTLY "UTC_TIMESTAMP(6) - INTERVAL 10 DAY"

static struct connection *by_operator;
static struct arena *scratch;

static void set_up(void) {
    by_operator = database_connect(OPERATOR);
    scratch = arena_create();
    database_run("TRUNCATE external_queries; TRUNCATE attempts");
}

static void tear_down(void) {
    arena_destroy(scratch);
    connection_close(by_operator);
}

/* Purges rows older than 30 days. */
static uint64_t purge(enum purge_kind kind, bool dry_run) {
    uint64_t count = 77;
    struct purge purge = {
        .kind = kind, .dry_run = dry_run, .actor = TEXT("operator:ana"), .reason = TEXT("older than 30d")};
    purge.before = database_instant(NOW " - INTERVAL 30 DAY");
    ck_assert_int_eq(purges_run(by_operator, scratch, &purge, &count), STATUS_OK);
    return count;
}

/* Triggers stamp every change. To make a row old, change it with the session's clock set back. */
static void at_the_time(const char *moment) {
    database_run("SET timestamp = UNIX_TIMESTAMP(%s)", moment);
}

static void now(void) {
    database_run("SET timestamp = DEFAULT");
}

static uint64_t order_with_data(const char *state, const char *moment) {
    static unsigned number;
    at_the_time(moment);
    uint64_t id = new_order(.state = state, .reference = arena_print(arena, "%u", ++number).at,
                            .paid_by = strstr(state, "A") == state + 1 ? "5" : NULL);
    database_run("UPDATE orders SET customer_name = 'Ana', document = '123', document_type = 'CC', email = 'a@b.co'"
                 " WHERE id = %" PRIu64,
                 id);
    now();
    return id;
}

static void notify(uint64_t order, const char *state) {
    database_run("INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, settled_at)"
                 " VALUES (%" PRIu64 ", 1, 'approved', '%s', 5, '', " LONG_AGO ")",
                 order, state);
}

static const struct {
    const char *state, *moment, *notified;
    bool goes;
} ORDERS[] = {
    {"'APROBADA'", LONG_AGO, "delivered", true},  {"'ANULADA'", LONG_AGO, "delivered", true},
    {"'VENCIDA'", LONG_AGO, "delivered", true},   {"'CANCELADA'", LONG_AGO, NULL, true},
    {"'APROBADA'", RECENTLY, "delivered", false}, {"'PENDIENTE'", LONG_AGO, NULL, false},
    {"'APROBADA'", LONG_AGO, "pending", false},   {"'APROBADA'", LONG_AGO, "waiting", false},
    {"'APROBADA'", LONG_AGO, "exhausted", false}, {"'APROBADA'", LONG_AGO, "unaddressed", false},
};

START_TEST(personal_data_of_orders_goes_when_all_is_done) {
    uint64_t id = order_with_data(ORDERS[_i].state, ORDERS[_i].moment);
    if (ORDERS[_i].notified != NULL) {
        notify(id, ORDERS[_i].notified);
    }
    const char *rest =
        "SELECT CONCAT_WS(' ', merchant_id, po_id, reference, state, amount, description, paid_by) FROM orders";
    const char *before = database_text("%s", rest);
    ck_assert_uint_eq(purge(PURGE_ORDERS, true), ORDERS[_i].goes ? 1 : 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders WHERE customer_name = 'Ana'"), 1);
    ck_assert_uint_eq(purge(PURGE_ORDERS, false), ORDERS[_i].goes ? 1 : 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders WHERE customer_name IS NULL AND document IS NULL"
                                      " AND document_type IS NULL AND email IS NULL"),
                      ORDERS[_i].goes ? 1 : 0);
    ck_assert_str_eq(database_text("%s", rest), before);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM events WHERE subject = 'order' AND subject_id = %" PRIu64
                                      " AND what = 'purged' AND actor = 'operator:ana'",
                                      id),
                      ORDERS[_i].goes ? 1 : 0);
    ck_assert_uint_eq(purge(PURGE_ORDERS, false), 0);
}
END_TEST

static const struct {
    const char *state, *window_ends_at, *order_state, *notified; /* order_state NULL: a top-up */
    bool goes;
} TRANSACTIONS[] = {
    {"'FINALIZADA'", LONG_AGO, "'APROBADA'", "delivered", true},
    {"'FINALIZADA'", LONG_AGO, NULL, NULL, true},
    {"'CANCELADA'", LONG_AGO, "'CANCELADA'", NULL, true},
    {"'CANCELADA'", LONG_AGO, "'PENDIENTE'", NULL, false},
    {"'FINALIZADA'", RECENTLY, "'APROBADA'", "delivered", false},
    {"'FINALIZADA'", LONG_AGO, "'APROBADA'", "exhausted", false},
    {"'CONFIRMADA'", LONG_AGO, "'PENDIENTE'", NULL, false},
    {"'REGISTRADA'", NULL, "'VENCIDA'", "delivered", false},
};

START_TEST(names_in_transactions_go_when_all_is_done) {
    uint64_t order = 0, account = 0;
    if (TRANSACTIONS[_i].order_state != NULL) {
        order = order_with_data(TRANSACTIONS[_i].order_state, LONG_AGO);
    } else {
        account = sample_account("D1");
    }
    if (TRANSACTIONS[_i].notified != NULL) {
        notify(order, TRANSACTIONS[_i].notified);
    }
    uint64_t id = new_transaction(.order_id = order, .account_id = account, .state = TRANSACTIONS[_i].state,
                                  .window_ends_at = TRANSACTIONS[_i].window_ends_at);
    database_run("UPDATE transactions SET given_names = 'Ana', surname1 = 'Paz', description = 'Ana Paz',"
                 " cancelled_at = IF(cancelled_at IS NULL, NULL, " LONG_AGO ")");
    ck_assert_uint_eq(purge(PURGE_TRANSACTIONS, true), TRANSACTIONS[_i].goes ? 1 : 0);
    ck_assert_uint_eq(purge(PURGE_TRANSACTIONS, false), TRANSACTIONS[_i].goes ? 1 : 0);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS('/', given_names, surname1, surname2, description) FROM transactions"),
        !TRANSACTIONS[_i].goes ? "Ana/Paz/Ana Paz" : (order == 0 ? "" : "Ana Paz"));
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM events WHERE subject = 'transaction' AND what = 'purged'"
                                      " AND actor = 'operator:ana' AND subject_id = %" PRIu64,
                                      id),
                      TRANSACTIONS[_i].goes ? 1 : 0);
    ck_assert_uint_eq(purge(PURGE_TRANSACTIONS, false), 0);
}
END_TEST

/* The registration was never confirmed. It can no longer be, or it is a top-up, which needs no name. */
static const struct {
    const char *moment, *order_state; /* order_state NULL: a top-up */
    bool goes;
} ABANDONED[] = {
    {LONG_AGO, "'VENCIDA'", true},
    {LONG_AGO, NULL, true},
    {LONG_AGO, "'PENDIENTE'", false},
    {RECENTLY, "'VENCIDA'", false},
};

START_TEST(names_in_abandoned_registrations_go) {
    bool of_order = ABANDONED[_i].order_state != NULL;
    uint64_t order = of_order ? order_with_data(ABANDONED[_i].order_state, LONG_AGO) : 0;
    uint64_t account = of_order ? 0 : sample_account("D2");
    at_the_time(ABANDONED[_i].moment);
    new_transaction(.order_id = order, .account_id = account, .state = "'REGISTRADA'");
    now();
    database_run("UPDATE transactions SET given_names = 'Ana', surname1 = 'Paz'");
    ck_assert_uint_eq(purge(PURGE_TRANSACTIONS, false), ABANDONED[_i].goes ? 1 : 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM transactions WHERE given_names = 'Ana'"),
                      ABANDONED[_i].goes ? 0 : 1);
    ck_assert_uint_eq(purge(PURGE_TRANSACTIONS, false), 0);
}
END_TEST

static uint64_t attempt(const char *state, const char *settled_at) {
    database_run("INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, settled_at)"
                 " VALUES (%" PRIu64 ", 1, 'approved', '%s', 5, '', %s)",
                 order_with_data("'VENCIDA'", LONG_AGO), state, settled_at);
    uint64_t id = database_number("SELECT LAST_INSERT_ID()");
    database_run(
        "INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, address, reason,"
        " late, reply, lease) VALUES (%" PRIu64 ", 1, 1, " LONG_AGO ", 5, '', 'timeout', FALSE, '', REPEAT('l', 16))",
        id);
    return id;
}

START_TEST(attempts_go_when_their_notification_has_finished) {
    uint64_t delivered = attempt("delivered", LONG_AGO), exhausted = attempt("exhausted", LONG_AGO);
    attempt("pending", "NULL");
    attempt("waiting", "NULL");
    attempt("delivered", RECENTLY);
    ck_assert_uint_eq(purge(PURGE_ATTEMPTS, true), 2);
    ck_assert_uint_eq(purge(PURGE_ATTEMPTS, false), 2);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM attempts"), 3);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM attempts WHERE notification_id IN (%" PRIu64 ", %" PRIu64
                                      ")",
                                      delivered, exhausted),
                      0);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', what, actor, reason) ORDER BY id) FROM events"
                                   " WHERE subject = 'notification' AND subject_id IN (%" PRIu64 ", %" PRIu64 ")"
                                   " AND what = 'purged'",
                                   delivered, exhausted),
                     "purged operator:ana older than 30d,purged operator:ana older than 30d");
}
END_TEST

START_TEST(more_rows_than_a_batch) {
    database_run(
        "INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us,"
        " outcome) SELECT IF(seq <= 2500, " LONG_AGO ", " RECENTLY "), seq %% 3, 1, 1, seq, 5, 'answered'"
        " FROM seq_1_to_2600");
    ck_assert_uint_eq(purge(PURGE_QUERIES, true), 2500);
    ck_assert_uint_eq(purge(PURGE_QUERIES, false), 2500);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM external_queries"), 100);
    ck_assert_uint_eq(purge(PURGE_QUERIES, false), 0);
}
END_TEST

/* Most old rows may not be purged; the search continues after them. */
START_TEST(what_may_not_go_stops_nothing) {
    uint64_t merchant = new_merchant(.name = "'shop'");
    database_run(
        "INSERT INTO orders (merchant_id, po_id, reference, state, amount, currency, origin, due_at, customer_name,"
        " changed_by, created_at, changed_at) SELECT %" PRIu64 ", seq, seq,"
        " IF(seq %% 500 = 0, 'CANCELADA', 'PENDIENTE'), 5, 'COP', 'imported', " IN_AN_HOUR ", 'Ana', 'test'," LONG_AGO
        ", " LONG_AGO " FROM seq_1_to_3000",
        merchant);
    ck_assert_uint_eq(purge(PURGE_ORDERS, false), 6);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM orders WHERE customer_name = 'Ana'"), 2994);
}
END_TEST

/* Each statement looks at the rows after the last one, and takes what was done before the instant. */
START_TEST(what_was_done_at_the_instant_stays) {
    struct purge purge = {.kind = PURGE_QUERIES};
    struct purge_batch batch = {.last_id = 1};
    database_run(
        "INSERT INTO external_queries (id, asked_at, merchant_id, integration_id, network_id, reference, duration_us,"
        " outcome) SELECT seq, TIMESTAMP'2026-01-02 00:00:00' + INTERVAL CAST(seq AS INT) - 4 MICROSECOND, 1, 1,"
        " 1, seq, 5, 'answered' FROM seq_1_to_5");
    purge.before = database_instant("'2026-01-02'");
    ck_assert_int_eq(purges_find(by_operator, arena, &purge, &batch), STATUS_OK);
    assert_text(batch.ids, "[2,3]");
    ck_assert(batch.count == 2 && batch.last_id == 5 && batch.is_last);
}
END_TEST

TCase *purges_tests(void) {
    TCase *tests = database_case("purges");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, personal_data_of_orders_goes_when_all_is_done, ORDERS);
    add_table_test(tests, names_in_transactions_go_when_all_is_done, TRANSACTIONS);
    add_table_test(tests, names_in_abandoned_registrations_go, ABANDONED);
    tcase_add_test(tests, attempts_go_when_their_notification_has_finished);
    tcase_add_test(tests, more_rows_than_a_batch);
    tcase_add_test(tests, what_may_not_go_stops_nothing);
    tcase_add_test(tests, what_was_done_at_the_instant_stays);
    return tests;
}
