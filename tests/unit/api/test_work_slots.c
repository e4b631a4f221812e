#include "unit.h"

#include "api/worker/work_slots.h"
#include "base/clock.h"

#include <pthread.h>
#include <unistd.h>

enum { SLOTS = 2, THREADS = 6, REQUESTS = 2000 };

static struct work_slots *work_slots;
static _Atomic unsigned with_slot, working, done;

static void set_up(void) {
    work_slots = work_slots_create(SLOTS);
    with_slot = working = done = 0;
}

static void tear_down(void) {
    work_slots_destroy(work_slots);
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
    work_slots_take(work_slots);
    with_slot++;
    return nothing;
}

START_TEST(the_others_stand_by) {
    pthread_t threads[3];
    work_slots_take(work_slots);
    work_slots_begin_request(work_slots);
    for (unsigned i = 0; i < 3; i++) {
        threads[i] = start(stand_by);
    }
    await(&with_slot, 1);
    work_slots_leave(work_slots);
    await(&with_slot, 2);
    work_slots_stop(work_slots);
    await(&with_slot, 3);
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
}
END_TEST

static _Atomic unsigned may_return, standing_by_when_back;

static void *come_back(void *nothing) {
    work_slots_take(work_slots);
    work_slots_begin_request(work_slots);
    work_slots_leave(work_slots);
    done++;
    await(&may_return, 1);
    work_slots_return(work_slots);
    standing_by_when_back = with_slot;
    done++;
    work_slots_leave(work_slots);
    return nothing;
}

static void *take_once(void *nothing) {
    stand_by(nothing);
    work_slots_begin_request(work_slots);
    work_slots_leave(work_slots);
    return nothing;
}

/* The only slot is always at work: at the end of a request it goes to the one who comes back, although another stands
 * by for longer. */
START_TEST(who_comes_back_comes_first) {
    tear_down();
    work_slots = work_slots_create(1);
    may_return = 0;
    pthread_t returning = start(come_back);
    await(&done, 1);
    work_slots_take(work_slots);
    work_slots_begin_request(work_slots);
    pthread_t standing_by = start(take_once);
    may_return = 1;
    while (done == 1) {
        work_slots_end_request(work_slots);
        work_slots_begin_request(work_slots);
    }
    ck_assert_uint_eq(standing_by_when_back, 0);
    work_slots_leave(work_slots);
    pthread_join(returning, NULL);
    pthread_join(standing_by, NULL);
    ck_assert_uint_eq(with_slot, 1);
}
END_TEST

/* Requests of which every third waits in the middle: never more at work than twice the work_slots, and everyone comes
 * through. */
static void *serve(void *nothing) {
    for (unsigned i = 0; i < REQUESTS; i++) {
        work_slots_begin_request(work_slots);
        ck_assert_uint_le(++working, 2 * SLOTS);
        if (i % 3 == 0) {
            working--;
            work_slots_leave(work_slots);
            usleep(10);
            work_slots_return(work_slots);
            working++;
        }
        working--;
        done++;
        work_slots_end_request(work_slots);
    }
    return nothing;
}

static void *take_and_serve(void *nothing) {
    work_slots_take(work_slots);
    serve(nothing);
    work_slots_begin_request(work_slots);
    work_slots_leave(work_slots);
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

TCase *work_slots_tests(void) {
    TCase *tests = unit_case("work_slots");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_others_stand_by);
    tcase_add_test(tests, who_comes_back_comes_first);
    tcase_add_test(tests, everyone_comes_through);
    return tests;
}
