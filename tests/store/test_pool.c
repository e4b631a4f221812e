#include "store.h"

#include "../unit/files.h"
#include "store/connection_private.h"
#include "store/networks.h"
#include "store/pool.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * The pool connects through a symbolic link to the server's socket. Without the link, and with its connections ended, the server is
 * gone for the pool as if it had stopped.
 */
static struct config through_link;
static struct connection_options options;
static char directory[64], link_path[80];
static struct pool *pool;

static void bring_server_back(void) {
    ck_assert_int_eq(symlink(config.database.socket, link_path), 0);
}

static void set_up(void) {
    capture_errors();
    snprintf(directory, sizeof directory, "/tmp/recaudo-pool-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(link_path, sizeof link_path, "%s/db.sock", directory);
    bring_server_back();
    through_link = config;
    through_link.database.socket = link_path;
    options = (struct connection_options){&through_link, &through_link.database.worker, false};
    sample_network("Red Norte");
    pool = pool_create(&options, 2);
}

static void tear_down(void) {
    pool_destroy(pool);
    unlink(link_path);
    rmdir(directory);
}

static struct connection *take(void) {
    struct connection *connection = NULL;
    ck_assert_int_eq(pool_take(pool, &connection), STATUS_OK);
    return connection;
}

static enum status use(struct connection *connection) {
    struct network_row network;
    struct arena *memory = arena_create();
    enum status status = networks_find(connection, TEXT("Red Norte"), memory, &network);
    arena_destroy(memory);
    return status;
}

static void take_server_away(void) {
    unlink(link_path);
    database_run("KILL USER recaudo_worker@localhost");
    database_wait_for("SELECT COUNT(*) = 0 FROM information_schema.processlist WHERE user = 'recaudo_worker'");
}

/* The pool finds out by using a connection. */
static void lose_server(void) {
    struct connection *connection = take();
    take_server_away();
    enum status status = use(connection);
    ck_assert(status == STATUS_AWAY || status == STATUS_UNSURE);
    pool_give(pool, connection);
    ck_assert_int_eq(pool_take(pool, &connection), STATUS_AWAY);
    ck_assert(!pool_is_up(pool));
}

START_TEST(connections_are_used_again) {
    struct connection *first = take();
    ck_assert_int_eq(use(first), STATUS_OK);
    pool_give(pool, first);
    ck_assert_ptr_eq(take(), first);
    struct connection *second = take();
    ck_assert_ptr_ne(second, first);
    pool_give(pool, first);
    pool_give(pool, second);
    ck_assert(pool_is_up(pool));
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'recaudo_worker'"), 2);
}
END_TEST

enum { THREADS = 12, ROUNDS = 50 };

static atomic_int in_use, most_in_use, failures;

static void *work(void *context) {
    (void)context;
    for (int i = 0; i < ROUNDS; i++) {
        struct connection *connection;
        if (pool_take(pool, &connection) != STATUS_OK) {
            failures++;
            continue;
        }
        int now = ++in_use, most = most_in_use;
        while (now > most && !atomic_compare_exchange_weak(&most_in_use, &most, now)) {
        }
        failures += use(connection) != STATUS_OK;
        in_use--;
        pool_give(pool, connection);
    }
    return NULL;
}

START_TEST(many_threads_share_few_connections) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    }
    ck_assert_int_eq(failures, 0);
    ck_assert_int_eq(most_in_use, 2);
}
END_TEST

START_TEST(waits_a_second_when_all_are_busy) {
    struct connection *first = take(), *second = take(), *third;
    duration began = clock_monotonic();
    ck_assert_int_eq(pool_take(pool, &third), STATUS_AWAY);
    duration took = clock_monotonic() - began;
    ck_assert_int_ge(took, SECOND);
    ck_assert_int_lt(took, 3 * SECOND);
    ck_assert(pool_is_up(pool));
    pool_give(pool, first);
    pool_give(pool, second);
    pool_give(pool, take());
}
END_TEST

static atomic_bool waiting;

static void *wait_for_one(void *out) {
    waiting = true;
    *(enum status *)out = pool_take(pool, &(struct connection *){NULL});
    return NULL;
}

static void start_waiter(pthread_t *waiter, enum status *status) {
    waiting = false;
    ck_assert_int_eq(pthread_create(waiter, NULL, wait_for_one, status), 0);
    while (!waiting) {
        sched_yield();
    }
}

START_TEST(who_waits_is_let_go_when_the_server_does_not_come_back) {
    struct connection *first = take(), *second = take();
    enum status status = STATUS_OK;
    pthread_t waiter;
    take_server_away();
    start_waiter(&waiter, &status);
    ck_assert_int_ne(use(first), STATUS_OK);
    pool_give(pool, first);
    ck_assert_int_eq(pthread_join(waiter, NULL), 0);
    ck_assert_int_eq(status, STATUS_AWAY);
    ck_assert(!pool_is_up(pool));
    pool_give(pool, second);
}
END_TEST

