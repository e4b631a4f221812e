#include "unit.h"

static const struct {
    const char *a, *b;
    bool equal, equal_any_case, a_begins_with_b;
} PAIRS[] = {
    {"", "", true, true, true},
    {"a", "", false, false, true},
    {"", "a", false, false, false},
    {"abc", "abc", true, true, true},
    {"abc", "ABC", false, true, false},
    {"abcd", "abc", false, false, true},
    {"abc", "abcd", false, false, false},
    {"abc", "abd", false, false, false},
    {"\xC3\xB1", "\xC3\x91", false, true, false},
    {"\xC3\xB1", "n", false, false, false},
    {"[", "{", false, false, false},
};

START_TEST(compares) {
    struct text a = text_of(PAIRS[_i].a), b = text_of(PAIRS[_i].b);
    ck_assert(text_equal(a, b) == PAIRS[_i].equal);
    ck_assert(text_equal_any_case(a, b) == PAIRS[_i].equal_any_case);
    ck_assert(text_begins(a, b) == PAIRS[_i].a_begins_with_b);
}
END_TEST

START_TEST(finds_the_place_of_a_name) {
    static const char *const NAMES[] = {"one", "two", "two", ""};
    ck_assert_uint_eq(text_place_in(TEXT("one"), NAMES, 3), 0);
    ck_assert_uint_eq(text_place_in(TEXT("two"), NAMES, 3), 1);
    ck_assert_uint_eq(text_place_in(TEXT("tw"), NAMES, 3), 3);
    ck_assert_uint_eq(text_place_in(TEXT(""), NAMES, 3), 3);
    ck_assert_uint_eq(text_place_in(TEXT(""), NAMES, 4), 3);
}
END_TEST

