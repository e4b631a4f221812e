#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* The views that monitoring reads: the merchants' endpoints, and the room for ids. */

#define MINUTES_AGO(n) NOW " - INTERVAL " #n " MINUTE"

static uint64_t merchant;

static void set_up(void) {
    merchant = new_merchant(.name = "'tienda'", .notify_url = "'http://a/'");
    database_run("TRUNCATE endpoints");
}

static void add_note(const char *state, const char *created_at, const char *due_at, unsigned attempts) {
    static unsigned order;
    database_run("INSERT INTO notifications SET order_id = %u, merchant_id = %" PRIu64 ", status = 'approved',"
                 " state = '%s', amount = 5, payment_means = '', created_at = %s, due_at = %s, attempts = %u",
                 ++order, merchant, state, created_at, due_at, attempts);
}

static const struct {
    const char *state, *oldest, *newest,
        *due_at; /* of two notifications that the merchant refused; newest NULL: of one */
    unsigned attempts;
    const char *delivered_at, *party;
    const char *told; /* merchant, number of refused notifications, and minutes since the oldest */
} REFUSING[] = {
    {"pending", MINUTES_AGO(20), NULL, IN_AN_HOUR, 1, NULL, "DO 0", "tienda 1 20"},
    {"pending", MINUTES_AGO(40), MINUTES_AGO(20), IN_AN_HOUR, 3, NULL, "DO 0", "tienda 2 40"},
    {"pending", MINUTES_AGO(14), NULL, IN_AN_HOUR, 1, NULL, "DO 0", ""},
    {"pending", MINUTES_AGO(20), NULL, IN_AN_HOUR, 0, NULL, "DO 0", ""},
    {"pending", MINUTES_AGO(20), NULL, AN_HOUR_AGO, 1, NULL, "DO 0", ""},
    {"exhausted", MINUTES_AGO(20), NULL, IN_AN_HOUR, 1, NULL, "DO 0", ""},
    {"pending", MINUTES_AGO(20), NULL, IN_AN_HOUR, 1, NULL, "UPDATE merchants SET enabled = FALSE", ""},
    {"pending", MINUTES_AGO(20), NULL, IN_AN_HOUR, 1, NULL,
     "INSERT INTO endpoints (merchant_id, failures, resting_until) SELECT id, 9, " AN_HOUR_AGO " FROM merchants", ""},
    {"pending", MINUTES_AGO(20), NULL, IN_AN_HOUR, 1, NULL,
     "INSERT INTO endpoints (merchant_id, failures) SELECT id, 9 FROM merchants", "tienda 1 20"},
    {"pending", MINUTES_AGO(20), NULL, IN_AN_HOUR, 1, MINUTES_AGO(30), "DO 0", "tienda 1 20"},
    {"pending", MINUTES_AGO(20), NULL, IN_AN_HOUR, 1, MINUTES_AGO(17), "DO 0", ""},
    {"pending", MINUTES_AGO(40), MINUTES_AGO(20), IN_AN_HOUR, 1, MINUTES_AGO(30), "DO 0", "tienda 2 40"},
    {"pending", MINUTES_AGO(40), MINUTES_AGO(2), IN_AN_HOUR, 1, MINUTES_AGO(17), "DO 0", "tienda 2 40"},
    {"pending", MINUTES_AGO(40), MINUTES_AGO(2), IN_AN_HOUR, 1, MINUTES_AGO(10), "DO 0", ""},
};

START_TEST(who_answers_and_acknowledges_nothing_is_told) {
    add_note(REFUSING[_i].state, REFUSING[_i].oldest, REFUSING[_i].due_at, REFUSING[_i].attempts);
    if (REFUSING[_i].newest != NULL) {
        add_note(REFUSING[_i].state, REFUSING[_i].newest, REFUSING[_i].due_at, REFUSING[_i].attempts);
    }
    if (REFUSING[_i].delivered_at != NULL) {
        add_note("delivered", MINUTES_AGO(50), MINUTES_AGO(45), 1);
        add_note("delivered", MINUTES_AGO(50), REFUSING[_i].delivered_at, 1);
    }
    database_run("%s", REFUSING[_i].party);
    ck_assert_str_eq(database_text("SELECT COALESCE(GROUP_CONCAT(CONCAT_WS(' ', merchant, failed,"
                                   " TIMESTAMPDIFF(MINUTE, oldest_at, " NOW "))), '') FROM merchants_refusing"),
                     REFUSING[_i].told);
}
END_TEST

