#include "store.h"

#include "linked_pool.h"
#include "store/db/connection_private.h"
#include "store/pool/pool_private.h"
#include "unit/files.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

START_TEST(connections_are_used_again) {
    struct connection *first = linked_pool_take();
    ck_assert_int_eq(linked_pool_use(first), STATUS_OK);
    pool_give(linked_pool, first);
    ck_assert_ptr_eq(linked_pool_take(), first);
    struct connection *second = linked_pool_take();
    ck_assert_ptr_ne(second, first);
    pool_give(linked_pool, first);
    pool_give(linked_pool, second);
    ck_assert(pool_access(linked_pool) == SCHEMA_READY);
    ck_assert_uint_eq(
        database_number("SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'recaudo_worker'"), 2);
}
END_TEST

enum { THREADS = 12, ROUNDS = 50 };

static atomic_int in_use, most_in_use, failures;

static void *work(void *context) {
    (void)context;
    for (int i = 0; i < ROUNDS; i++) {
        struct connection *connection;
        if (pool_take(linked_pool, &connection) != STATUS_OK) {
            failures++;
            continue;
        }
        int now = ++in_use, most = most_in_use;
        while (now > most && !atomic_compare_exchange_weak(&most_in_use, &most, now)) {
        }
        failures += linked_pool_use(connection) != STATUS_OK;
        in_use--;
        pool_give(linked_pool, connection);
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
    struct connection *first = linked_pool_take(), *second = linked_pool_take(), *third;
    duration began = clock_monotonic();
    ck_assert_int_eq(pool_take(linked_pool, &third), STATUS_AWAY);
    duration took = clock_monotonic() - began;
    ck_assert_int_ge(took, SECOND);
    ck_assert_int_lt(took, 15 * SECOND);
    ck_assert(pool_access(linked_pool) == SCHEMA_READY);
    pool_give(linked_pool, first);
    pool_give(linked_pool, second);
    pool_give(linked_pool, linked_pool_take());
}
END_TEST

static struct connection *lend_for(duration time) {
    struct connection *connection = NULL;
    ck_assert_int_eq(pool_take_until(linked_pool, clock_monotonic() + time, &connection), STATUS_OK);
    return connection;
}

START_TEST(waits_no_longer_than_the_borrower_has_time) {
    struct connection *first = linked_pool_take(), *second = linked_pool_take(), *third;
    duration began = clock_monotonic();
    ck_assert_int_eq(pool_take_until(linked_pool, began + SECOND / 10, &third), STATUS_AWAY);
    ck_assert_int_lt(clock_monotonic() - began, 5 * SECOND);
    ck_assert_int_eq(pool_take_until(linked_pool, began, &third), STATUS_AWAY);
    pool_give(linked_pool, first);
    pool_give(linked_pool, second);
}
END_TEST

START_TEST(a_lent_connection_tries_for_a_while) {
    struct connection *connection = lend_for(MINUTE);
    ck_assert(connection_may_try_again(connection));
    ck_assert_int_le(connection->tries_until, clock_monotonic() + POOL_TRYING_MAX);
    pool_give(linked_pool, connection);
    connection = lend_for(SECOND / 2);
    while (connection_may_try_again(connection)) {
    }
    pool_give(linked_pool, connection);
    connection = linked_pool_take();
    ck_assert(connection_may_try_again(connection));
    pool_give(linked_pool, connection);
}
END_TEST

START_TEST(a_transaction_left_open_is_seen_and_rolled_back) {
    linked_options.account = &config.database.operator;
    struct connection *connection = linked_pool_take();
    unsigned long id = database_thread_id(connection);
    MYSQL *mysql = connection->mysql;
    uint64_t before = database_number("SELECT COUNT(*) FROM networks");
    ck_assert_uint_eq(database_error(mysql, "START TRANSACTION; INSERT INTO networks (name, fixed_hash, changed_by)"
                                            " VALUES ('left open', 'x', 'test')"),
                      0);
    pool_give(linked_pool, connection);
    ck_assert_ptr_nonnull(strstr(errors_text(), "left a database transaction open"));
    connection = linked_pool_take();
    ck_assert_uint_ne(database_thread_id(connection), id);
    ck_assert(!connection_in_transaction(connection));
    pool_give(linked_pool, connection);
    ck_assert(pool_access(linked_pool) == SCHEMA_READY);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM networks"), before);
}
END_TEST

START_TEST(one_lost_connection_renews_the_others) {
    struct connection *first = linked_pool_take(), *second = linked_pool_take();
    unsigned long ids[2] = {database_thread_id(first), database_thread_id(second)};
    pool_give(linked_pool, first);
    database_kill(ids[1]);
    ck_assert_int_ne(linked_pool_use(second), STATUS_OK);
    pool_give(linked_pool, second);
    first = linked_pool_take();
    second = linked_pool_take();
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_ne(database_thread_id(first), ids[i]);
        ck_assert_uint_ne(database_thread_id(second), ids[i]);
    }
    ck_assert_int_eq(linked_pool_use(first), STATUS_OK);
    ck_assert_int_eq(linked_pool_use(second), STATUS_OK);
    pool_give(linked_pool, first);
    pool_give(linked_pool, second);
}
END_TEST

