#include "unit.h"

#include "domain/reference.h"
#include "domain/signing.h"

static const struct {
    const char *text;
    bool is_valid, is_payable;
} REFERENCES[] = {
    {"0", true, true},
    {"0012345678", true, true},
    {"1234567890123456789012345", true, true},
    {"12345678901234567890123456", false, false},
    {"", false, false},
    {"CC-1020304050", false, true},
    {"aZ9-", false, true},
    {"ABCDEFGHIJKLMNOPQRSTUVWXY", false, true},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZ", false, false},
    {"12 34", false, false},
    {" 1", false, false},
    {"1\n", false, false},
    {"1.5", false, false},
    {"1_2", false, false},
    {"1'--", false, false},
    {"@", false, false},
    {"[", false, false},
    {"`", false, false},
    {"{", false, false},
    {"/", false, false},
    {":", false, false},
    {"\xD9\xA1", false, false},
};

START_TEST(judges_references) {
    struct text reference = text_of(REFERENCES[_i].text);
    ck_assert(reference_is_valid(reference) == REFERENCES[_i].is_valid);
    ck_assert(reference_is_payable(reference) == REFERENCES[_i].is_payable);
}
END_TEST

START_TEST(tells_transaction_ids_from_references) {
    static const struct {
        const char *id;
        bool is_distinct;
    } IDS[] = {
        {"815", false}, {"T-815", false}, {"aZ-09", false},   {"", false}, {"815.", true},
        {"T_1", true},  {"8 15", true},   {"\xD9\xA1", true}, {"/", true}, {"12345678901234567890123456", false}};
    for (size_t i = 0; i < COUNT_OF(IDS); i++) {
        ck_assert(transaction_id_is_distinct(text_of(IDS[i].id)) == IDS[i].is_distinct);
    }
}
END_TEST

START_TEST(nul_is_no_digit) {
    ck_assert(!reference_is_valid(TEXT("12\0003")));
    ck_assert(!reference_is_payable(TEXT("12\0003")));
}
END_TEST

/* Luhn's method: from the end, every other digit counts once; the digits between count as the digit sum of their
 * double. */
static bool has_check_digit(const char *digits, size_t count) {
    static const unsigned DOUBLED[] = {0, 2, 4, 6, 8, 1, 3, 5, 7, 9};
    unsigned sum = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned digit = (unsigned)(digits[i] - '0');
        sum += (count - i) % 2 == 0 ? DOUBLED[digit] : digit;
    }
    return sum % 10 == 0;
}

static void check_assigned(const unsigned char random[8], char out[REFERENCE_ASSIGNED + 1]) {
    reference_assign(random, out);
    ck_assert_uint_eq(strlen(out), REFERENCE_ASSIGNED);
    ck_assert_int_ne(out[0], '0');
    ck_assert(reference_is_valid(text_of(out)));
    ck_assert(has_check_digit(out, REFERENCE_ASSIGNED));
}

START_TEST(assigns_digits_with_their_check_digit) {
    uint64_t random = 0;
    char before[REFERENCE_ASSIGNED + 1] = "", out[REFERENCE_ASSIGNED + 1];
    for (int i = 0; i < 10000; i++) {
        unsigned char bytes[8];
        memcpy(bytes, &random, sizeof bytes);
        check_assigned(bytes, out);
        ck_assert_str_ne(out, before);
        memcpy(before, out, sizeof before);
        random += UINT64_C(0x9E3779B97F4A7C15);
    }
}
END_TEST

static const struct {
    uint64_t random; /* counts modulo 9,000,000,000,000 */
    const char *assigned;
} ASSIGNED[] = {
    {0, "10000000000008"},
    {234567890123, "12345678901237"},
    {3111111111111, "41111111111114"},
    {1020406080103, "20204060801036"},
    {10305070902, "10103050709021"},
    {8999999999999, "99999999999993"},
    {9000000000001, "10000000000016"},
};

START_TEST(assigns_what_luhn_says) {
    unsigned char bytes[8];
    char out[REFERENCE_ASSIGNED + 1];
    memcpy(bytes, &ASSIGNED[_i].random, sizeof bytes);
    check_assigned(bytes, out);
    ck_assert_str_eq(out, ASSIGNED[_i].assigned);
}
END_TEST

START_TEST(assigns_at_the_ends_of_the_range) {
    unsigned char least[8] = {0}, most[8];
    char out[REFERENCE_ASSIGNED + 1];
    check_assigned(least, out);
    ck_assert(text_begins(text_of(out), TEXT("1000000000000")));
    memset(most, 0xFF, sizeof most);
    check_assigned(most, out);
}
END_TEST

static const char *const RULE_NAMES[] = {
    [SIGNATURE_OFF] = "off", [SIGNATURE_ACCEPTED] = "accepted", [SIGNATURE_REQUIRED] = "required"};

START_TEST(names_of_signature_rules) {
    enum signature_rule rule = SIGNATURE_OFF;
    ck_assert(signature_rule_parse(text_of(RULE_NAMES[_i]), &rule));
    ck_assert_int_eq((int)rule, _i);
    ck_assert_str_eq(signature_rule_name(rule), RULE_NAMES[_i]);
}
END_TEST

START_TEST(other_words_are_no_signature_rule) {
    static const char *const OTHERS[] = {"", "Off", "of", "offf", "require", "accepted "};
    for (size_t i = 0; i < COUNT_OF(OTHERS); i++) {
        enum signature_rule rule = SIGNATURE_REQUIRED;
        ck_assert(!signature_rule_parse(text_of(OTHERS[i]), &rule) && rule == SIGNATURE_REQUIRED);
    }
}
END_TEST

TCase *reference_tests(void) {
    TCase *tests = unit_case("reference");
    add_table_test(tests, judges_references, REFERENCES);
    tcase_add_test(tests, nul_is_no_digit);
    tcase_add_test(tests, tells_transaction_ids_from_references);
    add_table_test(tests, names_of_signature_rules, RULE_NAMES);
    tcase_add_test(tests, other_words_are_no_signature_rule);
    add_table_test(tests, assigns_what_luhn_says, ASSIGNED);
    tcase_add_test(tests, assigns_digits_with_their_check_digit);
    tcase_add_test(tests, assigns_at_the_ends_of_the_range);
    return tests;
}