START_TEST(many_that_rest_hide_nobody_who_refuses) {
    add_note("pending", MINUTES_AGO(20), IN_AN_HOUR, 1);
    uint64_t resting = new_merchant(.name = "'resting'", .notify_url = "'http://a/'");
    database_run("INSERT INTO endpoints SET merchant_id = %" PRIu64 ", failures = 9, resting_until = " IN_AN_HOUR,
                 resting);
    database_run(
        "INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, due_at, attempts)"
        " SELECT 1000000 + seq, %" PRIu64 ", 'approved', 'pending', 5, '', " NOW " + INTERVAL 30 MINUTE, 1"
        " FROM seq_1_to_10000",
        resting);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(merchant) FROM merchants_refusing"), "tienda");
}
END_TEST

static const struct {
    const char *notify_url, *resting_until;
    const char *now; /* resting, reachable */
} ENDPOINTS[] = {
    {"'http://a/'", NULL, "0 1"}, {"'http://a/'", "NULL", "0 1"}, {"'http://a/'", AN_HOUR_AGO, "1 0"},
    {"NULL", NULL, "0 0"},        {"NULL", AN_HOUR_AGO, "0 0"},
};

START_TEST(says_where_notifications_can_go) {
    database_run("UPDATE merchants SET notify_url = %s", ENDPOINTS[_i].notify_url);
    if (ENDPOINTS[_i].resting_until != NULL) {
        database_run("INSERT INTO endpoints SET merchant_id = %" PRIu64 ", failures = 1, resting_until = %s", merchant,
                     ENDPOINTS[_i].resting_until);
    }
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', resting, reachable) FROM endpoints_now"), ENDPOINTS[_i].now);
}
END_TEST

/* Returns every table with numbered rows, and its next number. */
static const char *counters(void) {
    return database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', name, next_id) ORDER BY name) FROM id_counters");
}

START_TEST(all_ids_move_on_together_or_none) {
    MYSQL *mysql = database_login(OWNER);
    new_order(.reference = "1");
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', name, greatest) ORDER BY name) FROM id_counters"
                                   " WHERE name IN ('orders', 'networks', 'settlements', 'event_log')"),
                     "event_log 9223372036854775806,networks 2147483646,orders 9223372036854775806");
    uint64_t next = database_number("SELECT next_id FROM id_counters WHERE name = 'orders'");
    ck_assert_uint_gt(next, database_number("SELECT MAX(id) FROM orders"));
    const char *before = counters();
    ck_assert_uint_eq(database_error(mysql, "CALL ids_skip(2147483647)"), ER_SIGNAL_EXCEPTION);
    ck_assert_str_eq(counters(), before);
    ck_assert_uint_eq(database_error(mysql, "CALL ids_skip(10)"), 0);
    ck_assert_uint_eq(database_number("SELECT next_id FROM id_counters WHERE name = 'orders'"), next + 10);
    mysql_close(mysql);
}
END_TEST

/* For tables with few ids: the last id that programs can use, and by how much the counter can be advanced. */
static const struct {
    const char *type, *next;
    const char *greatest, *too_far;
    unsigned most;
} NARROW[] = {
    {"TINYINT", "1", "126", "127", 125},
    {"TINYINT", "126", "126", "127", 0},
    {"SMALLINT", "32001", "32766", "32767", 765},
};

START_TEST(ids_move_on_as_far_as_there_is_room) {
    MYSQL *mysql = database_login(OWNER);
    database_run("CREATE OR REPLACE TABLE narrow (id %s UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY)"
                 " AUTO_INCREMENT = %s",
                 NARROW[_i].type, NARROW[_i].next);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', next_id, greatest) FROM id_counters WHERE name = 'narrow'"),
                     arena_print(arena, "%s %s", NARROW[_i].next, NARROW[_i].greatest).at);
    ck_assert_uint_eq(database_error(mysql, "CALL ids_skip(%u)", NARROW[_i].most + 1), ER_SIGNAL_EXCEPTION);
    ck_assert_ptr_nonnull(strstr(mysql_error(mysql), "narrow.id has no room"));
    ck_assert_uint_eq(database_error(mysql, "CALL ids_skip(%u)", NARROW[_i].most), 0);
    database_run("ALTER TABLE narrow AUTO_INCREMENT = %s", NARROW[_i].too_far);
    ck_assert_uint_eq(database_error(mysql, "CALL ids_skip(0)"), ER_SIGNAL_EXCEPTION);
    database_run("DROP TABLE narrow");
    mysql_close(mysql);
}
END_TEST

TCase *measures_tests(void) {
    TCase *tests = database_case("measures");
    tcase_add_checked_fixture(tests, set_up, NULL);
    add_table_test(tests, who_answers_and_acknowledges_nothing_is_told, REFUSING);
    tcase_add_test(tests, many_that_rest_hide_nobody_who_refuses);
    add_table_test(tests, says_where_notifications_can_go, ENDPOINTS);
    add_table_test(tests, ids_move_on_as_far_as_there_is_room, NARROW);
    tcase_add_test(tests, all_ids_move_on_together_or_none);
    return tests;
}
