#include "store.h"

#include <inttypes.h>

/* What the purge functions of the database remove from the rows given to them. Whoever calls, nothing of today is
 * removed, and nothing that is still needed. Each row is tried alone. */

#define A_DAY_AGO "UTC_TIMESTAMP(6) - INTERVAL 1 DAY - INTERVAL 1 MINUTE"
#define TODAY     "UTC_TIMESTAMP(6) - INTERVAL 1 DAY + INTERVAL 1 HOUR"

static void set_up(void) {
    database_run("TRUNCATE external_queries; TRUNCATE attempts; TRUNCATE approvals");
}

/* The function's result for the row, and whether the view offers it. */
static uint64_t purged(const char *call, uint64_t id, const char *rest) {
    return database_number("SELECT %s('[%" PRIu64 "]', %s)", call, id, rest);
}

static bool is_offered(const char *view, uint64_t id) {
    return database_number("SELECT may_go AND done_at < UTC_TIMESTAMP(6) - INTERVAL 1 DAY FROM %s WHERE id = %" PRIu64,
                           view, id) == 1;
}

static void add_notice(uint64_t order, const char *state, const char *settled_at) {
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = 1, status = 'approved',"
                 " state = '%s', amount = 5, payment_means = '', settled_at = %s",
                 order, state, settled_at);
}

static const struct {
    const char *state, *settled_at;
    bool goes;
} ATTEMPTS[] = {
    {"delivered", A_DAY_AGO, true}, {"exhausted", A_DAY_AGO, true},    {"delivered", TODAY, false},
    {"exhausted", TODAY, false},    {"pending", A_DAY_AGO, false},     {"waiting", A_DAY_AGO, false},
    {"pending", "NULL", false},     {"unaddressed", A_DAY_AGO, false},
};

static uint64_t attempts_of(uint64_t note) {
    return database_number("SELECT COUNT(*) FROM attempts WHERE notification_id = %" PRIu64, note);
}

START_TEST(attempts_stay_for_a_day) {
    add_notice(new_order(.state = "'VENCIDA'"), ATTEMPTS[_i].state, ATTEMPTS[_i].settled_at);
    uint64_t note = database_number("SELECT LAST_INSERT_ID()");
    database_run(
        "INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, address, reason,"
        " late, reply, lease) SELECT %" PRIu64 ", seq, 1, " NOW ", 5, '', 'timeout', FALSE, '',"
        " CONCAT(REPEAT('l', 15), seq) FROM seq_1_to_3",
        note);
    uint64_t first = database_number("SELECT MIN(id) FROM attempts");
    ck_assert_int_eq(is_offered("attempts_to_purge", first), ATTEMPTS[_i].goes);
    uint64_t count =
        database_number("SELECT attempts_purge('[%" PRIu64 ",%" PRIu64 "]', 'old', 'eva')", first, first + 1);
    ck_assert_uint_eq(count, ATTEMPTS[_i].goes ? 2 : 0);
    ck_assert_uint_eq(attempts_of(note), ATTEMPTS[_i].goes ? 1 : 3);
    ck_assert_str_eq(database_text("SELECT COALESCE(GROUP_CONCAT(CONCAT_WS(' ', what, actor, reason)), '')"
                                   " FROM event_log WHERE subject = 'notification' AND what = 'purged'"
                                   " AND subject_id = %" PRIu64,
                                   note),
                     ATTEMPTS[_i].goes ? "purged eva old" : "");
}
END_TEST

START_TEST(queries_stay_for_a_day) {
    uint64_t merchant = new_merchant(.name = "'shop'");
    database_run(
        "INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us,"
        " outcome) SELECT IF(seq <= 3, " A_DAY_AGO ", " TODAY "), %" PRIu64 ", 1, 1, seq, 5, 'answered'"
        " FROM seq_1_to_4",
        merchant);
    ck_assert(is_offered("queries_to_purge", 1) && !is_offered("queries_to_purge", 4));
    ck_assert_uint_eq(database_number("SELECT queries_purge('[4]', 'old', 'eva')"), 0);
    ck_assert_uint_eq(database_number("SELECT queries_purge('[1, 3, 4]', 'old', 'eva')"), 2);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(id) FROM external_queries"), "2,4");
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', what, actor, reason)) FROM event_log"
                                   " WHERE subject = 'merchant' AND what = 'purged' AND subject_id = %" PRIu64,
                                   merchant),
                     "purged eva old");
}
END_TEST

#define NO_NAMES "given_names = NULL, surname1 = NULL, surname2 = NULL"

/* A payment of an order in that state, with a notification in that state; order NULL: a top-up of an account, without a
 * notification. */
