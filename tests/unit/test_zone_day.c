#include "unit.h"

#include "base/zone_day.h"
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
    /* 23 and 25 hours; the clock changes by night */
    {"Europe/Madrid", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
    {"Europe/Madrid", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
    /* 23.5 and 24.5 */
    {"Australia/Lord_Howe", "2025-10-05", "2025-10-04T13:30:00Z", "2025-10-05T13:00:00Z"},
    {"Australia/Lord_Howe", "2025-04-06", "2025-04-05T13:00:00Z", "2025-04-06T13:30:00Z"},
    /* there is no 00:00: the day begins at 01:00 */
    {"America/Santiago", "2024-09-08", "2024-09-08T04:00:00Z", "2024-09-09T03:00:00Z"},
    {"America/Santiago", "2024-09-07", "2024-09-07T04:00:00Z", "2024-09-08T04:00:00Z"},
    /* 24:00 becomes 23:00 of the same day */
    {"America/Santiago", "2024-04-06", "2024-04-06T03:00:00Z", "2024-04-07T04:00:00Z"},
    {"America/Santiago", "2024-04-07", "2024-04-07T04:00:00Z", "2024-04-08T04:00:00Z"},
    /* 01:00 becomes 00:00: 00:00 comes twice, and the day begins at the first of them */
    {"America/Havana", "2024-11-03", "2024-11-03T04:00:00Z", "2024-11-04T05:00:00Z"},
    {"America/Havana", "2024-11-02", "2024-11-02T04:00:00Z", "2024-11-03T04:00:00Z"},
    /* 00:01 becomes 23:01 of the day before: a minute of the new day came first */
    {"America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z", "2010-11-08T03:30:00Z"},
    /* the day that Samoa left out */
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
}
END_TEST

TCase *zone_day_tests(void) {
    TCase *tests = unit_case("zone_day");
    add_table_test(tests, cuts_days_by_the_clock_there, DAYS);
    add_table_test(tests, days_leave_no_gap_and_share_nothing, ZONES);
    tcase_add_test(tests, no_day_of_an_unknown_zone);
    return tests;
}
