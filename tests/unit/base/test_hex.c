#include "unit.h"

#include "base/hex.h"

START_TEST(knows_hex_digits) {
    static const char LOWER[] = "0123456789abcdef", UPPER[] = "0123456789ABCDEF";
    for (int c = -128; c < 128; c++) {
        const char *lower = c == 0 ? NULL : strchr(LOWER, c), *upper = c == 0 ? NULL : strchr(UPPER, c);
        int expected = lower != NULL ? (int)(lower - LOWER) : upper != NULL ? (int)(upper - UPPER) : -1;
        ck_assert_msg(hex_value((char)c) == expected, "character %d", c);
    }
}
END_TEST

START_TEST(prints_what_it_reads) {
    unsigned char all[256], read[256];
    char printed[HEX_SIZE(sizeof all)];
    for (size_t i = 0; i < sizeof all; i++) {
        all[i] = (unsigned char)i;
    }
    ck_assert_uint_eq(hex_print(all, sizeof all, printed), 512);
    ck_assert_int_eq(strncmp(printed, "000102030405060708090a0b", 24), 0);
    ck_assert_str_eq(printed + 508, "feff");
    ck_assert(hex_read(text_of(printed), read, sizeof read));
    ck_assert_mem_eq(read, all, sizeof all);
    ck_assert(hex_read(TEXT("FEff"), read, 2));
    ck_assert_mem_eq(read, "\xFE\xFF", 2);
    ck_assert_uint_eq(hex_print(NULL, 0, printed), 0);
    ck_assert_str_eq(printed, "");
}
END_TEST

static const char *const OTHERS[] = {"", "0", "0011", "001", "0g", "g0", " 0", "0\xC3"};

/* Reads one byte. */
START_TEST(reads_nothing_else) {
    unsigned char byte;
    ck_assert(!hex_read(text_of(OTHERS[_i]), &byte, 1));
}
END_TEST

TCase *hex_tests(void) {
    TCase *tests = unit_case("hex");
    tcase_add_test(tests, knows_hex_digits);
    tcase_add_test(tests, prints_what_it_reads);
    add_table_test(tests, reads_nothing_else, OTHERS);
    return tests;
}
