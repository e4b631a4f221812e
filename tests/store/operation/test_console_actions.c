#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* Actions of users of the console, with the console's account. test_rights.c tries users who may not. */

static MYSQL *console;

struct action {
    const char *before, *statement;
    const char *returns; /* NULL: 1 + the number of the newest approval */
    const char *told;    /* the events it writes: change, old and new state, actor and reason */
};

#define DO(call) "SET @done = console_" call
#define ENABLE(kind, wish)                                                                                             \
    DO("enable(@boss, '" kind "', @" kind ", " wish ", history_end('" kind "', @" kind "), 'why')")
#define LIMITS(day, sum)                                                                                               \
    DO("limit_set(@boss, @network, 'COP', " day ", " sum ", history_end('network', @network), 'why')")
#define RETRY(user, was, is)                                                                                           \
    DO("retry(@" user ", CONCAT('[{\"id\":', @note, ',\"was\":\"" was "\",\"becomes\":\"" is "\"}]'),"                 \
       " CONCAT('[{\"id\":', @note, ',\"was\":\"" was "\",\"becomes\":\"" is "\"}]'), 'why')")
#define TEST(user, seen) "SET @seen = " seen "; " DO("test(@" user ", @merchant, @seen, 'why')")
#define TESTED(ago, done)                                                                                              \
    "INSERT INTO endpoint_tests SET merchant_id = @merchant, asked_at = utc_now() - INTERVAL " ago                     \
    " SECOND, asked_by = 'x', currency = 'COP', done_at = " done
#define SEEN "(SELECT asked_at FROM endpoint_tests WHERE merchant_id = @merchant)"

static const struct action ACTIONS[] = {
    {NULL, ENABLE("merchant", "0"), "1", "merchant state enabled disabled console:boss why"},
    {"UPDATE merchants SET enabled = 0", ENABLE("merchant", "1"), "1",
     "merchant state disabled enabled console:boss why"},
    {"UPDATE merchants SET enabled = 0", ENABLE("merchant", "0"), "0", ""},
    {NULL, ENABLE("network", "0"), "1", "network state enabled disabled console:boss why"},
    {"UPDATE networks SET enabled = 0", ENABLE("network", "1"), "1", "network state disabled enabled console:boss why"},
    {NULL, ENABLE("network", "1"), "0", ""},
    {NULL, ENABLE("integration", "0"), "1", "integration state in force removed console:boss why"},
    {NULL, ENABLE("integration", "1"), "0", ""},
    {"UPDATE integrations SET removed_at = utc_now()", ENABLE("integration", "0"), "0", ""},
    {"UPDATE integrations SET removed_at = utc_now()", ENABLE("integration", "1"), "1",
     "integration created in force console:boss why"},
    {NULL, DO("limit_begin(@boss, @network, 'COP')"), "1", ""},
    {NULL, LIMITS("5", "6"), "0", ""},
    {"DO network_limit_begin(@network, 'COP')", LIMITS("5", "6"), "1",
     "network money limits console:boss COP: day 5.0000 (was none), outstanding 6.0000 (was none); why"},
    {"DO network_limit_begin(@network, 'COP'); INSERT INTO dual_changes SET kind = 'limits'", LIMITS("5", "6"), NULL,
     "approval created waiting console:boss why"},
    {NULL, RETRY("clerk", "exhausted", "pending"), "1",
     "notification state exhausted pending user:clerk; notification retried exhausted pending user:clerk why"},
    {NULL, RETRY("helper", "exhausted", "waiting"), "1",
     "notification state exhausted waiting console:helper; notification retried exhausted waiting console:helper why"},
    {NULL, RETRY("boss", "delivered", "pending"), "0", ""},
    {NULL, RETRY("boss", "exhausted", "delivered"), "0", ""},
    {NULL, RETRY("boss", "pending", "pending"), "0", ""},
    {"UPDATE notifications SET state = 'pending'", RETRY("boss", "exhausted", "pending"), "0", ""},
    {"UPDATE notifications SET state = 'waiting'", RETRY("boss", "waiting", "waiting"), "1",
     "notification retried waiting waiting console:boss why"},
    {NULL, DO("claim(@helper, @order_id, 'why')"), "1",
     "order state APROBADA ANULADA console:helper why; notification created pending console:helper"},
    {NULL, DO("claim(@boss, @order_id + 1, 'why')"), "0", ""},
    {"INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 1", DO("claim(@boss, @order_id, 'why')"),
     "2", "approval created waiting console:boss why"},
    {NULL, TEST("clerk", "NULL"), "1", "merchant tested user:clerk why"},
    {NULL, TEST("helper", "NULL"), "1", "merchant tested console:helper why"},
    {NULL, TEST("boss", NOW), "0", ""},
    {"UPDATE merchants SET notify_url = NULL", TEST("boss", "NULL"), "0", ""},
    {TESTED("61", "NULL"), TEST("boss", SEEN), "1", "merchant tested console:boss why"},
    {TESTED("50", "NULL"), TEST("boss", SEEN), "0", ""},
    {TESTED("11", "utc_now()"), TEST("boss", SEEN), "1", "merchant tested console:boss why"},
    {TESTED("5", "utc_now()"), TEST("boss", SEEN), "0", ""},
    {TESTED("-50", "utc_now()"), TEST("boss", SEEN), "0", ""},
    {TESTED("-70", "utc_now()"), TEST("boss", SEEN), "1", "merchant tested console:boss why"}, /* the clock was ahead */
    {TESTED("-70", "NULL"), TEST("boss", SEEN), "1", "merchant tested console:boss why"},
    {TESTED("61", "NULL"), TEST("boss", "NULL"), "0", ""},
    {TESTED("61", "NULL"), TEST("boss", SEEN " - INTERVAL 1 SECOND"), "0", ""},
    {TESTED("61", "NULL") "; UPDATE merchants SET notify_url = NULL", TEST("boss", SEEN), "0", ""},
};

