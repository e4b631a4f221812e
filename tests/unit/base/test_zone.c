#include "unit.h"

#include "base/zone/zone.h"
#include "domain/instant.h"

#include <pthread.h>

static instant at(const char *text) {
    instant found;
    ck_assert_msg(instant_parse(text_of(text), &found), "%s", text);
    return found;
}

/* Local times are written as if they were UTC. */
static const struct {
    const char *zone, *local, *utc;
} MOMENTS[] = {
    {"America/Bogota", "2026-11-22T00:00:00Z", "2026-11-22T05:00:00Z"},
    {"America/Costa_Rica", "2026-11-22T00:00:00Z", "2026-11-22T06:00:00Z"},
    {"America/Guayaquil", "2026-11-22T00:00:00Z", "2026-11-22T05:00:00Z"},
    {"America/Lima", "2026-11-22T23:59:59.999999Z", "2026-11-23T04:59:59.999999Z"},
    {"UTC", "2026-11-22T00:00:00Z", "2026-11-22T00:00:00Z"},
    {"America/Santiago", "2024-07-01T00:00:00Z", "2024-07-01T04:00:00Z"},
    {"America/Santiago", "2024-12-01T00:00:00Z", "2024-12-01T03:00:00Z"},
    {"Asia/Kathmandu", "2026-01-01T00:00:00Z", "2025-12-31T18:15:00Z"},
};

START_TEST(tells_the_time_there) {
    instant utc, local;
    ck_assert(zone_to_utc(MOMENTS[_i].zone, at(MOMENTS[_i].local), &utc));
    ck_assert_int_eq(utc, at(MOMENTS[_i].utc));
    ck_assert(zone_to_local(MOMENTS[_i].zone, utc, &local));
    ck_assert_int_eq(local, at(MOMENTS[_i].local));
}
END_TEST

/* In New York, clocks were put back at two on 26 October 1969. */
START_TEST(a_part_of_a_second_before_1970_is_of_the_second_before) {
    const instant BACK = -5767200 * SECOND;
    instant local;
    ck_assert(zone_to_local("America/New_York", BACK - 1, &local));
    ck_assert_int_eq(local, BACK - 1 - 4 * HOUR);
    ck_assert(zone_to_local("America/New_York", BACK, &local));
    ck_assert_int_eq(local, BACK - 5 * HOUR);
}
END_TEST

/* In Chile, clocks change at midnight. */
START_TEST(a_midnight_that_is_left_out_is_when_the_clock_goes_on) {
    instant utc;
    ck_assert(zone_to_utc("America/Santiago", at("2024-09-08T00:00:00Z"), &utc));
    ck_assert_int_eq(utc, at("2024-09-08T04:00:00Z"));
}
END_TEST

/* Clocks are put back from daylight to standard time, in Ireland and Morocco to daylight time, and in Caracas for good.
 */
static const struct {
    const char *zone, *local, *utc;
} TWICE[] = {
    {"America/Santiago", "2024-04-06T23:30:00Z", "2024-04-07T03:30:00Z"},
    {"America/Santiago", "2024-04-07T00:00:00Z", "2024-04-07T04:00:00Z"},
    {"Europe/Dublin", "2026-10-25T01:30:00Z", "2026-10-25T01:30:00Z"},
    {"Africa/Casablanca", "2026-02-15T02:30:00Z", "2026-02-15T02:30:00Z"},
    {"America/Caracas", "2007-12-09T02:45:00Z", "2007-12-09T07:15:00Z"},
};

START_TEST(a_reading_that_comes_twice_is_the_later_one) {
    instant utc;
    ck_assert(zone_to_utc(TWICE[_i].zone, at(TWICE[_i].local), &utc));
    ck_assert_int_eq(utc, at(TWICE[_i].utc));
}
END_TEST

/* The last names mean another zone on another machine. */
static const char *const UNKNOWN[] = {"",
                                      "America/Nowhere",
                                      "../../etc/passwd",
                                      "america/bogota",
                                      "America/Bogota/America/Bogota/America/Bogota/America/Bogota/America/Bogota",
                                      "localtime",
                                      "./localtime",
                                      "posixrules",
                                      "/usr/share/zoneinfo/UTC",
                                      "../zoneinfo/UTC"};

START_TEST(an_unknown_zone_is_said_to_be_so) {
    instant out = 7;
    ck_assert_msg(!zone_to_utc(UNKNOWN[_i], 0, &out), "%s", UNKNOWN[_i]);
    ck_assert(!zone_to_local(UNKNOWN[_i], 0, &out));
    ck_assert_int_eq(out, 7);
}
END_TEST

static void *ask_often(void *wrong) {
    for (int round = 0; round < 2000; round++) {
        size_t one = (size_t)round % COUNT_OF(MOMENTS);
        instant utc;
        if (!zone_to_utc(MOMENTS[one].zone, at(MOMENTS[one].local), &utc) || utc != at(MOMENTS[one].utc)) {
            *(bool *)wrong = true;
        }
    }
    return NULL;
}

START_TEST(many_threads_may_ask) {
    pthread_t threads[4];
    bool wrong[COUNT_OF(threads)] = {false};
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask_often, &wrong[i]), 0);
    }
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        pthread_join(threads[i], NULL);
        ck_assert(!wrong[i]);
    }
}
END_TEST

TCase *zone_tests(void) {
    TCase *tests = unit_case("zone");
    add_table_test(tests, tells_the_time_there, MOMENTS);
    tcase_add_test(tests, a_part_of_a_second_before_1970_is_of_the_second_before);
    tcase_add_test(tests, a_midnight_that_is_left_out_is_when_the_clock_goes_on);
    add_table_test(tests, a_reading_that_comes_twice_is_the_later_one, TWICE);
    add_table_test(tests, an_unknown_zone_is_said_to_be_so, UNKNOWN);
    tcase_add_test(tests, many_threads_may_ask);
    return tests;
}
