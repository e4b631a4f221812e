#include "unit.h"

#include "domain/settlement.h"

/* The cut is at 100. */
static const struct {
    const char *opened;
    instant opened_at, now;
    bool follows;
} OPENINGS[] = {
    {"just before the cut", 99, 100, false},
    {"at the cut", 100, 100, true},
    {"after it, until now", 150, 150, true},
    {"by a clock that was ahead of now", 151, 150, false},
};

START_TEST(follows_a_cut_that_has_opened_it) {
    ck_assert_msg(settlement_follows_cut(OPENINGS[_i].opened_at, 100, OPENINGS[_i].now) == OPENINGS[_i].follows, "%s",
                  OPENINGS[_i].opened);
}
END_TEST

TCase *settlement_tests(void) {
    TCase *tests = unit_case("settlement");
    add_table_test(tests, follows_a_cut_that_has_opened_it, OPENINGS);
    return tests;
}