static uint64_t user(const char *name, const char *role, uint64_t merchant) {
    database_run("INSERT INTO console_users SET name = '%s', role = '%s', merchant_id = NULLIF(%" PRIu64
                 ", 0), changed_by = 'test'",
                 name, role, merchant);
    return database_number("SELECT LAST_INSERT_ID()");
}

/* Inserts a paid order whose merchant could not be notified. */
static uint64_t paid_order(uint64_t merchant, const char *reference) {
    uint64_t order = new_order(.merchant_id = merchant, .reference = reference, .amount = "5");
    approve(order, confirmed_payment(order, "5", AN_HOUR_AGO));
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = %" PRIu64 ", status = 'approved',"
                 " state = 'exhausted', attempts = 9, settled_at = " NOW ", amount = 5, payment_means = 'x'",
                 order, merchant);
    return order;
}

static void set_up(void) {
    uint64_t merchant = new_merchant(.notify_url = "'http://a/'"), network = sample_network(NULL);
    uint64_t order = paid_order(merchant, "1"), note = database_number("SELECT MAX(id) FROM notifications");
    database_run("INSERT INTO integrations SET merchant_id = %" PRIu64
                 ", kind = 2, code = '77', endpoint = 'http://a/', currency = 'COP', changed_by = 'test'",
                 merchant);
    uint64_t integration = database_number("SELECT LAST_INSERT_ID()");
    const char *names =
        arena_print(arena,
                    "SET @merchant = %" PRIu64 ", @network = %" PRIu64 ", @order_id = %" PRIu64 ", @note = %" PRIu64
                    ", @integration = %" PRIu64 ", @boss = %" PRIu64 ", @helper = %" PRIu64 ", @clerk = %" PRIu64,
                    merchant, network, order, note, integration, user("boss", "operator", 0),
                    user("helper", "support", 0), user("clerk", "merchant", merchant))
            .at;
    database_run(
        "DELETE FROM endpoint_tests; DELETE FROM endpoints; DELETE FROM dual_control; DELETE FROM dual_changes");
    database_run("INSERT INTO endpoints SET merchant_id = %" PRIu64 ", failures = 3", merchant);
    database_run("%s", names);
    console = database_login(CONSOLE);
    ck_assert_uint_eq(database_error(console, "%s", names), 0);
}