START_TEST(a_transaction_left_open_is_seen_and_rolled_back) {
    options.account = &through_link.database.operator;
    struct connection *connection = take();
    unsigned long id = database_thread_id(connection);
    MYSQL *mysql = connection->mysql;
    uint64_t before = database_number("SELECT COUNT(*) FROM networks");
    ck_assert_uint_eq(database_error(mysql, "START TRANSACTION; INSERT INTO networks (name, fixed_hash, changed_by)"
                                            " VALUES ('left open', 'x', 'test')"),
                      0);
    pool_give(pool, connection);
    ck_assert_ptr_nonnull(strstr(errors_text(), "left a database transaction open"));
    connection = take();
    ck_assert_uint_ne(database_thread_id(connection), id);
    ck_assert(!connection_in_transaction(connection));
    pool_give(pool, connection);
    ck_assert(pool_is_up(pool));
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM networks"), before);
}
END_TEST

START_TEST(one_lost_connection_renews_the_others) {
    struct connection *first = take(), *second = take();
    unsigned long ids[2] = {database_thread_id(first), database_thread_id(second)};
    pool_give(pool, first);
    database_kill(ids[1]);
    ck_assert_int_ne(use(second), STATUS_OK);
    pool_give(pool, second);
    first = take();
    second = take();
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_ne(database_thread_id(first), ids[i]);
        ck_assert_uint_ne(database_thread_id(second), ids[i]);
    }
    ck_assert_int_eq(use(first), STATUS_OK);
    ck_assert_int_eq(use(second), STATUS_OK);
    pool_give(pool, first);
    pool_give(pool, second);
}
END_TEST

/* Servers close what was idle too long, at night for example: no request may fail for it. */
START_TEST(what_died_while_idle_is_not_given_out) {
    struct connection *first = take(), *second = take();
    unsigned long ids[2] = {database_thread_id(first), database_thread_id(second)};
    pool_give(pool, first);
    pool_give(pool, second);
    database_kill(ids[0]);
    database_kill(ids[1]);
    first = take();
    second = take();
    ck_assert_int_eq(use(first), STATUS_OK);
    ck_assert_int_eq(use(second), STATUS_OK);
    pool_give(pool, first);
    pool_give(pool, second);
}
END_TEST

START_TEST(is_down_at_once_when_the_server_stops) {
    struct connection *connection;
    lose_server();
    duration began = clock_monotonic();
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(pool_take(pool, &connection), STATUS_AWAY);
    }
    ck_assert_int_lt(clock_monotonic() - began, SECOND);
    ck_assert_ptr_nonnull(strstr(errors_text(), "database: away"));
}
END_TEST

START_TEST(is_back_within_two_seconds) {
    struct connection *connection;
    lose_server();
    bring_server_back();
    duration began = clock_monotonic();
    while (pool_take(pool, &connection) != STATUS_OK) {
        ck_assert_int_lt(clock_monotonic() - began, 2 * SECOND);
        sched_yield();
    }
    ck_assert_int_eq(use(connection), STATUS_OK);
    ck_assert(pool_is_up(pool));
    pool_give(pool, connection);
    ck_assert_ptr_nonnull(strstr(errors_text(), "database: back"));
}
END_TEST

START_TEST(comes_back_again_and_again) {
    for (int i = 0; i < 3; i++) {
        lose_server();
        bring_server_back();
        struct connection *connection;
        while (pool_take(pool, &connection) != STATUS_OK) {
            sched_yield();
        }
        ck_assert_int_eq(use(connection), STATUS_OK);
        pool_give(pool, connection);
    }
}
END_TEST

/* Somebody listens where the server was, and answers nothing: a frozen server. */
static int listen_silently(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, link_path, strlen(link_path));
    int silent = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(silent, (const struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(silent, 100), 0);
    return silent;
}

START_TEST(a_frozen_server_costs_one_time_out) {
    struct connection *connection;
    unlink(link_path);
    int silent = listen_silently();
    duration began = clock_monotonic();
    ck_assert_int_eq(pool_take(pool, &connection), STATUS_AWAY);
    ck_assert_int_lt(clock_monotonic() - began, config.database.connect_timeout + SECOND);
    began = clock_monotonic();
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(pool_take(pool, &connection), STATUS_AWAY);
    }
    ck_assert_int_lt(clock_monotonic() - began, SECOND / 2);
    close(silent);
}
END_TEST

START_TEST(ends_while_the_server_is_away) {
    lose_server();
    duration began = clock_monotonic();
    pool_destroy(pool);
    ck_assert_int_lt(clock_monotonic() - began, 2 * SECOND);
    pool = pool_create(&options, 1);
}
END_TEST

START_TEST(connects_on_first_use) {
    ck_assert(pool_is_up(pool));
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'recaudo_worker'"), 0);
}
END_TEST

TCase *pool_tests(void) {
    TCase *tests = database_case("pool");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, connects_on_first_use);
    tcase_add_test(tests, connections_are_used_again);
    tcase_add_test(tests, many_threads_share_few_connections);
    tcase_add_test(tests, waits_a_second_when_all_are_busy);
    tcase_add_test(tests, who_waits_is_let_go_when_the_server_does_not_come_back);
    tcase_add_test(tests, a_transaction_left_open_is_seen_and_rolled_back);
    tcase_add_test(tests, one_lost_connection_renews_the_others);
    tcase_add_test(tests, what_died_while_idle_is_not_given_out);
    tcase_add_test(tests, is_down_at_once_when_the_server_stops);
    tcase_add_test(tests, is_back_within_two_seconds);
    tcase_add_test(tests, comes_back_again_and_again);
    tcase_add_test(tests, a_frozen_server_costs_one_time_out);
    tcase_add_test(tests, ends_while_the_server_is_away);
    return tests;
}
