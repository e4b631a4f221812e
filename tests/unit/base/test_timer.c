#include "unit.h"

#include "base/loop/timer.h"

enum { TIMERS = 500 };

static struct timer timers[TIMERS];
static duration last;
static size_t called;

static void note(struct timer *timer) {
    ck_assert_int_ge(timer->at, last);
    ck_assert_uint_eq(timer->place, 0);
    last = timer->at;
    called++;
}

static void set_up(void) {
    uint32_t random = 1;
    last = 0;
    called = 0;
    for (size_t i = 0; i < TIMERS; i++) {
        random = random * 1664525 + 1013904223;
        timers[i] = (struct timer){.due = note};
        timer_set(&timers[i], random >> 12);
    }
}

START_TEST(timers_are_called_in_their_order) {
    ck_assert_int_lt(timers_next(), INT64_MAX);
    timers_run(INT64_MAX - 1);
    ck_assert_uint_eq(called, TIMERS);
    ck_assert_int_eq(timers_next(), INT64_MAX);
}
END_TEST

START_TEST(none_is_called_before_its_time) {
    duration half = 1 << 19;
    timers_run(half);
    ck_assert_int_le(last, half);
    ck_assert_int_gt(timers_next(), half);
    size_t early = called;
    ck_assert_uint_gt(early, TIMERS / 4);
    timers_run(INT64_MAX - 1);
    ck_assert_uint_eq(called, TIMERS);
}
END_TEST

START_TEST(what_was_cleared_is_not_called) {
    for (size_t i = 0; i < TIMERS; i += 3) {
        timer_clear(&timers[i]);
        timer_clear(&timers[i]);
    }
    for (size_t i = 1; i < TIMERS; i += 3) {
        timer_set(&timers[i], (duration)(TIMERS - i));
    }
    timer_set(&timers[2], INT64_MAX);
    timers_run(INT64_MAX - 1);
    ck_assert_uint_eq(called, TIMERS - (TIMERS + 2) / 3 - 1);
}
END_TEST

TCase *timer_tests(void) {
    TCase *tests = unit_case("timer");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, timers_are_called_in_their_order);
    tcase_add_test(tests, none_is_called_before_its_time);
    tcase_add_test(tests, what_was_cleared_is_not_called);
    return tests;
}