static void tear_down(void) {
    mysql_close(console);
    database_run("TRUNCATE TABLE console_users"); /* no user can be deleted */
    database_run(
        "DELETE FROM endpoint_tests; DELETE FROM endpoints; DELETE FROM dual_control; DELETE FROM dual_changes");
}

/* Returns the value in the console's session. */
static const char *value_of(const char *expression) {
    ck_assert_int_eq(mysql_query(console, arena_print(arena, "SELECT COALESCE(%s, 'none')", expression).at), 0);
    MYSQL_RES *rows = mysql_store_result(console);
    const char *value = arena_copy(arena, text_of(mysql_fetch_row(rows)[0])).at;
    mysql_free_result(rows);
    return value;
}

START_TEST(does_what_it_says) {
    const struct action *action = &ACTIONS[_i];
    if (action->before != NULL) {
        database_run("%s", action->before);
    }
    uint64_t begin = database_number("SELECT COALESCE(MAX(id), 0) FROM event_log");
    unsigned error = database_error(console, "%s", action->statement);
    ck_assert_msg(error == 0, "%s: %s", action->statement, mysql_error(console));
    ck_assert_str_eq(value_of("@done"),
                     action->returns != NULL ? action->returns : database_text("SELECT 1 + MAX(id) FROM approvals"));
    const char *told =
        database_text("SELECT COALESCE(GROUP_CONCAT(CONCAT_WS(' ', subject, what, from_state, to_state, actor,"
                      " reason) ORDER BY id SEPARATOR '; '), '') FROM event_log WHERE id > %" PRIu64,
                      begin);
    ck_assert_msg(strcmp(told, action->told) == 0, "%s tells\n%s\nand not\n%s", action->statement, told, action->told);
}
END_TEST

START_TEST(retry_begins_anew_and_ends_the_rest) {
    ck_assert_uint_eq(database_error(console, RETRY("clerk", "exhausted", "pending")), 0);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', state, attempts, due_at <= " NOW ", settled_at,"
                                   " (SELECT COUNT(*) FROM endpoints)) FROM notifications"),
                     "pending 0 1 0");
}
END_TEST

/* Retrying a pending notification begins its schedule anew. */
START_TEST(retry_of_what_waits_begins_anew) {
    database_run("UPDATE notifications SET state = 'pending'");
    ck_assert_uint_eq(database_error(console, RETRY("clerk", "pending", "pending")), 0);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', state, attempts) FROM notifications"), "pending 0");
}
END_TEST

