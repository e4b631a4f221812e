#include "unit.h"

#include "wire/field.h"

static bool is_a_sign(struct text value) {
    return text_equal(value, TEXT("+")) || text_equal(value, TEXT("-"));
}

static const struct field SIGN = {"sign", FIELD_REQUIRED, false, 1, REFUSED_FIELD, is_a_sign, 0, NULL};
static const struct field NOTE = {"note", FIELD_OPTIONAL, false, 0, REFUSED_AMOUNT, NULL, 0, "must be a note"};

static const struct {
    const struct field *field;
    struct text value;
    enum refusal refusal;
    const char *explained;
} VALUES[] = {
    {&SIGN, TEXT("+"), GRANTED, NULL},
    {&SIGN, TEXT(""), REFUSED_FIELD, "is empty: send 1 to 1 characters"},
    {&SIGN, TEXT("++"), REFUSED_FIELD, "is too long: at most 1 characters"},
    {&SIGN, TEXT("\t"), REFUSED_FIELD, "has a control character: leave out line ends, tabs and the like"},
    {&SIGN, TEXT("x"), REFUSED_FIELD, "is not valid"},
    {&NOTE, TEXT(""), GRANTED, NULL},
    {&NOTE, TEXT("\x7F"), REFUSED_AMOUNT, "has a control character: leave out line ends, tabs and the like"},
};

START_TEST(judges_values) {
    struct arena *arena = arena_create();
    struct fault fault = {0};
    ck_assert_int_eq(field_judge(VALUES[_i].field, VALUES[_i].value, &fault), VALUES[_i].refusal);
    if (VALUES[_i].refusal != GRANTED) {
        ck_assert_str_eq(fault.field, VALUES[_i].field->name);
        assert_text(fault_explain(&fault, arena), VALUES[_i].explained);
    }
    arena_destroy(arena);
}
END_TEST

TCase *field_tests(void) {
    TCase *tests = unit_case("field");
    add_table_test(tests, judges_values, VALUES);
    return tests;
}
