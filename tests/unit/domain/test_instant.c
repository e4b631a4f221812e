#include "unit.h"

#include "domain/instant.h"

/* Seconds as printed by GNU date. */
static const struct {
    struct civil civil;
    int64_t seconds;
    const char *text;
} MOMENTS[] = {
    {{1970, 1, 1, 0, 0, 0, 0}, 0, "1970-01-01T00:00:00.000000Z"},
    {{1970, 1, 1, 0, 0, 1, 0}, 1, "1970-01-01T00:00:01.000000Z"},
    {{1972, 2, 29, 12, 0, 0, 0}, 68212800, "1972-02-29T12:00:00.000000Z"},
    {{1999, 12, 31, 23, 59, 59, 0}, 946684799, "1999-12-31T23:59:59.000000Z"},
    {{2000, 2, 29, 0, 0, 0, 0}, 951782400, "2000-02-29T00:00:00.000000Z"},
    {{2000, 12, 31, 0, 0, 0, 0}, 978220800, "2000-12-31T00:00:00.000000Z"},
    {{2038, 1, 19, 3, 14, 8, 0}, 2147483648, "2038-01-19T03:14:08.000000Z"},
    {{2100, 3, 1, 0, 0, 0, 0}, 4107542400, "2100-03-01T00:00:00.000000Z"},
    {{9999, 12, 31, 23, 59, 59, 0}, 253402300799, "9999-12-31T23:59:59.000000Z"},
};

START_TEST(agrees_with_date) {
    instant at;
    char out[INSTANT_TEXT_SIZE];
    ck_assert(instant_of_civil(&MOMENTS[_i].civil, &at));
    ck_assert_int_eq(at, MOMENTS[_i].seconds * SECOND);
    struct civil back = instant_to_civil(at);
    ck_assert_int_eq(memcmp(&back, &MOMENTS[_i].civil, sizeof back), 0);
    ck_assert_str_eq(instant_print(at, out), MOMENTS[_i].text);
}
END_TEST

static const struct civil IMPOSSIBLE[] = {
    {1969, 12, 31, 23, 59, 59, 0}, {10000, 1, 1, 0, 0, 0, 0}, {2026, 0, 1, 0, 0, 0, 0},       {2026, 13, 1, 0, 0, 0, 0},
    {2026, 1, 0, 0, 0, 0, 0},      {2026, 1, 32, 0, 0, 0, 0}, {2026, 12, 32, 0, 0, 0, 0},     {2026, 4, 31, 0, 0, 0, 0},
    {2026, 2, 29, 0, 0, 0, 0},     {2100, 2, 29, 0, 0, 0, 0}, {2024, 2, 30, 0, 0, 0, 0},      {2026, 1, 1, 24, 0, 0, 0},
    {2026, 1, 1, 0, 60, 0, 0},     {2026, 1, 1, 0, 0, 60, 0}, {2026, 1, 1, 0, 0, 0, 1000000},
};

START_TEST(refuses_what_is_no_moment) {
    instant at = 77;
    ck_assert(!instant_of_civil(&IMPOSSIBLE[_i], &at));
    ck_assert_int_eq(at, 77);
}
END_TEST

static bool is_same_moment(const struct civil *civil, const struct tm *parts) {
    return civil->year == (unsigned)parts->tm_year + 1900 && civil->month == (unsigned)parts->tm_mon + 1 &&
           civil->day == (unsigned)parts->tm_mday && civil->hour == (unsigned)parts->tm_hour &&
           civil->minute == (unsigned)parts->tm_min && civil->second == (unsigned)parts->tm_sec;
}

START_TEST(every_day_before_1970) {
    for (int64_t day = -200000; day < 0; day++) {
        instant at = day * DAY + (-day) * 7919 % 86400 * SECOND + 999999;
        struct civil civil = instant_to_civil(at);
        time_t seconds = (time_t)((at - 999999) / SECOND);
        struct tm parts;
        gmtime_r(&seconds, &parts);
        ck_assert_msg(is_same_moment(&civil, &parts) && civil.microsecond == 999999, "day %lld", (long long)day);
    }
}
END_TEST

/* Every day up to 2500, at a time that moves through the day, compared with the C library. */
START_TEST(round_trip_of_every_day) {
    for (int64_t day = 0; day < 193600; day++) {
        instant at = day * DAY + day * 7919 % 86400 * SECOND, back = 0;
        struct civil civil = instant_to_civil(at);
        time_t seconds = (time_t)(at / SECOND);
        struct tm parts;
        gmtime_r(&seconds, &parts);
        if (!is_same_moment(&civil, &parts) || !instant_of_civil(&civil, &back) || back != at) {
            ck_abort_msg("day %d", (int)day);
        }
    }
}
END_TEST