static const struct {
    const char *state, *when, *order, *told, *names;
    bool goes;
} PAYMENTS[] = {
    {"FINALIZADA", A_DAY_AGO, "APROBADA", "delivered", "given_names = 'A'", true},
    {"FINALIZADA", A_DAY_AGO, "APROBADA", "delivered", "surname1 = 'A'", true},
    {"FINALIZADA", A_DAY_AGO, "APROBADA", "delivered", "surname2 = 'A'", true},
    {"FINALIZADA", A_DAY_AGO, "APROBADA", "delivered", NO_NAMES, false},
    {"FINALIZADA", TODAY, "APROBADA", "delivered", "surname2 = 'A'", false},
    {"FINALIZADA", A_DAY_AGO, "APROBADA", "exhausted", "surname2 = 'A'", false},
    {"FINALIZADA", A_DAY_AGO, "APROBADA", "unaddressed", "surname2 = 'A'", false},
    {"FINALIZADA", A_DAY_AGO, "PENDIENTE", NULL, "surname2 = 'A'", false},
    {"CONFIRMADA", A_DAY_AGO, "CANCELADA", NULL, "surname2 = 'A'", false},
    {"CANCELADA", A_DAY_AGO, "CANCELADA", NULL, "surname2 = 'A'", true},
    {"CANCELADA", TODAY, "CANCELADA", NULL, "surname2 = 'A'", false},
    {"REGISTRADA", A_DAY_AGO, "VENCIDA", NULL, "surname2 = 'A'", true},
    {"REGISTRADA", TODAY, "VENCIDA", NULL, "surname2 = 'A'", false},
    {"FINALIZADA", A_DAY_AGO, NULL, NULL, NO_NAMES, true},
    {"FINALIZADA", A_DAY_AGO, NULL, NULL, NO_NAMES ", description = ''", false},
    {"REGISTRADA", A_DAY_AGO, NULL, NULL, "given_names = 'A', description = ''", true},
    {"CONFIRMADA", A_DAY_AGO, NULL, NULL, "given_names = 'A'", false},
};

static uint64_t payment_with_names(size_t i) {
    bool registered = strcmp(PAYMENTS[i].state, "REGISTRADA") == 0,
         cancelled = strcmp(PAYMENTS[i].state, "CANCELADA") == 0;
    uint64_t order = 0, account = 0;
    if (PAYMENTS[i].order == NULL) {
        account = sample_account("D1");
    } else {
        bool paid = strcmp(PAYMENTS[i].order, "APROBADA") == 0;
        order = new_order(.state = arena_print(arena, "'%s'", PAYMENTS[i].order).at, .paid_by = paid ? "5" : NULL);
    }
    if (PAYMENTS[i].told != NULL) {
        add_notice(order, "delivered", A_DAY_AGO);
        database_run("UPDATE notifications SET state = '%s'", PAYMENTS[i].told);
    }
    database_run("SET timestamp = UNIX_TIMESTAMP(%s)", registered ? PAYMENTS[i].when : NOW);
    uint64_t id = new_transaction(.order_id = order, .account_id = account,
                                  .state = arena_print(arena, "'%s'", PAYMENTS[i].state).at,
                                  .window_ends_at = registered || cancelled ? NULL : PAYMENTS[i].when);
    database_run("SET timestamp = DEFAULT; UPDATE transactions SET %s", PAYMENTS[i].names);
    database_run("UPDATE transactions SET cancelled_at = IF(cancelled_at IS NULL, NULL, %s)", PAYMENTS[i].when);
    return id;
}

START_TEST(names_in_payments_stay_for_a_day) {
    uint64_t id = payment_with_names((size_t)_i);
    const char *rest = "SELECT CONCAT_WS(' ', state, given_names, surname1, surname2, description, changed_by)"
                       " FROM transactions";
    const char *before = database_text("%s", rest);
    ck_assert_int_eq(is_offered("transactions_to_purge", id), PAYMENTS[_i].goes);
    ck_assert_uint_eq(purged("transactions_purge", id, "'eva'"), PAYMENTS[_i].goes ? 1 : 0);
    const char *after = PAYMENTS[_i].order == NULL ? " eva" : "Zapatos eva";
    ck_assert_str_eq(database_text("%s", rest),
                     PAYMENTS[_i].goes ? arena_print(arena, "%s %s", PAYMENTS[_i].state, after).at : before);
}
END_TEST

static const struct {
    const char *state, *when, *told, *data;
    bool goes;
} ORDERS[] = {
    {"APROBADA", A_DAY_AGO, "delivered", "email = 'A'", true},
    {"VENCIDA", A_DAY_AGO, NULL, "document = 'A'", true},
    {"CANCELADA", A_DAY_AGO, NULL, "document_type = 'A'", true},
    {"VENCIDA", A_DAY_AGO, NULL, "customer_name = 'A'", true},
    {"VENCIDA", A_DAY_AGO, NULL, "description = 'A'", false},
    {"VENCIDA", TODAY, NULL, "email = 'A'", false},
    {"PENDIENTE", A_DAY_AGO, NULL, "email = 'A'", false},
    {"APROBADA", A_DAY_AGO, "exhausted", "email = 'A'", false},
    {"APROBADA", A_DAY_AGO, "unaddressed", "email = 'A'", false},
};

