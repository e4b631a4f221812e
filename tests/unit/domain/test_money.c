#include "unit.h"

#include "domain/money.h"

#define GREATEST UINT64_C(9999999999999999999)

static const struct {
    const char *text;
    bool valid;
    uint64_t units;
} AMOUNTS[] = {
    {"0", true, 0},
    {"0.0000", true, 0},
    {"000000000000000", true, 0},
    {"1", true, 10000},
    {"01", true, 10000},
    {"45000", true, 450000000},
    {"45000.0", true, 450000000},
    {"45000.00", true, 450000000},
    {"45000.000", true, 450000000},
    {"45000.0000", true, 450000000},
    {"0.0001", true, 1},
    {"0.1", true, 1000},
    {"0.01", true, 100},
    {"1234567.89", true, 12345678900},
    {"999999999999999", true, GREATEST - 9999},
    {"999999999999999.9999", true, GREATEST},
    {"", false, 0},
    {".", false, 0},
    {".5", false, 0},
    {"1.", false, 0},
    {"1.00000", false, 0},
    {"1.0.0", false, 0},
    {"1000000000000000", false, 0},
    {"0000000000000001", false, 0},
    {"9999999999999999.9999", false, 0},
    {"99999999999999999999999999", false, 0},
    {"+1", false, 0},
    {"-1", false, 0},
    {"-0", false, 0},
    {"1e3", false, 0},
    {"1E3", false, 0},
    {"0x1", false, 0},
    {" 1", false, 0},
    {"1 ", false, 0},
    {"1 000", false, 0},
    {"1:", false, 0}, /* the characters next to the digits in ASCII */
    {"1/", false, 0},
    {"1,5", false, 0},
    {"1,000.00", false, 0},
    {"1_000", false, 0},
    {"1.5a", false, 0},
    {"1.-5", false, 0},
    {"NaN", false, 0},
    {"Infinity", false, 0},
    {"null", false, 0},
    {"$1", false, 0},
    {"\xEF\xBC\x91", false, 0}, /* full-width digit one */
};

START_TEST(reads_the_grammar_and_nothing_else) {
    struct money amount = {77};
    ck_assert(money_parse(text_of(AMOUNTS[_i].text), &amount) == AMOUNTS[_i].valid);
    ck_assert_uint_eq(amount.units, AMOUNTS[_i].valid ? AMOUNTS[_i].units : 77);
}
END_TEST

START_TEST(sees_a_nul) {
    struct money amount;
    ck_assert(!money_parse(TEXT("1\0"), &amount));
    ck_assert(!money_parse(TEXT("1.\0005"), &amount));
}
END_TEST

static const struct {
    uint64_t units;
    unsigned decimals;
    const char *text;
} PRINTS[] = {
    {450000000, 2, "45000.00"},
    {450000000, 0, "45000"},
    {450000000, 4, "45000.0000"},
    {450005000, 0, "45000.5"},
    {450005000, 2, "45000.50"},
    {450000001, 2, "45000.0001"},
    {450000010, 2, "45000.001"},
    {0, 0, "0"},
    {0, 2, "0.00"},
    {1, 0, "0.0001"},
    {100, 2, "0.01"},
    {12345678900, 2, "1234567.89"},
    {GREATEST, 0, "999999999999999.9999"},
    {GREATEST - 99, 2, "999999999999999.99"},
};

START_TEST(prints_without_losing_digits) {
    char out[MONEY_TEXT_SIZE];
    ck_assert_str_eq(money_print((struct money){PRINTS[_i].units}, PRINTS[_i].decimals, out), PRINTS[_i].text);
}
END_TEST

START_TEST(what_is_printed_reads_back) {
    uint64_t units = 1;
    for (int i = 0; i < 10000; i++) {
        char out[MONEY_TEXT_SIZE];
        struct money amount;
        units = units * UINT64_C(6364136223846793005) + 1442695040888963407U;
        struct money original = {units % (GREATEST + 1)};
        ck_assert(money_parse(text_of(money_print(original, (unsigned)i % 5, out)), &amount));
        ck_assert(money_equal(amount, original));
    }
}
END_TEST

static const struct {
    uint64_t units;
    bool fits[MONEY_DECIMALS + 1];
} FITS[] = {
    {0, {true, true, true, true, true}},       {10000, {true, true, true, true, true}},
    {1000, {false, true, true, true, true}},   {100, {false, false, true, true, true}},
    {10, {false, false, false, true, true}},   {1, {false, false, false, false, true}},
    {12300, {false, false, true, true, true}}, {GREATEST, {false, false, false, false, true}},
};

START_TEST(fits_a_minor_unit) {
    for (unsigned minor_unit = 0; minor_unit <= MONEY_DECIMALS; minor_unit++) {
        ck_assert_msg(money_fits((struct money){FITS[_i].units}, minor_unit) == FITS[_i].fits[minor_unit],
                      "minor unit %u", minor_unit);
    }
}
END_TEST

START_TEST(compares) {
    struct money a, b;
    ck_assert(money_parse(TEXT("45000"), &a) && money_parse(TEXT("45000.00"), &b));
    ck_assert(money_equal(a, b));
    ck_assert(money_parse(TEXT("45000.0001"), &b));
    ck_assert(!money_equal(a, b));
    ck_assert(money_is_zero((struct money){0}) && !money_is_zero((struct money){1}));
}
END_TEST

static const struct {
    uint64_t part, whole, percent;
} PERCENTS[] = {
    {0, 0, 100},
    {0, 1, 0},
    {1, 1, 100},
    {799999, 1000000, 79},
    {800000, 1000000, 80},
    {999999, 1000000, 99},
    {3, 2, 150},
    {9999999999999999998U, 9999999999999999999U, 99},
    {8000000000000000001U, 9999999999999999999U, 80},
    {9999999999999999999U, 9999999999999999999U, 100},
    {9999999999999999999U, 5000000000000000000U, 199},
    {9999999999999999999U, 10000, 99999999999999999U}, /* not 99999999999999999.99 */
    {9999999999999999999U, 1, UINT64_MAX},             /* more than can be represented */
    /* around the greatest part that can be multiplied by 100 */
    {184467440737095515, 184467440737095515, 100},
    {184467440737095516, 184467440737095516, 100},
    {184467440737095517, 184467440737095517, 100},
    {184467440737095516, 184467440737095517, 99},
    {184467440737095517, 100, 184467440737095517},
    {184467440737095515, 1, 18446744073709551500U},
    {184467440737095516, 1, UINT64_MAX},
};

START_TEST(tells_percent) {
    ck_assert_uint_eq(money_percent((struct money){PERCENTS[_i].part}, (struct money){PERCENTS[_i].whole}),
                      PERCENTS[_i].percent);
}
END_TEST

TCase *money_tests(void) {
    TCase *tests = unit_case("money");
    add_table_test(tests, reads_the_grammar_and_nothing_else, AMOUNTS);
    tcase_add_test(tests, sees_a_nul);
    add_table_test(tests, prints_without_losing_digits, PRINTS);
    tcase_add_test(tests, what_is_printed_reads_back);
    add_table_test(tests, fits_a_minor_unit, FITS);
    tcase_add_test(tests, compares);
    add_table_test(tests, tells_percent, PERCENTS);
    return tests;
}
