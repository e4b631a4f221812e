#include "unit.h"

#include "domain/total.h"

#include <signal.h>

static struct money amount(const char *text) {
    struct money found;
    ck_assert_msg(money_parse(text_of(text), &found), "%s", text);
    return found;
}

static const struct {
    const char *amounts[4];
    const char *currency;
    const char *sum;
} SUMS[] = {
    {{NULL}, "COP", "0.00"},
    {{NULL}, "CLP", "0"},
    {{"45000"}, "COP", "45000.00"},
    {{"0.1", "0.2"}, "COP", "0.30"},
    {{"0.9999", "0.0001"}, "COP", "1.00"},
    {{"0.9999", "0.0002"}, "COP", "1.0001"},
    {{"0.5", "0.5", "0.5"}, "CLP", "1.5"},
    {{"1.005", "2.995"}, "COP", "4.00"},
    {{"999999999999999.9999", "999999999999999.9999", "999999999999999.9999"}, "CLF", "2999999999999999.9997"},
    {{"999999999999999.9999", "0.0001", "7"}, "CLP", "1000000000000007"},
};

START_TEST(adds_exactly) {
    struct total total = {0};
    char out[TOTAL_TEXT_SIZE];
    for (size_t i = 0; SUMS[_i].amounts[i] != NULL; i++) {
        total_add(&total, amount(SUMS[_i].amounts[i]));
    }
    ck_assert_str_eq(total_print(&total, text_of(SUMS[_i].currency), out), SUMS[_i].sum);
}
END_TEST

START_TEST(holds_far_more_than_one_amount) {
    struct total total = {0};
    char out[TOTAL_TEXT_SIZE];
    for (int i = 0; i < 10000; i++) {
        total_add(&total, amount("999999999999999.9999"));
    }
    ck_assert_str_eq(total_print(&total, TEXT("COP"), out), "9999999999999999999.00");
}
END_TEST

/* If all tests run in one process (main.c), it must not abort. */
#if !defined __SANITIZE_ADDRESS__ && !defined MEASURES_COVERAGE
START_TEST(ends_rather_than_print_a_wrong_sum) {
    struct total total = {UINT64_MAX, 9999};
    total_add(&total, amount("0.0001"));
}
END_TEST
#endif

TCase *total_tests(void) {
    TCase *tests = unit_case("total");
    add_table_test(tests, adds_exactly, SUMS);
    tcase_add_test(tests, holds_far_more_than_one_amount);
#if !defined __SANITIZE_ADDRESS__ && !defined MEASURES_COVERAGE
    tcase_add_test_raise_signal(tests, ends_rather_than_print_a_wrong_sum, SIGABRT);
#endif
    return tests;
}