START_TEST(data_of_orders_stays_for_a_day) {
    bool paid = strcmp(ORDERS[_i].state, "APROBADA") == 0;
    uint64_t id = new_order(.state = arena_print(arena, "'%s'", ORDERS[_i].state).at, .paid_by = paid ? "5" : NULL);
    if (ORDERS[_i].told != NULL) {
        add_notice(id, ORDERS[_i].told, NOW);
    }
    database_run("SET timestamp = UNIX_TIMESTAMP(%s); UPDATE orders SET %s; SET timestamp = DEFAULT", ORDERS[_i].when,
                 ORDERS[_i].data);
    ck_assert_int_eq(is_offered("orders_to_purge", id), ORDERS[_i].goes);
    ck_assert_uint_eq(purged("orders_purge", id, "'eva'"), ORDERS[_i].goes ? 1 : 0);
    ck_assert_uint_eq(
        database_number("SELECT COALESCE(email, document, document_type, customer_name) IS NULL FROM orders"),
        ORDERS[_i].goes || strstr(ORDERS[_i].data, "description") != NULL ? 1 : 0);
    ck_assert_str_eq(database_text("SELECT changed_by FROM orders"), ORDERS[_i].goes ? "eva" : "test");
}
END_TEST

static const struct {
    const char *kind, *state, *expires_at;
    bool of_another, goes;
} CLAIMS[] = {
    {"claim", "waiting", NOW " + INTERVAL 1 MINUTE", false, false},
    {"claim", "waiting", NOW " + INTERVAL 1 MINUTE", true, true},
    {"claim", "waiting", NOW, false, true},
    {"claim", "refused", NOW " + INTERVAL 1 MINUTE", false, true},
    {"notify_url", "waiting", NOW " + INTERVAL 1 MINUTE", false, true},
};

/* A claim of an order that has changed would be stale. */
START_TEST(data_of_orders_stays_while_a_claim_waits) {
    bool waits = strcmp(CLAIMS[_i].state, "waiting") == 0, is_claim = strcmp(CLAIMS[_i].kind, "claim") == 0;
    uint64_t id = new_order(.state = "'APROBADA'", .paid_by = "5");
    uint64_t payment = new_transaction(.order_id = id, .state = "'FINALIZADA'", .window_ends_at = A_DAY_AGO);
    database_run("SET timestamp = UNIX_TIMESTAMP(" A_DAY_AGO "); UPDATE orders SET email = 'A';"
                 " SET timestamp = DEFAULT; UPDATE transactions SET given_names = 'A'");
    database_run("INSERT INTO approvals SET kind = '%s', subject_id = %" PRIu64 ", seen = '2', amount = %s,"
                 " currency = %s, changes = %s, reason = '', asked_by = 'operator:eva', expires_at = %s, state = '%s',"
                 " answered_by = %s, answered_at = %s",
                 CLAIMS[_i].kind, id + CLAIMS[_i].of_another, is_claim ? "5" : "NULL", is_claim ? "'COP'" : "NULL",
                 is_claim ? "NULL" : "'{}'", CLAIMS[_i].expires_at, CLAIMS[_i].state, waits ? "NULL" : "'operator:ivo'",
                 waits ? "NULL" : NOW);
    ck_assert_int_eq(is_offered("transactions_to_purge", payment), CLAIMS[_i].goes);
    ck_assert_uint_eq(purged("transactions_purge", payment, "'eva'"), CLAIMS[_i].goes ? 1 : 0);
    ck_assert_int_eq(is_offered("orders_to_purge", id), CLAIMS[_i].goes);
    ck_assert_uint_eq(purged("orders_purge", id, "'eva'"), CLAIMS[_i].goes ? 1 : 0);
}
END_TEST

TCase *purgeable_tests(void) {
    TCase *tests = database_case("purgeable");
    tcase_add_checked_fixture(tests, set_up, NULL);
    add_table_test(tests, attempts_stay_for_a_day, ATTEMPTS);
    tcase_add_test(tests, queries_stay_for_a_day);
    add_table_test(tests, names_in_payments_stay_for_a_day, PAYMENTS);
    add_table_test(tests, data_of_orders_stays_for_a_day, ORDERS);
    add_table_test(tests, data_of_orders_stays_while_a_claim_waits, CLAIMS);
    return tests;
}