/* A connection that was lent when another one was lost is suspect too, although it is returned later. */
START_TEST(one_lost_connection_renews_those_that_are_lent) {
    struct connection *lent = linked_pool_take(), *lost = linked_pool_take();
    unsigned long id = database_thread_id(lent);
    database_kill(database_thread_id(lost));
    ck_assert_int_ne(linked_pool_use(lost), STATUS_OK);
    pool_give(linked_pool, lost);
    pool_give(linked_pool, lent);
    lent = linked_pool_take();
    ck_assert_uint_ne(database_thread_id(lent), id);
    id = database_thread_id(lent);
    pool_give(linked_pool, lent);
    lent = linked_pool_take();
    ck_assert_uint_eq(database_thread_id(lent), id); /* once is enough */
    pool_give(linked_pool, lent);
}
END_TEST

/* Servers close connections that were idle too long, at night for example. No request may fail because of that. */
START_TEST(what_died_while_idle_is_not_given_out) {
    struct connection *first = linked_pool_take(), *second = linked_pool_take();
    unsigned long ids[2] = {database_thread_id(first), database_thread_id(second)};
    pool_give(linked_pool, first);
    pool_give(linked_pool, second);
    database_kill(ids[0]);
    database_kill(ids[1]);
    first = linked_pool_take();
    second = linked_pool_take();
    ck_assert_int_eq(linked_pool_use(first), STATUS_OK);
    ck_assert_int_eq(linked_pool_use(second), STATUS_OK);
    pool_give(linked_pool, first);
    pool_give(linked_pool, second);
}
END_TEST

START_TEST(connects_on_first_use) {
    ck_assert(pool_access(linked_pool) == SCHEMA_READY);
    ck_assert_uint_eq(
        database_number("SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'recaudo_worker'"), 0);
}
END_TEST

/* Waits until the keeper has made all connections. */
static void make_ahead(void) {
    pool_make_ahead(linked_pool);
    for (bool complete = false; !complete;) {
        pthread_mutex_lock(&linked_pool->lock);
        complete = pool_is_live(linked_pool, linked_pool->idle[0]) && pool_is_live(linked_pool, linked_pool->idle[1]);
        pthread_mutex_unlock(&linked_pool->lock);
        sched_yield();
    }
}

static void use_both(void) {
    struct connection *first = linked_pool_take(), *second = linked_pool_take();
    ck_assert_int_eq(linked_pool_use(first), STATUS_OK);
    ck_assert_int_eq(linked_pool_use(second), STATUS_OK);
    pool_give(linked_pool, first);
    pool_give(linked_pool, second);
}