/* The merchant's user names his own notification and another merchant's; either may be the older one. */
START_TEST(retry_for_another_merchant_is_refused) {
    uint64_t other = new_merchant(.notify_url = "'http://b/'");
    (void)paid_order(other, "2");
    const char *both = arena_print(arena, "SET @both = CONCAT('[{\"id\":', @note, '},{\"id\":%" PRIu64 "}]')",
                                   database_number("SELECT MAX(id) FROM notifications"))
                           .at;
    uint64_t others_user = user("others", "merchant", other);
    ck_assert_uint_eq(database_error(console, "%s", both), 0);
    ck_assert_uint_eq(database_error(console, DO("retry(@clerk, '[]', @both, 'why')")), ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(database_error(console, DO("retry(%" PRIu64 ", '[]', @both, 'why')"), others_user),
                      ER_SIGNAL_EXCEPTION);
    ck_assert_uint_eq(database_error(console, DO("retry(@helper, '[]', @both, 'why')")), 0);
}
END_TEST

START_TEST(code_that_was_taken_is_refused) {
    database_run("UPDATE integrations SET removed_at = utc_now()");
    database_run("INSERT INTO integrations SET merchant_id = @merchant, kind = 2, code = '77', endpoint = 'http://b/',"
                 " currency = 'COP', changed_by = 'test'");
    ck_assert_uint_eq(database_error(console, ENABLE("integration", "1")), ER_DUP_ENTRY);
    ck_assert_str_eq(value_of("@recaudo_reason"), "none");
}
END_TEST

/* A change made after the user looked is not overwritten. */
START_TEST(what_changed_since_it_was_shown_stays) {
    static const struct {
        const char *kind, *change;
    } CHANGES[] = {{"merchant", "UPDATE merchants SET commerce = 'N'"},
                   {"network", "UPDATE networks SET rate_limit = 5, rate_burst = 5"},
                   {"integration", "UPDATE integrations SET endpoint = 'http://c/'"},
                   {"integration", "INSERT INTO integrations SET merchant_id = @merchant, kind = 2, code = '81',"
                                   " endpoint = 'http://b/', currency = 'COP', changed_by = 'test'"}};
    for (size_t i = 0; i < COUNT_OF(CHANGES); i++) {
        const char *kind = CHANGES[i].kind;
        ck_assert_uint_eq(database_error(console, "SET @seen = history_end('%s', @%s)", kind, kind), 0);
        database_run("%s", CHANGES[i].change);
        ck_assert_uint_eq(
            database_error(console, "SET @done = console_enable(@boss, '%s', @%s, 0, @seen, 'why')", kind, kind), 0);
        ck_assert_str_eq(value_of("@done"), "0");
    }
}
END_TEST

START_TEST(test_that_is_asked_for_again_begins_anew) {
    database_run(
        "INSERT INTO endpoint_tests SET merchant_id = @merchant, asked_at = utc_now() - INTERVAL 11 SECOND,"
        " asked_by = 'x', currency = 'COP', taken_at = utc_now(), done_at = utc_now(), duration_us = 1, url = 'x',"
        " address = 'x', http_status = 200, reason = 'x', reply = 'x'");
    ck_assert_uint_eq(database_error(console, TEST("clerk", SEEN)), 0);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', asked_at > " NOW " - INTERVAL 10 SECOND, asked_by,"
                      " currency, taken_at, done_at, duration_us, url, address, http_status, reason, reply)"
                      " FROM endpoint_tests"),
        "1 user:clerk COP");
}
END_TEST

#define ASK_FOR_ADDRESS "approval_ask('notify_url', @merchant, 'http://b/', NULL, 0, 'why', 'operator:eva')"

/* Who answers a change that operator:eva has asked for, and what becomes of it. */
static const struct {
    const char *user, *wish;
    unsigned error;
    const char *done, *approval, *url;
} ANSWERS[] = {
    {"boss", "1", 0, "1", "approved console:boss seen", "http://b/"},
    {"boss", "0", 0, "1", "refused console:boss seen", "http://a/"},
    {"eva", "1", 0, "3", "waiting", "http://a/"},
    {"eva", "0", 0, "1", "refused console:eva seen", "http://a/"},
    {"helper", "1", ER_SIGNAL_EXCEPTION, "none", "waiting", "http://a/"},
    {"helper", "0", ER_SIGNAL_EXCEPTION, "none", "waiting", "http://a/"},
    {"clerk", "1", ER_SIGNAL_EXCEPTION, "none", "waiting", "http://a/"},
    {"viewer", "1", ER_SIGNAL_EXCEPTION, "none", "waiting", "http://a/"},
    {"former", "1", ER_SIGNAL_EXCEPTION, "none", "waiting", "http://a/"},
    {"former", "0", ER_SIGNAL_EXCEPTION, "none", "waiting", "http://a/"},
};

/* Stores the change, and another one beside it; the console gets its number. */
static void ask_for_address(void) {
    user("eva", "operator", 0);
    user("viewer", "viewer", 0);
    user("former", "operator", 0);
    database_run("UPDATE console_users SET enabled = FALSE WHERE name = 'former'; INSERT INTO dual_changes SET kind ="
                 " 'notify_url'; SET @approval = " ASK_FOR_ADDRESS);
    database_run("DO approval_ask('notify_url', @merchant, 'http://c/', NULL, 0, 'why', 'operator:ada')");
    ck_assert_uint_eq(database_error(console, "SET @approval = %s", database_text("SELECT @approval")), 0);
}

static unsigned answer_as(const char *name, const char *wish) {
    return database_error(
        console, DO("answer((SELECT id FROM console_users WHERE name = '%s'), @approval, %s, 'seen')"), name, wish);
}