static const struct {
    const char *text;
    bool valid;
    instant at;
} TEXTS[] = {
    {"0", true, 0},
    {"1795253400", true, 1795253400 * SECOND},
    {"9999999999", true, 9999999999 * SECOND},
    {"2026-11-21T09:30:00Z", true, 1795253400 * SECOND},
    {"2026-11-21 09:30:00Z", true, 1795253400 * SECOND},
    {"2026-11-21T09:30:00.5Z", true, 1795253400 * SECOND + 500000},
    {"2026-11-21T09:30:00.000001Z", true, 1795253400 * SECOND + 1},
    {"2026-11-21T09:30:00.123456Z", true, 1795253400 * SECOND + 123456},
    {"9999-12-31T23:59:59.999999Z", true, 253402300799 * SECOND + 999999},
    {"", false, 0},
    {"10000000000", false, 0},
    {"-1", false, 0},
    {"1795253400.5", false, 0},
    {"2026-11-21", false, 0},
    {"2026-11-21T09:30:00", false, 0},
    {"2026-11-21T09:30Z", false, 0},
    {"2026-11-21T09:30:Z", false, 0},
    {"2026-11-21T09:30:x0Z", false, 0},
    {"2026-11-21T09:30:00z", false, 0},
    {"2026-11-21t09:30:00Z", false, 0},
    {"2026-11-21T09:30:00+00:00", false, 0},
    {"2026-11-21T09:30:00-05:00", false, 0},
    {"2026-11-21T09:30:00.Z", false, 0},
    {"2026-11-21T09:30:00.1234567Z", false, 0},
    {"2026-11-21T09:30:00.0000001Z", false, 0},
    {"2026-11-21T09:30:00,5Z", false, 0},
    {"2026-11-21T09:30:00Z ", false, 0},
    {" 2026-11-21T09:30:00Z", false, 0},
    {"2026-11-21T9:30:00Z", false, 0},
    {"26-11-21T09:30:00Z", false, 0},
    {"2026-02-30T09:30:00Z", false, 0},
    {"2026-11-21T24:00:00Z", false, 0},
    {"2026-11-21T23:59:60Z", false, 0},
    {"1969-12-31T23:59:59Z", false, 0},
    {"2026/11/21T09:30:00Z", false, 0},
};

START_TEST(reads_seconds_and_iso) {
    instant at = 77;
    ck_assert(instant_parse(text_of(TEXTS[_i].text), &at) == TEXTS[_i].valid);
    ck_assert_int_eq(at, TEXTS[_i].valid ? TEXTS[_i].at : 77);
}
END_TEST

START_TEST(a_nul_separates_nothing) {
    static const char WHOLE[] = "2026-11-21T09:30:00Z";
    for (size_t i = 0; i < sizeof WHOLE - 1; i++) {
        char text[sizeof WHOLE];
        instant at = 77;
        memcpy(text, WHOLE, sizeof text);
        text[i] = '\0';
        ck_assert_msg(!instant_parse((struct text){text, sizeof WHOLE - 1}, &at) && at == 77, "character %zu", i);
    }
}
END_TEST

static const struct {
    const char *text;
    bool valid;
    instant midnight;
} DAYS[] = {
    {"1970-01-01", true, 0},
    {"2026-11-21", true, 1795219200 * SECOND},
    {"2024-02-29", true, 1709164800 * SECOND},
    {"2026-02-29", false, 0},
    {"2026-11-2", false, 0},
    {"2026-11-211", false, 0},
    {"2026-11-2x", false, 0},
    {"2026/11/21", false, 0},
    {"2026-11-21T00:00:00Z", false, 0},
    {"1795219200", false, 0},
    {"0", false, 0},
    {"", false, 0},
};

START_TEST(reads_a_day) {
    instant at = 77;
    ck_assert(instant_parse_day(text_of(DAYS[_i].text), &at) == DAYS[_i].valid);
    ck_assert_int_eq(at, DAYS[_i].valid ? DAYS[_i].midnight : 77);
}
END_TEST

START_TEST(what_is_printed_reads_back) {
    for (instant at = 1; at < 253402300800 * SECOND; at += 987654321987654) {
        char out[INSTANT_TEXT_SIZE];
        instant back;
        ck_assert(instant_parse(text_of(instant_print(at, out)), &back));
        ck_assert_int_eq(back, at);
    }
    char out[INSTANT_TEXT_SIZE];
    ck_assert_str_eq(instant_print(999999, out), "1970-01-01T00:00:00.999999Z");
}
END_TEST

TCase *instant_tests(void) {
    TCase *tests = unit_case("instant");
    add_table_test(tests, agrees_with_date, MOMENTS);
    add_table_test(tests, refuses_what_is_no_moment, IMPOSSIBLE);
    tcase_add_test(tests, round_trip_of_every_day);
    tcase_add_test(tests, every_day_before_1970);
    add_table_test(tests, reads_seconds_and_iso, TEXTS);
    tcase_add_test(tests, a_nul_separates_nothing);
    add_table_test(tests, reads_a_day, DAYS);
    tcase_add_test(tests, what_is_printed_reads_back);
    return tests;
}
