#include "store.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* The portions of a network's limits: which connection takes from which portion, and what happens at midnight. */

enum { LIMIT_IS_REACHED = 60113, PORTIONS = 16 };

static uint64_t network;

static void set_up(void) {
    network = sample_network("red");
    database_run("SET @network = %" PRIu64 "; DO network_limit_begin(@network, 'COP')", network);
}

static void set_limits(const char *day, const char *outstanding) {
    ck_assert_uint_eq(database_number("SELECT network_limit_set_now(@network, 'COP', %s, %s, 'eva')", day, outstanding),
                      1);
}

/* Returns the portion from which a new connection takes, on a node of a cluster with these auto-increment settings. */
static unsigned portion_of(MYSQL *mysql, unsigned nodes, unsigned node) {
    ck_assert_uint_eq(database_error(mysql,
                                     "SET auto_increment_increment = %u, auto_increment_offset = %u;"
                                     " CALL limit_count(%" PRIu64 ", 'COP', 0.01, UTC_DATE())",
                                     nodes, node, network),
                      0);
    unsigned part = (unsigned)database_number("SELECT part FROM network_rooms WHERE day_room < day_share");
    ck_assert_uint_eq(database_error(mysql, "CALL limit_count(%" PRIu64 ", 'COP', -0.01, UTC_DATE())", network), 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM network_rooms WHERE day_room <> day_share"), 0);
    return part;
}

static const struct {
    unsigned nodes, used; /* used: least number of portions that the connections of one node use */
} CLUSTERS[] = {{1, 16}, {2, 8}, {3, 5}, {5, 3}, {16, 1}};

/* Connections should not wait for one another, and must never wait for one of another node. */
START_TEST(nodes_take_from_different_portions) {
    unsigned nodes = CLUSTERS[_i].nodes;
    int node_of[PORTIONS] = {0};
    set_limits("1600", "NULL");
    for (unsigned node = 1; node <= nodes; node++) {
        unsigned used = 0;
        for (int i = 0; i < 3 * PORTIONS; i++) {
            MYSQL *mysql = database_login(OWNER);
            unsigned part = portion_of(mysql, nodes, node);
            mysql_close(mysql);
            ck_assert_uint_lt(part, PORTIONS);
            ck_assert(node_of[part] == 0 || node_of[part] == (int)node);
            used += node_of[part] == 0;
            node_of[part] = (int)node;
        }
        ck_assert_uint_ge(used, CLUSTERS[_i].used);
    }
}
END_TEST

/* More nodes than portions share them. */
START_TEST(every_node_has_a_portion) {
    MYSQL *mysql = database_login(OWNER);
    set_limits("1600", "NULL");
    for (unsigned node = 1; node <= 20; node++) {
        ck_assert_uint_eq(portion_of(mysql, 20, node), (node - 1) % PORTIONS);
    }
    mysql_close(mysql);
}
END_TEST

static unsigned count_payment(const char *amount, const char *day) {
    MYSQL *mysql = database_login(OWNER);
    unsigned error = database_error(mysql, "CALL limit_count(%" PRIu64 ", 'COP', %s, %s)", network, amount, day);
    mysql_close(mysql);
    return error;
}

static void assert_rooms(const char *expected) {
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', MIN(day) = MAX(day), MAX(day) - INTERVAL 0 SECOND >"
                                   " UTC_DATE(), SUM(day_room), SUM(outstanding_room)) FROM network_rooms"),
                     expected);
}

/* A confirmation that began before midnight is judged again if another one of the new day came first. */
START_TEST(what_began_before_midnight_is_judged_again) {
    set_limits("1600", "3200");
    database_run("UPDATE network_rooms SET day = UTC_DATE() + INTERVAL 1 DAY");
    ck_assert_uint_eq(count_payment(_i == 0 ? "5" : "2000", "UTC_DATE()"), ER_CHECKREAD);
    assert_rooms("1 1 1600.0000 3200.0000");
    ck_assert_uint_eq(count_payment("-5", "UTC_DATE()"), 0);
    assert_rooms("1 1 1600.0000 3205.0000");
    ck_assert_uint_eq(count_payment("5", "UTC_DATE() + INTERVAL 1 DAY"), 0);
    assert_rooms("1 1 1595.0000 3200.0000");
}
END_TEST

