#include "store.h"

#include "linked_pool.h"
#include "unit/files.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The pool's behaviour when the server stops and when it comes back. */

/* The pool notices only when a connection is used. */
static void lose_server(void) {
    struct connection *connection = linked_pool_take();
    linked_pool_take_server_away();
    enum status status = linked_pool_use(connection);
    ck_assert(status == STATUS_AWAY || status == STATUS_UNSURE);
    pool_give(linked_pool, connection);
    ck_assert_int_eq(pool_take(linked_pool, &connection), STATUS_AWAY);
    ck_assert(pool_access(linked_pool) != SCHEMA_READY);
}

static atomic_bool waiting;

static void *wait_for_one(void *out) {
    waiting = true;
    *(enum status *)out = pool_take(linked_pool, &(struct connection *){NULL});
    return NULL;
}

static void start_waiter(pthread_t *waiter, enum status *status) {
    waiting = false;
    ck_assert_int_eq(pthread_create(waiter, NULL, wait_for_one, status), 0);
    while (!waiting) {
        sched_yield();
    }
}

enum { WAITERS = 5 };

START_TEST(who_waits_is_let_go_when_the_server_does_not_come_back) {
    struct connection *first = linked_pool_take(), *second = linked_pool_take();
    enum status statuses[WAITERS];
    pthread_t waiters[WAITERS];
    linked_pool_take_server_away();
    duration began = clock_monotonic();
    for (int i = 0; i < WAITERS; i++) {
        start_waiter(&waiters[i], &statuses[i]);
    }
    ck_assert_int_ne(linked_pool_use(first), STATUS_OK);
    pool_give(linked_pool, first);
    for (int i = 0; i < WAITERS; i++) {
        ck_assert_int_eq(pthread_join(waiters[i], NULL), 0);
        ck_assert_int_eq(statuses[i], STATUS_AWAY);
    }
    ck_assert_int_lt(clock_monotonic() - began, SECOND);
    ck_assert(pool_access(linked_pool) != SCHEMA_READY);
    pool_give(linked_pool, second);
}
END_TEST

START_TEST(is_down_at_once_when_the_server_stops) {
    struct connection *connection;
    lose_server();
    duration began = clock_monotonic();
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(pool_take(linked_pool, &connection), STATUS_AWAY);
    }
    ck_assert_int_lt(clock_monotonic() - began, 5 * SECOND);
    ck_assert_ptr_nonnull(strstr(errors_text(), "database: unreachable"));
}
END_TEST

static size_t count_attempts(void) {
    size_t count = 0;
    for (const char *at = errors_text(); (at = strstr(at, "cannot connect")) != NULL; at++) {
        count++;
    }
    return count;
}

/* Within two seconds; a busy machine may take longer. */
START_TEST(is_back_soon) {
    struct connection *connection;
    lose_server();
    while (count_attempts() < 2) { /* one of the caller, one of the pool; repetitions by a thread are written once */
        sched_yield();
    }
    linked_pool_bring_server_back();
    duration began = clock_monotonic();
    while (pool_take(linked_pool, &connection) != STATUS_OK) {
        ck_assert_int_lt(clock_monotonic() - began, 10 * SECOND);
        sched_yield();
    }
    ck_assert_int_eq(linked_pool_use(connection), STATUS_OK);
    ck_assert(pool_access(linked_pool) == SCHEMA_READY);
    pool_give(linked_pool, connection);
    ck_assert_ptr_nonnull(strstr(errors_text(), "database: reachable again"));
}
END_TEST

START_TEST(comes_back_again_and_again) {
    for (int i = 0; i < 3; i++) {
        lose_server();
        linked_pool_bring_server_back();
        struct connection *connection;
        while (pool_take(linked_pool, &connection) != STATUS_OK) {
            sched_yield();
        }
        ck_assert_int_eq(linked_pool_use(connection), STATUS_OK);
        pool_give(linked_pool, connection);
    }
}
END_TEST

/* A process listens in place of the server and never answers, like a frozen server. */
static int listen_silently(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", linked_pool_path());
    int silent = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(silent, (const struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(silent, 100), 0);
    return silent;
}

START_TEST(a_frozen_server_costs_one_time_out) {
    struct connection *connection;
    unlink(linked_pool_path());
    int silent = listen_silently();
    duration began = clock_monotonic();
    ck_assert_int_eq(pool_take(linked_pool, &connection), STATUS_AWAY);
    ck_assert_int_lt(clock_monotonic() - began, config.database.connect_timeout + 10 * SECOND);
    began = clock_monotonic();
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(pool_take(linked_pool, &connection), STATUS_AWAY);
    }
    ck_assert_int_lt(clock_monotonic() - began, 5 * SECOND);
    close(silent);
}
END_TEST

/* A connect that began before the server went away and came back must end without affecting the pool's view of the
 * server. */
START_TEST(a_connect_of_before_does_not_take_the_pool_down_again) {
    struct connection *connection;
    enum status status;
    pthread_t waiter;
    unlink(linked_pool_path());
    int silent = listen_silently();
    start_waiter(&waiter, &status);
    int accepted = accept(silent, NULL, NULL);
    unlink(linked_pool_path());
    ck_assert_int_eq(pool_take(linked_pool, &connection), STATUS_AWAY);
    linked_pool_bring_server_back();
    while (pool_access(linked_pool) != SCHEMA_READY) {
        sched_yield();
    }
    close(accepted);
    close(silent);
    ck_assert_int_eq(pthread_join(waiter, NULL), 0);
    ck_assert_int_eq(status, STATUS_AWAY);
    ck_assert(pool_access(linked_pool) == SCHEMA_READY);
    connection = linked_pool_take();
    ck_assert_int_eq(linked_pool_use(connection), STATUS_OK);
    pool_give(linked_pool, connection);
}
END_TEST

START_TEST(ends_while_the_server_is_away) {
    lose_server();
    duration began = clock_monotonic();
    pool_destroy(linked_pool);
    ck_assert_int_lt(clock_monotonic() - began, 10 * SECOND);
    linked_pool = pool_create(&linked_options, 1);
}
END_TEST

TCase *outage_tests(void) {
    TCase *tests = database_case("outage");
    tcase_add_checked_fixture(tests, linked_pool_begin, linked_pool_end);
    tcase_add_test(tests, who_waits_is_let_go_when_the_server_does_not_come_back);
    tcase_add_test(tests, is_down_at_once_when_the_server_stops);
    tcase_add_test(tests, is_back_soon);
    tcase_add_test(tests, comes_back_again_and_again);
    tcase_add_test(tests, a_frozen_server_costs_one_time_out);
    tcase_add_test(tests, a_connect_of_before_does_not_take_the_pool_down_again);
    tcase_add_test(tests, ends_while_the_server_is_away);
    return tests;
}
