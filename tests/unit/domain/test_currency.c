#include "unit.h"

#include "domain/currency.h"

/* ISO 4217: all currencies whose number of decimals is not two, and those of the countries served. */
static const struct {
    const char *code;
    unsigned minor_unit;
} KNOWN[] = {
    {"BIF", 0}, {"CLP", 0}, {"DJF", 0}, {"GNF", 0}, {"ISK", 0}, {"JPY", 0}, {"KMF", 0}, {"KRW", 0}, {"PYG", 0},
    {"RWF", 0}, {"UGX", 0}, {"UYI", 0}, {"VND", 0}, {"VUV", 0}, {"XAF", 0}, {"XOF", 0}, {"XPF", 0}, {"BHD", 3},
    {"IQD", 3}, {"JOD", 3}, {"KWD", 3}, {"LYD", 3}, {"OMR", 3}, {"TND", 3}, {"CLF", 4}, {"UYW", 4}, {"AED", 2},
    {"COP", 2}, {"CRC", 2}, {"EUR", 2}, {"PEN", 2}, {"USD", 2}, {"ZWG", 2},
};

START_TEST(knows_minor_units) {
    unsigned decimals = currency_decimals(text_of(KNOWN[_i].code));
    ck_assert(currency_is_known(text_of(KNOWN[_i].code)));
    ck_assert_msg(decimals == KNOWN[_i].minor_unit, "%s has %u decimals", KNOWN[_i].code, decimals);
}
END_TEST

static const char *const UNKNOWN[] = {"",    "C",    "CO",   "COPP", "cop", "Cop",
                                      "C0P", " COP", "COP ", "AAA",  "ZZZ", "\xC3\x91P"};

START_TEST(knows_no_others) {
    ck_assert(!currency_is_known(text_of(UNKNOWN[_i])));
    ck_assert_uint_eq(currency_decimals(text_of(UNKNOWN[_i])), MONEY_DECIMALS);
    ck_assert(!currency_allows(text_of(UNKNOWN[_i]), TEXT("1")));
}
END_TEST

/* A code that is out of order in the table would not be found. */
START_TEST(finds_all_of_its_table) {
    char code[4] = "";
    unsigned found = 0, others_than_two = 0;
    for (int i = 0; i < 26 * 26 * 26; i++) {
        code[0] = (char)('A' + i / 676);
        code[1] = (char)('A' + i / 26 % 26);
        code[2] = (char)('A' + i % 26);
        if (currency_is_known(text_of(code))) {
            found++;
            others_than_two += currency_decimals(text_of(code)) != 2 && code[0] != 'X';
        }
    }
    ck_assert_uint_eq(found, 181);
    ck_assert_uint_eq(others_than_two, 23);
}
END_TEST

/* Metals, funds and test codes have no decimals in ISO 4217 ("N.A."). Of the codes with X, only these are money of
 * countries that has some. */
static bool has_cents(struct text code) {
    return text_equal(code, TEXT("XAD")) || text_equal(code, TEXT("XCD")) || text_equal(code, TEXT("XCG"));
}

START_TEST(what_is_no_countrys_money_is_whole) {
    char code[4] = "";
    for (int i = 0; i < 26 * 26; i++) {
        snprintf(code, sizeof code, "X%c%c", 'A' + i / 26, 'A' + i % 26);
        if (currency_is_known(text_of(code))) {
            ck_assert_msg(currency_decimals(text_of(code)) == (has_cents(text_of(code)) ? 2 : 0), "%s", code);
        }
    }
}
END_TEST

/* In a request, other text may follow the code. */
START_TEST(code_is_three_letters_of_a_longer_text) {
    ck_assert(currency_is_known((struct text){"COPZ", 3}));
    ck_assert(currency_is_known((struct text){"USD,", 3}));
}
END_TEST

static const struct {
    const char *code, *written;
    uint64_t units; /* 0: refused */
} WRITTEN[] = {
    {"COP", "45000", 450000000},
    {"COP", "45000.0", 450000000},
    {"COP", "45000.00", 450000000},
    {"COP", "45000.01", 450000100},
    {"COP", "45.000", 0},
    {"COP", "45000.000", 0},
    {"COP", "45000.001", 0},
    {"COP", "45.000.00", 0},
    {"COP", "45,000", 0},
    {"COP", ".00", 0},
    {"COP", "1.", 0},
    {"COP", "", 0},
    {"JPY", "5", 50000},
    {"JPY", "5.0", 0},
    {"BHD", "5.001", 50010},
    {"BHD", "5.0010", 0},
    {"CLF", "5.0001", 50001},
    {"CLF", "5.00010", 0},
    {"AAA", "5", 0},
};

START_TEST(takes_no_more_decimals_than_the_currency_has) {
    struct money amount = {77};
    bool taken = currency_parse_amount(text_of(WRITTEN[_i].code), text_of(WRITTEN[_i].written), &amount);
    ck_assert_msg(taken == (WRITTEN[_i].units != 0), "%s %s", WRITTEN[_i].code, WRITTEN[_i].written);
    ck_assert_uint_eq(amount.units, taken ? WRITTEN[_i].units : 77);
}
END_TEST

static const struct {
    const char *code, *amount, *printed;
} PRINTS[] = {
    {"COP", "45000", "45000.00"}, {"COP", "0.125", "0.125"}, {"CLP", "45000.00", "45000"}, {"CLP", "0.5", "0.5"},
    {"BHD", "1", "1.000"},        {"CLF", "1", "1.0000"},    {"AAA", "1", "1.0000"}, /* unknown */
};

START_TEST(prints_the_decimals_of_the_currency) {
    struct money amount;
    char out[MONEY_TEXT_SIZE];
    ck_assert(money_parse(text_of(PRINTS[_i].amount), &amount));
    ck_assert_str_eq(currency_print(text_of(PRINTS[_i].code), amount, out), PRINTS[_i].printed);
}
END_TEST

TCase *currency_tests(void) {
    TCase *tests = unit_case("currency");
    add_table_test(tests, knows_minor_units, KNOWN);
    add_table_test(tests, knows_no_others, UNKNOWN);
    tcase_add_test(tests, finds_all_of_its_table);
    tcase_add_test(tests, what_is_no_countrys_money_is_whole);
    tcase_add_test(tests, code_is_three_letters_of_a_longer_text);
    add_table_test(tests, takes_no_more_decimals_than_the_currency_has, WRITTEN);
    add_table_test(tests, prints_the_decimals_of_the_currency, PRINTS);
    return tests;
}