START_TEST(knows_letters_and_digits) {
    static const char THEY[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (int c = 0; c < 256; c++) {
        ck_assert_msg(text_is_letter_or_digit((char)c) == (memchr(THEY, c, sizeof THEY - 1) != NULL), "%d", c);
    }
}
END_TEST

START_TEST(no_string_is_empty_text) {
    ck_assert_uint_eq(text_of(NULL).size, 0);
    ck_assert(text_equal(text_of(NULL), TEXT("")));
    ck_assert(text_begins(TEXT("a"), text_of(NULL)));
}
END_TEST

START_TEST(compares_beyond_nul) {
    ck_assert(!text_equal(TEXT("a\0b"), TEXT("a\0c")));
    ck_assert_uint_eq(TEXT("a\0b").size, 3);
}
END_TEST

static const struct {
    const char *text, *trimmed;
} TRIMS[] = {{"", ""}, {" \t ", ""}, {" a b\t", "a b"}, {"a", "a"}, {"\na\n", "\na\n"}};

START_TEST(trims) {
    assert_text(text_trim(text_of(TRIMS[_i].text)), TRIMS[_i].trimmed);
}
END_TEST

static const struct {
    const char *text;
    size_t characters;
    bool has_control;
} CHARACTERS[] = {
    {"", 0, false},
    {"abc", 3, false},
    {"\xC3\xB1", 1, false},
    {"€5", 2, false},
    {"\xF0\x9F\x98\x80", 1, false},
    {"a\tb", 3, true},
    {"a\x1F", 2, true},
    {"a\x20", 2, false},
    {"a\x7F", 2, true},
    {"\xC2\x80", 1, true},
    {"\xC2\x9F", 1, true},
    {"\xC2\xA0", 1, false},
    {"\xC3\x80", 1, false},
    {"\xE2\x82\x80", 1, false},
};

START_TEST(counts_characters_and_sees_controls) {
    struct text text = text_of(CHARACTERS[_i].text);
    ck_assert_uint_eq(text_characters(text), CHARACTERS[_i].characters);
    ck_assert(text_has_control(text) == CHARACTERS[_i].has_control);
}
END_TEST

START_TEST(nul_is_a_control_character) {
    ck_assert(text_has_control(TEXT("a\0b")));
}
END_TEST

static const struct {
    const char *text;
    bool valid;
    uint64_t number;
} NUMBERS[] = {
    {"0", true, 0},
    {"007", true, 7},
    {"18446744073709551615", true, UINT64_MAX},
    {"18446744073709551616", false, 0},
    {"28446744073709551615", false, 0},
    {"99999999999999999999999", false, 0},
    {"", false, 0},
    {"-1", false, 0},
    {"+1", false, 0},
    {" 1", false, 0},
    {"1 ", false, 0},
    {"1.0", false, 0},
    {"0x10", false, 0},
    {"\xD9\xA1", false, 0}, /* a digit, but not ASCII */
};

START_TEST(reads_numbers) {
    uint64_t number = 77;
    ck_assert(text_to_number(text_of(NUMBERS[_i].text), &number) == NUMBERS[_i].valid);
    ck_assert_uint_eq(number, NUMBERS[_i].valid ? NUMBERS[_i].number : 77);
}
END_TEST

static const struct {
    const char *whole;
    size_t characters;
    const char *start;
} STARTS[] = {{"", 3, ""},
              {"abc", 3, "abc"},
              {"abc", 2, "ab"},
              {"abc", 0, ""},
              {"a\u00f1\u20acb", 2, "a\u00f1"},
              {"\U0001F600x", 1, "\U0001F600"}};

START_TEST(cuts_at_a_separator) {
    struct text rest = TEXT("a=b==");
    assert_text(text_cut(&rest, '='), "a");
    assert_text(text_cut(&rest, '='), "b");
    assert_text(rest, "=");
    assert_text(text_cut(&rest, '='), "");
    assert_text(text_cut(&rest, '='), "");
    rest = (struct text){NULL, 0};
    assert_text(text_cut(&rest, '='), "");
    rest = TEXT("whole");
    assert_text(text_cut(&rest, '='), "whole");
    assert_text(rest, "");
}
END_TEST

START_TEST(knows_digits) {
    ck_assert(text_is_digits(TEXT("0123456789")) && text_is_digits(TEXT("")));
    ck_assert(!text_is_digits(TEXT("1/")) && !text_is_digits(TEXT(":1")) && !text_is_digits(TEXT("1 2")));
}
END_TEST

START_TEST(takes_the_first_characters) {
    assert_text(text_start(text_of(STARTS[_i].whole), STARTS[_i].characters), STARTS[_i].start);
}
END_TEST

static const struct {
    const char *rest, *word, *then;
} WORDS[] = {{"", "", ""},          {" \t ", "", ""},        {"a", "a", ""},
             {" ab c", "ab", " c"}, {"ab\tc ", "ab", "\tc"}, {"  a  ", "a", ""}};

START_TEST(takes_words) {
    struct text rest = text_of(WORDS[_i].rest);
    assert_text(text_next_word(&rest), WORDS[_i].word);
    assert_text(rest, WORDS[_i].then);
}
END_TEST

TCase *text_tests(void) {
    TCase *tests = unit_case("text");
    add_table_test(tests, compares, PAIRS);
    tcase_add_test(tests, finds_the_place_of_a_name);
    tcase_add_test(tests, knows_letters_and_digits);
    tcase_add_test(tests, knows_digits);
    tcase_add_test(tests, cuts_at_a_separator);
    tcase_add_test(tests, no_string_is_empty_text);
    tcase_add_test(tests, compares_beyond_nul);
    add_table_test(tests, trims, TRIMS);
    add_table_test(tests, counts_characters_and_sees_controls, CHARACTERS);
    tcase_add_test(tests, nul_is_a_control_character);
    add_table_test(tests, reads_numbers, NUMBERS);
    add_table_test(tests, takes_the_first_characters, STARTS);
    add_table_test(tests, takes_words, WORDS);
    return tests;
}
