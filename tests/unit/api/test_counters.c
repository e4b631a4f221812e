#include "unit.h"

#include "api/worker/counters.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, REPLIES = 10000 };

static struct counters *counters;

static void set_up(void) {
    counters = counters_create();
}

static void tear_down(void) {
    counters_destroy(counters);
}

START_TEST(a_reply_steps_its_counter) {
    counters_note_reply(counters, 3, "0101", 7 * MILLISECOND);
    ck_assert_uint_eq(counters->routes[3].replies[REFUSED_NO_SUCH_REFERENCE], 1);
    ck_assert_uint_eq(counters->routes[3].replies[GRANTED], 0);
    ck_assert_uint_eq(counters->routes[3].took.sum, 7000);
    ck_assert_uint_eq(counters->routes[3].took.buckets[3], 1);
    counters_note_reply(counters, SIZE_MAX, "0141", 0);
    ck_assert_uint_eq(counters->routes[COUNTERS_ROUTES_MAX].replies[REFUSED_NO_SUCH_ROUTE], 1);
}
END_TEST

static const struct {
    duration took;
    size_t bucket;
} BUCKETS[] = {{0, 0},    {1000, 0}, {1001, 1}, {2500, 1}, {2501, 2}, {10 * SECOND, 12}, {10 * SECOND + 1, 13},
               {HOUR, 13}};

START_TEST(a_bound_belongs_to_its_bucket) {
    counters_note_query(counters, QUERY_SILENT, BUCKETS[_i].took);
    for (size_t i = 0; i <= COUNTERS_BOUNDS; i++) {
        ck_assert_uint_eq(counters->queries_took.buckets[i], i == BUCKETS[_i].bucket);
    }
    ck_assert_uint_eq(counters->queries[QUERY_SILENT], 1);
}
END_TEST

START_TEST(bounds_ascend) {
    for (size_t i = 1; i < COUNTERS_BOUNDS; i++) {
        ck_assert_int_gt(COUNTERS_BOUND[i], COUNTERS_BOUND[i - 1]);
    }
}
END_TEST

static void *note_many(void *nothing) {
    for (int i = 0; i < REPLIES; i++) {
        counters_note_reply(counters, 0, "0000", 1);
    }
    return nothing;
}

START_TEST(nothing_is_lost_among_threads_and_processes) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        note_many(NULL);
        kill(getpid(), SIGKILL);
    }
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, note_many, NULL), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_uint_eq(counters->routes[0].replies[GRANTED], (THREADS + 1) * REPLIES);
    ck_assert_uint_eq(counters->routes[0].took.sum, (THREADS + 1) * REPLIES);
}
END_TEST

/* Gauges of a process end with it; its counters stay. */
START_TEST(a_process_that_ended) {
    struct counted_process *process = &counters->processes[1];
    counters_begin_process(counters, 1);
    process->pool.size = 4;
    process->pool.in_use = 3;
    process->pool.waits = 9;
    process->pool.waited = 900;
    counters_end_process(counters, 1);
    ck_assert_uint_eq(process->runs + process->pool.size + process->pool.in_use, 0);
    ck_assert_uint_eq(process->pool.waits, 9);
    ck_assert_uint_eq(process->pool.waited, 900);
    ck_assert_uint_eq(counters->process_starts, 1);
}
END_TEST

TCase *counters_tests(void) {
    TCase *tests = unit_case("counters");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_reply_steps_its_counter);
    tcase_add_loop_test(tests, a_bound_belongs_to_its_bucket, 0, (int)COUNT_OF(BUCKETS));
    tcase_add_test(tests, bounds_ascend);
    tcase_add_test(tests, nothing_is_lost_among_threads_and_processes);
    tcase_add_test(tests, a_process_that_ended);
    return tests;
}
