/* Assertions about texts, for all test programs in C. */
#ifndef RECAUDO_TESTS_UNIT_ASSERT_TEXT_H
#define RECAUDO_TESTS_UNIT_ASSERT_TEXT_H

#include <check.h>

#include "base/text.h"

/* `expected` is a NUL-terminated string. */
#define assert_text(actual, expected)                                                                                  \
    do {                                                                                                               \
        struct text actual_text = (actual);                                                                            \
        ck_assert_msg(text_equal(actual_text, text_of(expected)), "%s is '%.*s', expected '%s'", #actual,              \
                      TEXT_ARGS(actual_text), expected);                                                               \
    } while (0)

/* Runs the test once for each row of the table; _i is the row's index. */
#define add_table_test(tcase, test, table) tcase_add_loop_test(tcase, test, 0, (int)COUNT_OF(table))

#endif