/* Only one portion has the new day: left are its rest and the whole shares of the other portions. */
START_TEST(a_day_begins_for_all_portions) {
    set_limits("1600", "NULL");
    database_run("UPDATE network_rooms SET day = UTC_DATE() - INTERVAL 1 DAY, day_room = 0 WHERE part > 0");
    database_run("UPDATE network_rooms SET day_room = 40 WHERE part = 0");
    ck_assert_uint_eq(count_payment("1540.0001", "UTC_DATE()"), LIMIT_IS_REACHED);
    ck_assert_uint_eq(count_payment("1530", "UTC_DATE()"), 0);
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', SUM(day_room), MIN(day_room) >= 0, MAX(day_room) < 1,"
                                   " COUNT(DISTINCT day)) FROM network_rooms"),
                     "10.0000 1 1 1");
}
END_TEST

static const struct {
    const char *day, *outstanding, *told;
} REACHED[] = {
    {"1600", "NULL", "the limit of the day in COP"},
    {"NULL", "1600", "the outstanding limit in COP"},
    {"1600", "1600", "the limit of the day in COP"},
    {"1700", "1600", "the outstanding limit in COP"},
};

/* The network reads it in the reply. */
START_TEST(the_refusal_names_the_limit) {
    MYSQL *mysql = database_login(OWNER);
    set_limits(REACHED[_i].day, REACHED[_i].outstanding);
    ck_assert_uint_eq(database_error(mysql, "CALL limit_count(%" PRIu64 ", 'COP', 1600.0001, UTC_DATE())", network),
                      LIMIT_IS_REACHED);
    ck_assert_str_eq(mysql_error(mysql), REACHED[_i].told);
    mysql_close(mysql);
}
END_TEST

static const struct {
    const char *day, *outstanding, *owed, *left;
} BELOW[] = {
    {"160", "NULL", "-1280.0000", "160.0000"},
    {"NULL", "160", "-1280.0000", "160.0000"},
    {"160", "3200", "-1280.0000 1760.0000", "160.0000 3200.0000"},
    {"3200", "160", "1760.0000 -1280.0000", "3200.0000 160.0000"},
};

static void assert_sums(const char *expected) {
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', SUM(day_room), SUM(outstanding_room)) FROM network_rooms"),
                     expected);
}

/* Where more was confirmed than the limit is now, no connection may confirm again what it has taken back. */
START_TEST(what_is_given_back_above_the_limit_is_in_no_portion) {
    set_limits("1600", "1600");
    ck_assert_uint_eq(count_payment("1600", "UTC_DATE()"), 0);
    set_limits(BELOW[_i].day, BELOW[_i].outstanding);
    ck_assert_uint_eq(count_payment("-160", "UTC_DATE()"), 0);
    assert_sums(BELOW[_i].owed);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM network_rooms WHERE day_room < 0 OR outstanding_room < 0"),
                      PORTIONS);
    ck_assert_uint_eq(count_payment("0.0001", "UTC_DATE()"), LIMIT_IS_REACHED);
    ck_assert_uint_eq(count_payment("-1440", "UTC_DATE()"), 0);
    assert_sums(BELOW[_i].left);
    ck_assert_uint_eq(count_payment("160", "UTC_DATE()"), 0);
    ck_assert_uint_eq(count_payment("0.0001", "UTC_DATE()"), LIMIT_IS_REACHED);
}
END_TEST

#define TWO_WAIT                                                                                                       \
    "SELECT variable_value >= 2 FROM information_schema.global_status"                                                 \
    " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'"

/* What each portion has left, of the day and outstanding: not both can take what is given back. */
static const struct {
    const char *rooms, *sums;
} OWING[] = {
    {"day_room = -10, outstanding_room = -10", "-158.0000 -158.0000"},
    {"day_room = -10, outstanding_room = 10", "-158.0000 162.0000"},
    {"day_room = 10, outstanding_room = -10", "162.0000 -158.0000"},
    {"day_room = -10, outstanding_room = NULL", "-158.0000"},
    {"day_room = NULL, outstanding_room = -10", "-158.0000"},
};

