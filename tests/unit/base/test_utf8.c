#include "unit.h"

#include "base/utf8.h"

/* The bounds of every range of RFC 3629, section 4, and the values just outside. */
static const struct {
    struct text bytes;
    bool valid;
} SEQUENCES[] = {
    {TEXT(""), true},
    {TEXT("\0"), true},
    {TEXT("\x7F"), true},
    {TEXT("\x80"), false},
    {TEXT("\xBF"), false},
    {TEXT("\xC0\x80"), false}, /* overlong NUL */
    {TEXT("\xC0\xAF"), false},
    {TEXT("\xC1\xBF"), false},
    {TEXT("\xC2\x80"), true},
    {TEXT("\xC2\x7F"), false},
    {TEXT("\xC2\xC0"), false},
    {TEXT("\xC2"), false},
    {TEXT("\xDF\xBF"), true},
    {TEXT("\xE0\x80\x80"), false},
    {TEXT("\xE0\x9F\xBF"), false},
    {TEXT("\xE0\xA0\x80"), true},
    {TEXT("\xE0\xBF\xBF"), true},
    {TEXT("\xE0\xA0"), false},
    {TEXT("\xE0\xA0\x7F"), false},
    {TEXT("\xE1\x80\x80"), true},
    {TEXT("\xEC\xBF\xBF"), true},
    {TEXT("\xED\x80\x80"), true},
    {TEXT("\xED\x9F\xBF"), true},
    {TEXT("\xED\xA0\x80"), false}, /* U+D800 */
    {TEXT("\xED\xBF\xBF"), false}, /* U+DFFF */
    {TEXT("\xEE\x80\x80"), true},
    {TEXT("\xEF\xBB\xBF"), true},
    {TEXT("\xEF\xBF\xBF"), true},
    {TEXT("\xEF\xBF\xC0"), false},
    {TEXT("\xF0\x80\x80\x80"), false},
    {TEXT("\xF0\x8F\xBF\xBF"), false},
    {TEXT("\xF0\x90\x80\x80"), true},
    {TEXT("\xF0\x90\x80"), false},
    {TEXT("\xF0\x90\x80\xC0"), false},
    {TEXT("\xF0\x90\x7F\x80"), false},
    {TEXT("\xF1\x80\x80\x80"), true},
    {TEXT("\xF3\xBF\xBF\xBF"), true},
    {TEXT("\xF4\x80\x80\x80"), true},
    {TEXT("\xF4\x8F\xBF\xBF"), true},
    {TEXT("\xF4\x90\x80\x80"), false}, /* U+110000 */
    {TEXT("\xF5\x80\x80\x80"), false},
    {TEXT("\xF8\x88\x80\x80\x80"), false},
    {TEXT("\xFE"), false},
    {TEXT("\xFF"), false},
};

START_TEST(judges_sequences) {
    char around[16] = "a";
    struct text bytes = SEQUENCES[_i].bytes;
    memcpy(around + 1, bytes.at, bytes.size);
    around[1 + bytes.size] = 'z';
    ck_assert(utf8_is_valid(bytes) == SEQUENCES[_i].valid);
    ck_assert(utf8_is_valid((struct text){around, bytes.size + 2}) == SEQUENCES[_i].valid);
    if (bytes.size > 0) {
        size_t expected = SEQUENCES[_i].valid ? bytes.size : 0;
        ck_assert_uint_eq(utf8_character((const unsigned char *)bytes.at, bytes.size), expected);
    }
}
END_TEST

/* Every code point, encoded by the rules of RFC 3629, is one character, except surrogates. */
START_TEST(knows_every_code_point) {
    for (uint32_t point = 0; point <= 0x10FFFF; point++) {
        unsigned char bytes[4];
        size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        static const unsigned char LEADS[] = {0, 0, 0xC0, 0xE0, 0xF0};
        uint32_t rest = point;
        for (size_t i = size - 1; i > 0; i--) {
            bytes[i] = (unsigned char)(0x80U | (rest & 0x3FU));
            rest >>= 6;
        }
        bytes[0] = (unsigned char)(LEADS[size] | rest);
        bool surrogate = point >= 0xD800 && point <= 0xDFFF;
        if (utf8_character(bytes, size) != (surrogate ? 0 : size)) {
            ck_abort_msg("U+%04X", point);
        }
    }
}
END_TEST

START_TEST(nothing_begins_no_character) {
    ck_assert_uint_eq(utf8_character(NULL, 0), 0);
}
END_TEST

TCase *utf8_tests(void) {
    TCase *tests = unit_case("utf8");
    add_table_test(tests, judges_sequences, SEQUENCES);
    tcase_add_test(tests, knows_every_code_point);
    tcase_add_test(tests, nothing_begins_no_character);
    return tests;
}