START_TEST(an_operator_answers_what_waits) {
    ask_for_address();
    ck_assert_uint_eq(answer_as(ANSWERS[_i].user, ANSWERS[_i].wish), ANSWERS[_i].error);
    ck_assert_str_eq(value_of("@done"), ANSWERS[_i].done);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', state, answered_by, answer) FROM approvals WHERE id = @approval"),
        ANSWERS[_i].approval);
    ck_assert_str_eq(database_text("SELECT notify_url FROM merchants WHERE id = @merchant"), ANSWERS[_i].url);
    if (strcmp(ANSWERS[_i].approval, "waiting") != 0) {
        ck_assert_uint_eq(answer_as("boss", "1"), 0);
        ck_assert_str_eq(value_of("@done"), "0");
    }
}
END_TEST

/* To refuse a change, nothing is judged that it would replace. */
START_TEST(a_refusal_waits_for_nobody) {
    ask_for_address();
    MYSQL *other = database_login(OWNER);
    ck_assert_uint_eq(database_error(other, "BEGIN; SELECT * FROM merchants FOR UPDATE"), 0);
    ck_assert_uint_eq(database_error(console, "SET innodb_lock_wait_timeout = 0"), 0);
    ck_assert_uint_eq(answer_as("boss", "1"), ER_LOCK_WAIT_TIMEOUT);
    ck_assert_uint_eq(answer_as("boss", "0"), 0);
    mysql_close(other);
    ck_assert_str_eq(value_of("@done"), "1");
}
END_TEST

/* A payment is confirmed and not committed when the approval begins. */
START_TEST(an_approval_counts_what_it_waited_for) {
    static const char CHANGE[] = "network_limit_set(@network, 'COP', 500, 1000, history_end('network', @network),"
                                 " 'operator:eva')";
    database_run("INSERT INTO dual_changes SET kind = 'limits'; DO network_limit_begin(@network, 'COP'); DO %s",
                 CHANGE);
    new_transaction(.network_id = database_number("SELECT @network"),
                    .order_id = new_order(.reference = "2", .amount = "45"), .amount = "45",
                    .network_transaction = "'UNDER-WAY'");
    const char *answer = database_text("SELECT CONCAT('SELECT console_answer(', @boss, ', ', MAX(id), ', TRUE, 1)')"
                                       " FROM approvals");
    MYSQL *payer = database_login(OWNER);
    ck_assert_uint_eq(database_error(payer, "BEGIN; SET @done = payment_confirm(%s, 'UNDER-WAY', 'network:x')",
                                     database_text("SELECT @network")),
                      0);
    ck_assert_uint_eq(database_error(console, "SET tx_isolation = 'READ-COMMITTED'"), 0); /* as the console does */
    database_send(console, answer);
    database_wait_for(SOMEBODY_WAITS);
    ck_assert_uint_eq(database_error(payer, "COMMIT"), 0);
    mysql_close(payer);
    ck_assert_str_eq(database_answer(console, answer), "1");
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', SUM(day_room), SUM(outstanding_room)) FROM network_rooms"
                                   " WHERE network_id = @network AND currency = 'COP'"),
                     "455.0000 955.0000");
}
END_TEST

TCase *console_actions_tests(void) {
    TCase *tests = database_case("console_actions");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, does_what_it_says, ACTIONS);
    tcase_add_test(tests, retry_begins_anew_and_ends_the_rest);
    tcase_add_test(tests, retry_of_what_waits_begins_anew);
    tcase_add_test(tests, retry_for_another_merchant_is_refused);
    tcase_add_test(tests, code_that_was_taken_is_refused);
    tcase_add_test(tests, what_changed_since_it_was_shown_stays);
    tcase_add_test(tests, test_that_is_asked_for_again_begins_anew);
    add_table_test(tests, an_operator_answers_what_waits, ANSWERS);
    tcase_add_test(tests, a_refusal_waits_for_nobody);
    tcase_add_test(tests, an_approval_counts_what_it_waited_for);
    return tests;
}
