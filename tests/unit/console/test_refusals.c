#include "unit.h"

#include "console/core/refusals.h"

START_TEST(refusal_has_words) {
    for (enum language language = 0; language < LANGUAGE_COUNT; language++) {
        ck_assert_uint_gt(refusal_words((enum refusal)_i, language).size, 0);
    }
}
END_TEST

TCase *refusals_tests(void) {
    TCase *tests = unit_case("refusals");
    tcase_add_loop_test(tests, refusal_has_words, 0, REFUSAL_COUNT);
    return tests;
}
