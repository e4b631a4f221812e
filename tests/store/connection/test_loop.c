#include "store.h"

#include "base/loop/loop.h"
#include "linked_pool.h"
#include "store/db/asking.h"
#include "unit/files.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections and the pool on tasks of a loop: only the task waits, and no longer than it may. */

static bool body_has_ended;
static size_t running;

static void run_body(void *of_body) {
    void (*const *body)(void) = of_body;
    (*body)();
    body_has_ended = true;
}

static void on_task(void (*body)(void)) {
    body_has_ended = false;
    task_start(run_body, &body);
    loop_run_until(&body_has_ended);
}

static void wait_for_tasks(void) {
    while (running > 0) {
        task_sleep(MILLISECOND);
    }
}

static void set_up(void) {
    ck_assert(loop_open());
    linked_pool_begin();
}

static void tear_down(void) {
    linked_pool_end();
    loop_close();
}

static int ask(struct connection *connection, const char *text) {
    return ask_query(connection, text, strlen(text));
}

static struct connection *lend_for(duration time) {
    struct connection *connection = NULL;
    ck_assert_int_eq(pool_take_until(linked_pool, clock_monotonic() + time, &connection), STATUS_OK);
    return connection;
}

static void sleep_in_server(void *unused) {
    struct connection *connection = lend_for(MINUTE);
    (void)unused;
    ck_assert_int_eq(ask(connection, "DO SLEEP(1)"), 0);
    pool_give(linked_pool, connection);
    running--;
}

static void two_sleep(void) {
    duration began = clock_monotonic();
    running = 2;
    task_start(sleep_in_server, NULL);
    task_start(sleep_in_server, NULL);
    wait_for_tasks();
    ck_assert_int_lt(clock_monotonic() - began, 2 * SECOND - SECOND / 10);
}

START_TEST(statements_of_two_tasks_run_at_the_same_time) {
    on_task(two_sleep);
}
END_TEST

static void overrun(void) {
    struct connection *connection = lend_for(SECOND);
    ck_assert_int_eq(linked_pool_use(connection), STATUS_OK);
    duration began = clock_monotonic();
    ck_assert_int_ne(ask(connection, "DO SLEEP(30)"), 0);
    duration took = clock_monotonic() - began;
    ck_assert_int_ge(took, SECOND / 2);
    ck_assert_int_lt(took, 10 * SECOND);
    ck_assert_int_ne(linked_pool_use(connection), STATUS_OK);
    pool_give(linked_pool, connection);
    connection = lend_for(10 * SECOND);
    ck_assert_int_eq(linked_pool_use(connection), STATUS_OK);
    pool_give(linked_pool, connection);
    ck_assert(pool_access(linked_pool) == SCHEMA_READY);
}

START_TEST(a_statement_beyond_its_time_is_cut) {
    on_task(overrun);
}
END_TEST

static void give_back_in_time(void) {
    pool_give(linked_pool, lend_for(SECOND / 2));
    struct connection *connection = linked_pool_take();
    ck_assert_int_eq(ask(connection, "DO SLEEP(1)"), 0);
    pool_give(linked_pool, connection);
}

START_TEST(what_was_given_back_is_not_cut) {
    on_task(give_back_in_time);
}
END_TEST

static char order_of_turns[8];

static void take_turn(void *name) {
    struct connection *connection = linked_pool_take();
    size_t size = strlen(order_of_turns);
    snprintf(order_of_turns + size, sizeof order_of_turns - size, "%s", (const char *)name);
    task_sleep(MILLISECOND);
    pool_give(linked_pool, connection);
    running--;
}

static void let_others_wait(void) {
    char a[] = "a", b[] = "b", c[] = "c", d[] = "d";
    char *const names[] = {a, b, c, d};
    struct connection *first = linked_pool_take(), *second = linked_pool_take();
    running = COUNT_OF(names);
    order_of_turns[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        task_start(take_turn, names[i]);
        task_sleep(MILLISECOND);
    }
    ck_assert_str_eq(order_of_turns, "");
    pool_give(linked_pool, first);
    wait_for_tasks();
    ck_assert_str_eq(order_of_turns, "abcd");
    pool_give(linked_pool, second);
}

START_TEST(connections_are_lent_in_the_order_of_asking) {
    on_task(let_others_wait);
}
END_TEST

static void give_and_take_again(void) {
    char waiting[] = "w";
    struct connection *first = linked_pool_take(), *second = linked_pool_take();
    running = 1;
    order_of_turns[0] = '\0';
    task_start(take_turn, waiting);
    task_sleep(MILLISECOND);
    pool_give(linked_pool, first);
    first = linked_pool_take();
    ck_assert_str_eq(order_of_turns, "w");
    wait_for_tasks();
    pool_give(linked_pool, first);
    pool_give(linked_pool, second);
}

/* A task that returns a connection and takes one again must not get the one for which another task was woken. */
START_TEST(who_waits_for_a_connection_is_not_overtaken) {
    on_task(give_and_take_again);
}
END_TEST

