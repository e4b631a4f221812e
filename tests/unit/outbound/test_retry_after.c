#include "unit.h"

#include "outbound/retry_after.h"

#include <curl/curl.h>
#include <inttypes.h>

/* 2026-11-21T12:00:00Z */
#define NOW (1795262400 * SECOND)

static const struct {
    const char *line;
    duration expected;
} HEADERS[] = {
    {"Retry-After: 120\r\n", 120 * SECOND},
    {"retry-after:0", 0},
    {"Retry-After: 99999999999999999999", 0},
    {"Retry-After: 18446744073709551615", INT64_MAX / SECOND *SECOND},
    {"Retry-After: Sat, 21 Nov 2026 12:00:30 GMT\r\n", 30 * SECOND},
    {"Retry-After: Sat, 21 Nov 2026 12:00:00 GMT", 0},
    {"Retry-After: Sat, 21 Nov 2026 11:59:59 GMT", 0},
    {"Retry-After: soon", 0},
    {"Retry-After:", 0},
};

START_TEST(says_how_long_to_wait) {
    duration found = -1;
    ck_assert(retry_after_read(text_of(HEADERS[_i].line), NOW, &found));
    ck_assert_msg(found == HEADERS[_i].expected, "%s: %" PRId64, HEADERS[_i].line, found);
}
END_TEST

/* The library reads such a year, or says that it is no date. */
START_TEST(year_beyond_what_an_instant_holds) {
    duration found = -1;
    bool is_date = curl_getdate("Fri, 31 Dec 999999 23:59:59 GMT", NULL) != -1;
    ck_assert(retry_after_read(TEXT("Retry-After: Fri, 31 Dec 999999 23:59:59 GMT"), NOW, &found));
    ck_assert_int_eq(found, is_date ? INT64_MAX / SECOND * SECOND - NOW : 0);
}
END_TEST

START_TEST(other_headers) {
    duration found = -1;
    ck_assert(!retry_after_read(TEXT("Retry-Afterwards: 1"), NOW, &found));
    ck_assert(!retry_after_read(TEXT("Retry"), NOW, &found));
    ck_assert_int_eq(found, -1);
}
END_TEST

TCase *retry_after_tests(void) {
    TCase *tests = unit_case("retry_after");
    add_table_test(tests, says_how_long_to_wait, HEADERS);
    tcase_add_test(tests, year_beyond_what_an_instant_holds);
    tcase_add_test(tests, other_headers);
    return tests;
}