/* Two cancellations wait for one who divides. Neither may hold what the other one is to get next. */
START_TEST(what_is_given_back_waits_for_its_turn) {
    static const char GIVE_BACK[] = "SELECT given_back()";
    MYSQL *divider = database_login(OWNER), *waiting[2];
    set_limits("160", "160");
    database_run("UPDATE network_rooms SET %s", OWING[_i].rooms);
    database_run("CREATE OR REPLACE FUNCTION given_back () RETURNS INT MODIFIES SQL DATA BEGIN"
                 " CALL limit_count(%" PRIu64 ", 'COP', -1, UTC_DATE()); RETURN 1; END",
                 network);
    ck_assert_uint_eq(database_error(divider, "BEGIN; SELECT * FROM network_rooms FOR UPDATE"), 0);
    for (int i = 0; i < 2; i++) {
        waiting[i] = database_login(OWNER);
        ck_assert_uint_eq(database_error(waiting[i], "SET tx_isolation = 'READ-COMMITTED'"), 0);
        database_send(waiting[i], GIVE_BACK);
    }
    database_wait_for(TWO_WAIT);
    ck_assert_uint_eq(database_error(divider, "COMMIT"), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(database_answer(waiting[i], GIVE_BACK), "1");
        mysql_close(waiting[i]);
    }
    assert_sums(OWING[_i].sums);
    database_run("DROP FUNCTION given_back");
    mysql_close(divider);
}
END_TEST

/* One portion has the new day already. What was confirmed on the day before is given back to the outstanding limit
 * alone, and all portions have the new day then. */
START_TEST(what_is_given_back_later_belongs_to_no_new_day) {
    set_limits("1600", "1600");
    database_run("UPDATE network_rooms SET day_room = 40, outstanding_room = -10");
    database_run("UPDATE network_rooms SET day = UTC_DATE() + INTERVAL 1 DAY WHERE part = 3");
    ck_assert_uint_eq(count_payment("-32", "UTC_DATE()"), 0);
    assert_rooms("1 1 1540.0000 -128.0000");
    ck_assert_uint_eq(count_payment("-32", "UTC_DATE() + INTERVAL 1 DAY"), 0);
    assert_rooms("1 1 1572.0000 -96.0000");
    ck_assert_uint_eq(count_payment("-32", "UTC_DATE() + INTERVAL 2 DAY"), 0);
    assert_rooms("1 1 1632.0000 -64.0000");
}
END_TEST

/* The remainder of the division goes to the portion of the connection that divides, which is likely to use it next. */
START_TEST(what_is_left_is_divided_evenly) {
    set_limits("NULL", "100.0031");
    ck_assert_uint_eq(count_payment("50", "UTC_DATE()"), 0);
    ck_assert_str_eq(
        database_text("SELECT GROUP_CONCAT(CONCAT(times, 'x', room) ORDER BY room) FROM (SELECT COUNT(*) AS"
                      " times, outstanding_room AS room FROM network_rooms GROUP BY room) AS rooms"),
        "15x3.1251,1x3.1266");
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM network_rooms WHERE day_room IS NOT NULL"), 0);
}
END_TEST

/* Another connection need not wait for what takes no more than its own portion has. */
static const struct {
    const char *day, *outstanding, *day_of_rooms;
} OWN[] = {
    {"1600", "NULL", "UTC_DATE()"},
    {"NULL", "1600", "UTC_DATE()"},
    {"1600", "1600", "UTC_DATE()"},
    {"1600", "1600", "UTC_DATE() - INTERVAL 1 DAY"},
};

START_TEST(a_portion_is_used_up_alone) {
    set_limits(OWN[_i].day, OWN[_i].outstanding);
    database_run("UPDATE network_rooms SET day = %s", OWN[_i].day_of_rooms);
    ck_assert_uint_eq(count_payment("100", "UTC_DATE()"), 0);
    ck_assert_str_eq(
        database_text("SELECT CONCAT_WS(' ', SUM(COALESCE(day_room, 0) = 0 AND COALESCE(outstanding_room, 0)"
                      " = 0), SUM(COALESCE(day_room, 100) = 100 AND COALESCE(outstanding_room, 100) = 100))"
                      " FROM network_rooms"),
        "1 15");
}
END_TEST

