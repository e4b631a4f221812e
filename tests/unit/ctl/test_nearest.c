/* Finds the known word that a mistyped one was probably meant to be. */
#include "unit.h"

#include "ctl/core/nearest.h"

static const char *const WORDS[] = {
    "show", "list", "add", "set", "settle", "import", "a-word-of-thirty-one-characters"};

static const struct {
    const char *typed, *meant;
} CASES[] = {
    {"show", "show"},
    {"shwo", "show"},  /* swapped */
    {"shw", "show"},   /* letter omitted */
    {"shoow", "show"}, /* letter inserted */
    {"shop", "show"},  /* letter replaced */
    {"imprt", "import"},
    {"omprot", "import"}, /* two mistakes in six letters */
    {"omprat", NULL},     /* three */
    {"lost", "list"},
    {"losd", NULL}, /* two mistakes in four letters */
    {"se", "set"},  /* the beginning of two words; the first is chosen */
    {"sett", "set"},
    {"im", "import"},
    {"i", NULL},
    {"", NULL},
    {"xx", NULL},
    {"a-word-of-thirty-one-charactere", "a-word-of-thirty-one-characters"},
    {"a-word-of-thirty-one-charactersx", NULL}, /* too long to be compared */
};

START_TEST(finds_what_was_meant) {
    struct nearest nearest = nearest_to(text_of(CASES[_i].typed));
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        nearest_offer(&nearest, WORDS[i]);
    }
    ck_assert_msg(CASES[_i].meant != NULL || nearest.word == NULL, "%s: %s", CASES[_i].typed, nearest.word);
    if (CASES[_i].meant != NULL) {
        ck_assert_ptr_nonnull(nearest.word);
        ck_assert_str_eq(nearest.word, CASES[_i].meant);
    }
}
END_TEST

TCase *nearest_tests(void) {
    TCase *tests = unit_case("nearest");
    add_table_test(tests, finds_what_was_meant, CASES);
    return tests;
}