START_TEST(connects_before_anybody_needs_it) {
    make_ahead();
    linked_pool_close_door();
    use_both();
    ck_assert(pool_access(linked_pool) == SCHEMA_READY);
}
END_TEST

START_TEST(connects_again_before_anybody_needs_it) {
    make_ahead();
    struct connection *lost = linked_pool_take();
    database_kill(database_thread_id(lost));
    ck_assert_int_ne(linked_pool_use(lost), STATUS_OK);
    pool_give(linked_pool, lost);
    make_ahead();
    linked_pool_close_door();
    use_both();
}
END_TEST

/* Otherwise it would have to be made anew, and the pool would go down for it. */
START_TEST(what_lives_is_used_before_what_died_while_idle) {
    struct connection *first = linked_pool_take(), *second = linked_pool_take();
    unsigned long died = database_thread_id(second), lives = database_thread_id(first);
    pool_give(linked_pool, first);
    pool_give(linked_pool, second);
    linked_pool_close_door();
    database_kill(died);
    first = linked_pool_take();
    ck_assert_uint_eq(database_thread_id(first), lives);
    ck_assert_int_eq(linked_pool_use(first), STATUS_OK);
    pool_give(linked_pool, first);
    ck_assert(pool_access(linked_pool) == SCHEMA_READY);
}
END_TEST

START_TEST(what_died_while_idle_is_not_to_spare) {
    pool_give(linked_pool, linked_pool_take());
    ck_assert(pool_has_spare(linked_pool));
    struct connection *only = linked_pool_take();
    unsigned long id = database_thread_id(only);
    pool_give(linked_pool, only);
    database_kill(id);
    ck_assert(!pool_has_spare(linked_pool));
}
END_TEST

START_TEST(stays_up_while_no_other_connection_can_be_made) {
    make_ahead();
    struct connection *first = linked_pool_take(), *second = linked_pool_take();
    linked_pool_close_door();
    database_kill(database_thread_id(second));
    ck_assert_int_ne(linked_pool_use(second), STATUS_OK);
    pool_give(linked_pool, second);
    while (strstr(errors_text(), "cannot connect") == NULL) {
        sched_yield();
    }
    ck_assert(pool_access(linked_pool) == SCHEMA_READY);
    ck_assert_int_eq(linked_pool_use(first), STATUS_OK);
    linked_pool_bring_server_back();
    pool_give(linked_pool, first);
    make_ahead();
    ck_assert_ptr_null(strstr(errors_text(), "unreachable"));
}
END_TEST

TCase *pool_tests(void) {
    TCase *tests = database_case("pool");
    tcase_add_checked_fixture(tests, linked_pool_begin, linked_pool_end);
    tcase_add_test(tests, connects_on_first_use);
    tcase_add_test(tests, connections_are_used_again);
    tcase_add_test(tests, many_threads_share_few_connections);
    tcase_add_test(tests, waits_a_second_when_all_are_busy);
    tcase_add_test(tests, waits_no_longer_than_the_borrower_has_time);
    tcase_add_test(tests, a_lent_connection_tries_for_a_while);
    tcase_add_test(tests, a_transaction_left_open_is_seen_and_rolled_back);
    tcase_add_test(tests, one_lost_connection_renews_the_others);
    tcase_add_test(tests, one_lost_connection_renews_those_that_are_lent);
    tcase_add_test(tests, what_died_while_idle_is_not_given_out);
    tcase_add_test(tests, what_lives_is_used_before_what_died_while_idle);
    tcase_add_test(tests, what_died_while_idle_is_not_to_spare);
    tcase_add_test(tests, connects_before_anybody_needs_it);
    tcase_add_test(tests, connects_again_before_anybody_needs_it);
    tcase_add_test(tests, stays_up_while_no_other_connection_can_be_made);
    return tests;
}