/* The same network in another currency, and another network in the same one, where a new day has begun. */
START_TEST(other_portions_are_neither_asked_nor_taken_from) {
    uint64_t other = sample_network("other");
    set_limits("1600", "1600");
    database_run("DO network_limit_begin(@network, 'USD'), network_limit_begin(%" PRIu64 ", 'COP'),"
                 " network_limit_set_now(@network, 'USD', 16000, 16000, 'eva'),"
                 " network_limit_set_now(%" PRIu64 ", 'COP', 16000, 16000, 'eva')",
                 other, other);
    database_run("UPDATE network_rooms SET day = UTC_DATE() + INTERVAL 1 DAY WHERE day_room > 100");
    ck_assert_uint_eq(count_payment("200", "UTC_DATE()"), 0);
    ck_assert_uint_eq(count_payment("1400.0001", "UTC_DATE()"), LIMIT_IS_REACHED);
    ck_assert_uint_eq(count_payment("1400", "UTC_DATE()"), 0);
    ck_assert_uint_eq(count_payment("0.0001", "UTC_DATE()"), LIMIT_IS_REACHED);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', network_id = @network, currency, rooms)"
                                   " ORDER BY 1, currency) FROM (SELECT network_id, currency, CONCAT_WS(' ',"
                                   " SUM(day_room), SUM(outstanding_room), SUM(day > UTC_DATE())) AS rooms"
                                   " FROM network_rooms GROUP BY network_id, currency) AS portions"),
                     "0 COP 16000.0000 16000.0000 16,1 COP 0.0000 0.0000 0,1 USD 16000.0000 16000.0000 16");
}
END_TEST

/* A node whose clock is behind sets a limit; the portions keep their later day, of which one has used 90. */
START_TEST(a_limit_brings_no_day_back) {
    set_limits("1600", "NULL");
    database_run("UPDATE network_rooms SET day_room = 0");
    database_run("UPDATE network_rooms SET day = UTC_DATE() + INTERVAL 1 DAY, day_room = 10 WHERE part = 3");
    set_limits("3200", "NULL");
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', MIN(day) = UTC_DATE() + INTERVAL 1 DAY, SUM(day_room))"
                                   " FROM network_rooms"),
                     "1 3110.0000");
}
END_TEST

START_TEST(limits_need_their_portions) {
    const char *set = "SELECT network_limit_set(@network, 'COP', 5, NULL, history_end('network', @network), 'eva')";
    database_run("DELETE FROM network_rooms WHERE part = 7");
    ck_assert_uint_eq(database_number("%s", set), 0);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM network_limits"), 0);
    database_run("DO network_limit_begin(@network, 'COP')");
    ck_assert_uint_eq(database_number("%s", set), 1);
    database_run("DO network_limit_begin(@network, 'COP')");
    ck_assert_str_eq(database_text("SELECT CONCAT_WS(' ', COUNT(*), SUM(day_room)) FROM network_rooms"), "16 5.0000");
    ck_assert_uint_eq(database_number("SELECT network_limit_begin(@network, 'USD')"), 1);
    ck_assert_uint_eq(
        database_number("SELECT network_limit_set(@network, 'USD', 7, 8, history_end('network', @network), 'eva')"), 1);
    ck_assert_str_eq(
        database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', currency, day_limit, outstanding_limit, changed_by)"
                      " ORDER BY currency) FROM network_limits"),
        "COP 5.0000 eva,USD 7.0000 8.0000 eva");
    ck_assert_str_eq(database_text("SELECT SUM(day_room) FROM network_rooms WHERE currency = 'COP'"), "5.0000");
}
END_TEST

/* However long ago their windows ended: one may still be waiting for its commit. */
START_TEST(waits_for_confirmations_under_way) {
    uint64_t order = new_order(.reference = "1");
    new_transaction(.order_id = order, .state = "'FINALIZADA'", .window_ends_at = NOW);
    ck_assert_uint_eq(database_number("SELECT network_limit_settle()"), 0);
    new_transaction(.order_id = order, .state = "'CONFIRMADA'", .window_ends_at = NOW " - INTERVAL 2 MINUTE");
    ck_assert_uint_eq(database_number("SELECT network_limit_settle()"), 1);
    uint64_t top_up = new_transaction(.account_id = sample_account("1020"));
    MYSQL *other = database_login(OWNER), *waiting = database_login(OWNER);
    ck_assert_uint_eq(database_error(other,
                                     "BEGIN; SELECT top_up_confirm(%" PRIu64 ", 'network:red');"
                                     " UPDATE transactions SET confirmed_at = confirmed_at - INTERVAL 1 HOUR,"
                                     " window_ends_at = window_ends_at - INTERVAL 1 HOUR WHERE id = %" PRIu64,
                                     top_up, top_up),
                      0);
    ck_assert_uint_eq(
        database_error(waiting, "SET innodb_lock_wait_timeout = 0; SET @settled = network_limit_settle()"),
        ER_LOCK_WAIT_TIMEOUT);
    mysql_close(waiting);
    mysql_close(other);
}
END_TEST