static void ask_for_a_third(void) {
    struct connection *first = linked_pool_take(), *second = linked_pool_take(), *third;
    duration began = clock_monotonic();
    ck_assert_int_eq(pool_take(linked_pool, &third), STATUS_AWAY);
    ck_assert_int_ge(clock_monotonic() - began, SECOND);
    ck_assert_int_eq(pool_take_until(linked_pool, clock_monotonic() + SECOND / 10, &third), STATUS_AWAY);
    pool_give(linked_pool, first);
    pool_give(linked_pool, second);
    pool_give(linked_pool, linked_pool_take());
}

START_TEST(waits_a_second_when_all_are_busy) {
    on_task(ask_for_a_third);
}
END_TEST

static void lose_and_find_server(void) {
    struct connection *connection = linked_pool_take();
    linked_pool_take_server_away();
    ck_assert_int_ne(linked_pool_use(connection), STATUS_OK);
    pool_give(linked_pool, connection);
    ck_assert_int_eq(pool_take(linked_pool, &connection), STATUS_AWAY);
    ck_assert(pool_access(linked_pool) != SCHEMA_READY);
    linked_pool_bring_server_back();
    while (pool_take(linked_pool, &connection) != STATUS_OK) {
        task_sleep(10 * MILLISECOND);
    }
    ck_assert_int_eq(linked_pool_use(connection), STATUS_OK);
    pool_give(linked_pool, connection);
}

START_TEST(comes_back_when_the_server_does) {
    on_task(lose_and_find_server);
    on_task(lose_and_find_server);
}
END_TEST

static struct connection *open_worker(void) {
    static const struct connection_options options = {&config, &config.database.worker, 0};
    struct connection *connection = NULL;
    ck_assert_int_eq(connection_open(&options, &connection), STATUS_OK);
    return connection;
}

/* The library closes its descriptor itself. The number may then belong to another descriptor, which the loop must keep
 * watching. */
static void close_after_number_was_used_again(void) {
    int ends[2];
    struct task_socket other;
    struct connection *connection = open_worker();
    int number = mysql_get_socket(connection->mysql);
    ck_assert(connection->is_watched);
    shutdown(number, SHUT_RDWR);
    ck_assert_int_ne(ask(connection, "DO 0"), 0);
    ck_assert_int_ne(mysql_get_socket(connection->mysql), number);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    if (ends[0] != number) {
        ck_assert_int_eq(dup2(ends[0], number), number);
    }
    ck_assert(task_socket_begin(&other, number));
    connection_close(connection);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    ck_assert_uint_ne(task_socket_wait(&other, EPOLLIN, clock_monotonic() + 10 * SECOND), 0);
    task_socket_end(&other);
    close(ends[1]);
}

START_TEST(closing_ends_no_other_watch) {
    on_task(close_after_number_was_used_again);
}
END_TEST

static MYSQL *other;

static enum status add_and_block_commits(struct connection *connection, void *unused) {
    struct sql *sql = sql_begin(connection, SQL_dispatcher_add);
    (void)unused;
    sql_text(sql, TEXT("one"));
    for (int i = 0; i < 5; i++) {
        sql_number(sql, 1);
    }
    enum status status = sql_run(sql, NULL);
    sql_end(sql);
    ck_assert_uint_eq(database_error(other, "FLUSH TABLES WITH READ LOCK"), 0);
    /* Soon: once a second the server looks whether who waits for the lock is still there, and gives the commit up. */
    connection_lend(connection, INT64_MAX, clock_monotonic() + SECOND / 4);
    return status;
}

static void commit_beyond_its_time(void) {
    static const struct connection_options options = {&config, &config.database.dispatcher, 0};
    struct connection *connection = NULL;
    ck_assert_int_eq(connection_open(&options, &connection), STATUS_OK);
    ck_assert_int_eq(sql_transact(connection, add_and_block_commits, NULL), STATUS_UNSURE);
    ck_assert_uint_eq(database_error(other, "UNLOCK TABLES"), 0);
    ck_assert(!connection_is_usable(connection));
    connection_close(connection);
}

/* The server commits after all, so the status "refused" would have been wrong. */
START_TEST(a_commit_that_is_cut_may_have_been_done) {
    database_run("REPLACE INTO dispatcher_totals (host) VALUES ('one')");
    other = database_login(OWNER);
    on_task(commit_beyond_its_time);
    database_wait_for("SELECT finalised FROM dispatcher_totals WHERE host = 'one'");
    mysql_close(other);
}
END_TEST

TCase *loop_tests(void) {
    TCase *tests = database_case("loop");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, statements_of_two_tasks_run_at_the_same_time);
    tcase_add_test(tests, a_statement_beyond_its_time_is_cut);
    tcase_add_test(tests, what_was_given_back_is_not_cut);
    tcase_add_test(tests, connections_are_lent_in_the_order_of_asking);
    tcase_add_test(tests, who_waits_for_a_connection_is_not_overtaken);
    tcase_add_test(tests, waits_a_second_when_all_are_busy);
    tcase_add_test(tests, comes_back_when_the_server_does);
    tcase_add_test(tests, closing_ends_no_other_watch);
    tcase_add_test(tests, a_commit_that_is_cut_may_have_been_done);
    return tests;
}
