#include "unit.h"

#include "wire/fault.h"

static const struct {
    struct fault fault;
    const char *text;
} FAULTS[] = {
    {{.problem = "is missing"}, "is missing"},
    {{.problem = "is missing", .remedy = "send it"}, "is missing: send it"},
    {{.problem = "is not JSON", .byte = 1}, "is not JSON at byte 1"},
    {{.problem = "is not JSON", .byte = 16384, .remedy = "send an object"},
     "is not JSON at byte 16384: send an object"},
    {{.problem = "is too long", .most = 1}, "is too long: at most 1 characters"},
    {{.problem = "is too long", .most = 25}, "is too long: at most 25 characters"},
    {{.problem = "is too short", .least = 1, .most = 25}, "is too short: send 1 to 25 characters"},
    {{.problem = "is too short", .least = 6, .most = 25, .remedy = "see the guide"},
     "is too short: send 6 to 25 characters: see the guide"},
};

START_TEST(says_problem_place_limits_and_remedy) {
    struct arena *arena = arena_create();
    struct text text = fault_explain(&FAULTS[_i].fault, arena);
    ck_assert_msg(text_equal(text, text_of(FAULTS[_i].text)), "%.*s", TEXT_ARGS(text));
    arena_destroy(arena);
}
END_TEST

TCase *fault_tests(void) {
    TCase *tests = unit_case("fault");
    add_table_test(tests, says_problem_place_limits_and_remedy, FAULTS);
    return tests;
}