/* The confirmation has read rows before the first step, and writes its row after the second. */
START_TEST(counts_what_waits_while_a_limit_is_set) {
    uint64_t late = sample_network("late"), order = new_order(.reference = "1");
    new_transaction(.network_id = late, .order_id = order, .network_transaction = "'late'");
    MYSQL *holder = database_login(OWNER), *payer = database_login(OWNER);
    ck_assert_uint_eq(database_error(holder, "BEGIN; SELECT * FROM orders WHERE id = %" PRIu64 " FOR UPDATE", order),
                      0);
    ck_assert_uint_eq(database_error(payer, "SET time_zone = '+00:00', tx_isolation = 'READ-COMMITTED'"), 0);
    const char *pay = arena_print(arena, "SELECT payment_confirm(%" PRIu64 ", 'late', 'network:late')", late).at;
    database_send(payer, pay);
    database_wait_for(SOMEBODY_WAITS);
    database_run("DO network_limit_begin(%" PRIu64 ", 'COP'), network_limit_settle(),"
                 " network_limit_set_now(%" PRIu64 ", 'COP', 50000, NULL, 'eva')",
                 late, late);
    ck_assert_uint_eq(database_error(holder, "ROLLBACK"), 0);
    ck_assert_str_eq(database_answer(payer, pay), "1");
    ck_assert_str_eq(database_text("SELECT state FROM transactions WHERE network_id = %" PRIu64, late), "CONFIRMADA");
    ck_assert_str_eq(database_text("SELECT SUM(day_room) FROM network_rooms WHERE network_id = %" PRIu64, late),
                     "5000.0000");
    mysql_close(payer);
    mysql_close(holder);
}
END_TEST

/* Each looks at the first portion, which tells whether there is a limit, and does not lock it. */
START_TEST(what_takes_from_another_portion_waits_for_nobody) {
    uint64_t order = new_order(.reference = "1");
    new_transaction(.network_id = network, .order_id = order, .network_transaction = "'one'");
    set_limits("1600000", "NULL");
    MYSQL *payer = database_login(OWNER), *other = database_login(OWNER);
    const char *pay = arena_print(arena, "SELECT payment_confirm(%" PRIu64 ", 'one', 'network:red')", network).at;
    /* The last of 16 nodes takes from the last portion. */
    ck_assert_uint_eq(database_error(payer, "SET time_zone = '+00:00', tx_isolation = 'READ-COMMITTED',"
                                            " auto_increment_increment = 16, auto_increment_offset = 16; BEGIN"),
                      0);
    database_send(payer, pay);
    ck_assert_str_eq(database_answer(payer, pay), "1");
    ck_assert_uint_eq(database_error(other, "SET innodb_lock_wait_timeout = 0; BEGIN"), 0);
    for (unsigned part = 0; part < PORTIONS; part++) {
        unsigned error = database_error(other,
                                        "UPDATE network_rooms SET day_share = 0"
                                        " WHERE network_id = %" PRIu64 " AND currency = 'COP' AND part = %u",
                                        network, part);
        ck_assert_uint_eq(error, part < PORTIONS - 1 ? 0 : ER_LOCK_WAIT_TIMEOUT);
    }
    mysql_close(other);
    mysql_close(payer);
}
END_TEST

TCase *portions_tests(void) {
    TCase *tests = database_case("portions");
    tcase_add_checked_fixture(tests, set_up, NULL);
    add_table_test(tests, nodes_take_from_different_portions, CLUSTERS);
    tcase_add_test(tests, every_node_has_a_portion);
    tcase_add_loop_test(tests, what_began_before_midnight_is_judged_again, 0, 2);
    tcase_add_test(tests, a_day_begins_for_all_portions);
    add_table_test(tests, the_refusal_names_the_limit, REACHED);
    add_table_test(tests, what_is_given_back_above_the_limit_is_in_no_portion, BELOW);
    add_table_test(tests, what_is_given_back_waits_for_its_turn, OWING);
    tcase_add_test(tests, what_is_given_back_later_belongs_to_no_new_day);
    tcase_add_test(tests, what_is_left_is_divided_evenly);
    add_table_test(tests, a_portion_is_used_up_alone, OWN);
    tcase_add_test(tests, other_portions_are_neither_asked_nor_taken_from);
    tcase_add_test(tests, a_limit_brings_no_day_back);
    tcase_add_test(tests, limits_need_their_portions);
    tcase_add_test(tests, waits_for_confirmations_under_way);
    tcase_add_test(tests, counts_what_waits_while_a_limit_is_set);
    tcase_add_test(tests, what_takes_from_another_portion_waits_for_nobody);
    return tests;
}
