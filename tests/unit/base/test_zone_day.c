#include "unit.h"

#include "base/zone/zone_day.h"
#include "domain/instant.h"

static instant at(const char *text) {
    instant found;
    ck_assert_msg(instant_parse(text_of(text), &found), "%s", text);
    return found;
}

static const struct {
    const char *zone, *day, *begins, *ends;
} DAYS[] = {
    {"UTC", "2026-11-21", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"},
    {"America/Bogota", "2026-11-21", "2026-11-21T05:00:00Z", "2026-11-22T05:00:00Z"},
    {"Asia/Kathmandu", "2026-11-21", "2026-11-20T18:15:00Z", "2026-11-21T18:15:00Z"},
    /* 23 and 25 hours; the clock changes at night */
    {"Europe/Madrid", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
    {"Europe/Madrid", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
    /* 23.5 and 24.5 hours */
    {"Australia/Lord_Howe", "2025-10-05", "2025-10-04T13:30:00Z", "2025-10-05T13:00:00Z"},
    {"Australia/Lord_Howe", "2025-04-06", "2025-04-05T13:00:00Z", "2025-04-06T13:30:00Z"},
    /* there is no 00:00, so the day begins at 01:00 */
    {"America/Santiago", "2024-09-08", "2024-09-08T04:00:00Z", "2024-09-09T03:00:00Z"},
    {"America/Santiago", "2024-09-07", "2024-09-07T04:00:00Z", "2024-09-08T04:00:00Z"},
    /* 24:00 becomes 23:00 of the same day */
    {"America/Santiago", "2024-04-06", "2024-04-06T03:00:00Z", "2024-04-07T04:00:00Z"},
    {"America/Santiago", "2024-04-07", "2024-04-07T04:00:00Z", "2024-04-08T04:00:00Z"},
    /* 01:00 becomes 00:00, which occurs twice; the day begins at the first */
    {"America/Havana", "2024-11-03", "2024-11-03T04:00:00Z", "2024-11-04T05:00:00Z"},
    {"America/Havana", "2024-11-02", "2024-11-02T04:00:00Z", "2024-11-03T04:00:00Z"},
    /* 00:01 becomes 23:01 of the previous day, after the first minute of the new day */
    {"America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z", "2010-11-08T03:30:00Z"},
    /* the day that Samoa skipped */
    {"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"},
    {"Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"},
    {"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"},
};

START_TEST(cuts_days_by_the_clock_there) {
    char day[40];
    instant begins, ends;
    snprintf(day, sizeof day, "%sT00:00:00Z", DAYS[_i].day);
    ck_assert(zone_day(DAYS[_i].zone, at(day), &begins, &ends));
    ck_assert_int_eq(begins, at(DAYS[_i].begins));
    ck_assert_int_eq(ends, at(DAYS[_i].ends));
}
END_TEST

static const char *const ZONES[] = {"UTC",           "America/Bogota",      "America/Santiago", "America/Havana",
                                    "Europe/Madrid", "Australia/Lord_Howe", "Pacific/Apia",     "America/St_Johns"};

START_TEST(days_leave_no_gap_and_share_nothing) {
    instant begins, ends, last = 0;
    for (instant midnight = at("2009-01-01T00:00:00Z"); midnight < at("2027-01-01T00:00:00Z"); midnight += DAY) {
        ck_assert(zone_day(ZONES[_i], midnight, &begins, &ends));
        ck_assert_msg(last == 0 || begins == last, "%s, day %d", ZONES[_i], (int)(midnight / DAY));
        ck_assert_int_ge(ends, begins);
        ck_assert_int_le(ends - begins, 26 * HOUR);
        last = ends;
    }
}
END_TEST

START_TEST(no_day_of_an_unknown_zone) {
    instant begins, ends;
    ck_assert(!zone_day("America/Nowhere", at("2026-11-21T00:00:00Z"), &begins, &ends));
    ck_assert(!zone_due("America/Nowhere", at("2026-11-21T00:00:00Z"), &begins));
}
END_TEST

static const struct {
    const char *zone, *due, *local;
} DUES[] = {
    {"America/Bogota", "2026-11-22T05:00:00Z", "2026-11-22T00:00:00Z"},
    {"America/Bogota", "2026-11-22T06:00:00Z", "2026-11-22T01:00:00Z"},
    /* the clock goes from 23:59:59 to 01:00 */
    {"America/Santiago", "2024-09-08T03:59:00Z", "2024-09-07T23:59:00Z"},
    {"America/Santiago", "2024-09-08T04:00:00Z", "2024-09-08T00:00:00Z"},
    {"America/Santiago", "2024-09-08T04:01:00Z", "2024-09-08T01:01:00Z"},
    /* 00:00 occurs twice */
    {"America/Havana", "2024-11-03T04:00:00Z", "2024-11-03T00:00:00Z"},
    {"America/Havana", "2024-11-03T04:30:00Z", "2024-11-03T00:30:00Z"},
    {"America/Havana", "2024-11-03T05:00:00Z", "2024-11-03T00:00:00Z"},
};

START_TEST(a_day_ends_at_midnight_though_no_clock_shows_it) {
    instant local;
    ck_assert(zone_due(DUES[_i].zone, at(DUES[_i].due), &local));
    ck_assert_int_eq(local, at(DUES[_i].local));
}
END_TEST

static const struct {
    const char *zone, *time, *now, *cut, *day;
} CUTS[] = {
    {"UTC", "00:00", "2026-11-21T00:00:00Z", "2026-11-21T00:00:00Z", "2026-11-20"},
    {"UTC", "00:00", "2026-11-20T23:59:59Z", "2026-11-20T00:00:00Z", "2026-11-19"},
    {"America/Bogota", "00:00", "2026-11-21T05:00:01Z", "2026-11-21T05:00:00Z", "2026-11-20"},
    {"America/Bogota", "18:30", "2026-11-21T23:29:59Z", "2026-11-20T23:30:00Z", "2026-11-20"},
    {"America/Bogota", "18:30", "2026-11-21T23:30:00Z", "2026-11-21T23:30:00Z", "2026-11-21"},
    /* 02:30 is skipped: the moment of the change; 02:30 occurs twice: the second time */
    {"Europe/Madrid", "02:30", "2026-03-29T00:59:59Z", "2026-03-28T01:30:00Z", "2026-03-28"},
    {"Europe/Madrid", "02:30", "2026-03-29T02:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29"},
    {"Europe/Madrid", "02:30", "2026-10-25T00:45:00Z", "2026-10-24T00:30:00Z", "2026-10-24"},
    {"Europe/Madrid", "02:30", "2026-10-25T01:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25"},
    /* midnight is the beginning of the day, as in zone_day */
    {"America/Santiago", "00:00", "2024-09-08T04:00:00Z", "2024-09-08T04:00:00Z", "2024-09-07"},
    {"America/Havana", "00:00", "2024-11-03T04:30:00Z", "2024-11-03T04:00:00Z", "2024-11-02"},
    {"America/Havana", "00:00", "2024-11-03T05:30:00Z", "2024-11-03T04:00:00Z", "2024-11-02"},
    {"Pacific/Apia", "00:00", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-29"},
};

START_TEST(finds_the_last_time_of_a_day) {
    char day[40];
    duration time;
    instant cut, midnight;
    ck_assert(zone_parse_time(text_of(CUTS[_i].time), &time));
    ck_assert(zone_cut(CUTS[_i].zone, time, at(CUTS[_i].now), &cut, &midnight));
    snprintf(day, sizeof day, "%sT00:00:00Z", CUTS[_i].day);
    ck_assert_int_eq(cut, at(CUTS[_i].cut));
    ck_assert_int_eq(midnight, at(day));
}
END_TEST

/* Each day has exactly one cut, whenever it is computed. */
START_TEST(cuts_come_once_a_day) {
    instant cut, day, last_cut = 0, last_day = 0;
    for (instant now = at("2009-01-01T00:00:00Z"); now < at("2027-01-01T00:00:00Z"); now += HOUR / 2) {
        ck_assert(zone_cut(ZONES[_i], _i % 2 == 0 ? 0 : 2 * HOUR + HOUR / 2, now, &cut, &day));
        ck_assert_int_le(cut, now);
        ck_assert_int_ge(cut, last_cut);
        ck_assert_int_eq(cut == last_cut, day == last_day);
        last_cut = cut;
        last_day = day;
    }
}
END_TEST

static const char *const NO_TIMES[] = {"",      "24:00", "12:60",    "1:00", "12:0",
                                       "12-00", "+1:00", "12:00:00", "noon", "OFF"};

START_TEST(reads_times_of_day) {
    char text[8];
    duration time;
    ck_assert(zone_parse_time(TEXT("23:59"), &time) && time == 23 * HOUR + 59 * MINUTE);
    ck_assert_str_eq(zone_print_time(time, text, sizeof text), "23:59");
    ck_assert(zone_parse_time(TEXT("off"), &time) && time == ZONE_TIME_OFF);
    ck_assert_str_eq(zone_print_time(time, text, sizeof text), "off");
    for (size_t i = 0; i < COUNT_OF(NO_TIMES); i++) {
        ck_assert_msg(!zone_parse_time(text_of(NO_TIMES[i]), &time), "%s", NO_TIMES[i]);
    }
}
END_TEST

TCase *zone_day_tests(void) {
    TCase *tests = unit_case("zone_day");
    add_table_test(tests, cuts_days_by_the_clock_there, DAYS);
    add_table_test(tests, days_leave_no_gap_and_share_nothing, ZONES);
    tcase_add_test(tests, no_day_of_an_unknown_zone);
    add_table_test(tests, a_day_ends_at_midnight_though_no_clock_shows_it, DUES);
    add_table_test(tests, finds_the_last_time_of_a_day, CUTS);
    add_table_test(tests, cuts_come_once_a_day, ZONES);
    tcase_add_test(tests, reads_times_of_day);
    return tests;
}
