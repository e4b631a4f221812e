#include "unit.h"

#include "api/worker/turns.h"
#include "base/clock.h"

#include <pthread.h>
#include <unistd.h>

enum { TURNS = 2, THREADS = 6, REQUESTS = 2000 };

static struct turns *turns;
static _Atomic unsigned with_turn, working, done;

static void set_up(void) {
    turns = turns_create(TURNS);
    with_turn = working = done = 0;
}

static void tear_down(void) {
    turns_destroy(turns);
}

static pthread_t start(void *(*run)(void *)) {
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, run, NULL), 0);
    return thread;
}

static void await(const _Atomic unsigned *number, unsigned value) {
    duration until = clock_monotonic() + 10 * SECOND;
    while (*number != value) {
        ck_assert_int_lt(clock_monotonic(), until);
        usleep(1000);
    }
}

static void *stand_by(void *nothing) {
    turns_take(turns);
    with_turn++;
    return nothing;
}

START_TEST(the_others_stand_by) {
    pthread_t threads[3];
    turns_take(turns);
    turns_begin_request(turns);
    for (unsigned i = 0; i < 3; i++) {
        threads[i] = start(stand_by);
    }
    await(&with_turn, 1);
    turns_leave(turns);
    await(&with_turn, 2);
    turns_stop(turns);
    await(&with_turn, 3);
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
}
END_TEST

static _Atomic unsigned may_return, standing_by_when_back;

static void *come_back(void *nothing) {
    turns_take(turns);
    turns_begin_request(turns);
    turns_leave(turns);
    done++;
    await(&may_return, 1);
    turns_return(turns);
    standing_by_when_back = with_turn;
    done++;
    turns_leave(turns);
    return nothing;
}

static void *take_once(void *nothing) {
    stand_by(nothing);
    turns_begin_request(turns);
    turns_leave(turns);
    return nothing;
}

/* The only turn is always at work: at the end of a request it goes to the one who comes back, although another stands
 * by for longer. */
START_TEST(who_comes_back_comes_first) {
    tear_down();
    turns = turns_create(1);
    may_return = 0;
    pthread_t returning = start(come_back);
    await(&done, 1);
    turns_take(turns);
    turns_begin_request(turns);
    pthread_t standing_by = start(take_once);
    may_return = 1;
    while (done == 1) {
        turns_end_request(turns);
        turns_begin_request(turns);
    }
    ck_assert_uint_eq(standing_by_when_back, 0);
    turns_leave(turns);
    pthread_join(returning, NULL);
    pthread_join(standing_by, NULL);
    ck_assert_uint_eq(with_turn, 1);
}
END_TEST

/* Requests of which every third waits in the middle: never more at work than twice the turns, and everyone comes
 * through. */
static void *serve(void *nothing) {
    for (unsigned i = 0; i < REQUESTS; i++) {
        turns_begin_request(turns);
        ck_assert_uint_le(++working, 2 * TURNS);
        if (i % 3 == 0) {
            working--;
            turns_leave(turns);
            usleep(10);
            turns_return(turns);
            working++;
        }
        working--;
        done++;
        turns_end_request(turns);
    }
    return nothing;
}

static void *take_and_serve(void *nothing) {
    turns_take(turns);
    serve(nothing);
    turns_begin_request(turns);
    turns_leave(turns);
    return nothing;
}

START_TEST(everyone_comes_through) {
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i] = start(take_and_serve);
    }
    await(&done, THREADS * REQUESTS);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}
END_TEST

TCase *turns_tests(void) {
    TCase *tests = unit_case("turns");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_others_stand_by);
    tcase_add_test(tests, who_comes_back_comes_first);
    tcase_add_test(tests, everyone_comes_through);
    return tests;
}
