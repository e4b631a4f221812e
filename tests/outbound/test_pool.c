#include "outbound.h"

#include "outbound/http_pool.h"

#include <pthread.h>

enum { POOL_MAX = 4, THREADS = 4, REQUESTS = 50, HERE = 1, THERE = 2 };

static struct http_pool *pool;

static void begin_pool(void) {
    begin();
    pool = http_pool_create(&guard, POOL_MAX, NULL);
}

static void end_pool(void) {
    http_pool_destroy(pool);
    end();
}

static void ask(uint64_t place, struct arena *memory) {
    struct http_client *taken = http_pool_take(pool, place);
    struct http_request request = request_to(url_of("/ok"));
    struct http_reply reply;
    http_perform(taken, &request, memory, &reply);
    ck_assert_int_eq(reply.status, 200);
    http_pool_give(pool, taken, place);
}

START_TEST(a_connection_is_used_again) {
    for (int i = 0; i < 10; i++) {
        ask(HERE, arena);
    }
    ck_assert_uint_eq(stub_connections(stub), 1);
}
END_TEST

START_TEST(each_place_keeps_its_own) {
    for (int i = 0; i < 10; i++) {
        ask(HERE, arena);
        ask(THERE, arena);
    }
    ck_assert_uint_eq(stub_connections(stub), 2);
}
END_TEST

START_TEST(the_longest_idle_one_makes_room) {
    for (uint64_t place = 1; place <= POOL_MAX; place++) {
        ask(place, arena);
    }
    struct http_client *first = http_pool_take(pool, 1), *second = http_pool_take(pool, 2);
    http_pool_give(pool, second, 2);
    http_pool_give(pool, first, 1);
    struct http_client *third = http_pool_take(pool, 3);
    http_pool_give(pool, third, 3); /* 4 is now idle for longest */
    struct http_client *new = http_pool_take(pool, 5);
    ck_assert_ptr_ne(new, first);
    ck_assert_ptr_ne(new, second);
    ck_assert_ptr_ne(new, third);
    http_pool_give(pool, new, 5);
}
END_TEST

static void *ask_often(void *of_url) {
    struct arena *memory = arena_create();
    struct http_request request = request_to(*(struct text *)of_url);
    for (int i = 0; i < REQUESTS; i++) {
        struct http_client *taken = http_pool_take(pool, HERE);
        struct http_reply reply;
        http_perform(taken, &request, memory, &reply);
        ck_assert_int_eq(reply.status, 200);
        http_pool_give(pool, taken, HERE);
    }
    arena_destroy(memory);
    return NULL;
}

START_TEST(many_threads) {
    pthread_t threads[THREADS];
    struct text url = url_of("/ok");
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask_often, &url), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(stub_requests(stub), THREADS * REQUESTS);
    ck_assert_uint_le(stub_connections(stub), POOL_MAX);
}
END_TEST

TCase *pool_tests(void) {
    TCase *tests = tcase_create("pool");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, begin_pool, end_pool);
    tcase_add_test(tests, a_connection_is_used_again);
    tcase_add_test(tests, each_place_keeps_its_own);
    tcase_add_test(tests, the_longest_idle_one_makes_room);
    tcase_add_test(tests, many_threads);
    return tests;
}
