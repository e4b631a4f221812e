#include "unit.h"

#include "json_documents.h"
#include "wire/json_check.h"

START_TEST(judges_documents) {
    const struct json_document *document = &JSON_DOCUMENTS[_i];
    size_t members = 0;
    struct fault fault = {0};
    bool valid = json_check(document->text, &members, &fault);
    if (document->complaint == NULL) {
        ck_assert_msg(valid, "%.*s: %s", TEXT_ARGS(document->text), fault.problem);
        ck_assert_uint_eq(members, document->members);
        ck_assert_uint_eq(fault.byte, 0);
    } else {
        ck_assert_msg(!valid, "%.*s is accepted", TEXT_ARGS(document->text));
        ck_assert_str_eq(fault.problem, document->complaint);
    }
}
END_TEST

/* A prefix of an object is not an object, wherever it is cut. */
START_TEST(refuses_every_prefix) {
    static const struct text WHOLE =
        TEXT("{\"a\": [1.5e+7, \"\\uD83D\\uDE00 \xE2\x82\xAC\", {\"b\": null}], \"c\": true, \"d\": -0}");
    size_t members;
    struct fault fault;
    ck_assert(json_check(WHOLE, &members, &fault));
    for (size_t size = 0; size < WHOLE.size; size++) {
        char *exact = malloc(size == 0 ? 1 : size); /* exact size, so that a sanitizer detects reading past it */
        ck_assert_ptr_nonnull(exact);
        memcpy(exact, WHOLE.at, size);
        ck_assert_msg(!json_check((struct text){exact, size}, &members, &fault), "%zu bytes", size);
        free(exact);
    }
}
END_TEST

/* No depth of nesting may exhaust the stack. */
START_TEST(survives_deep_nesting) {
    enum { SIZE = 1000000 };
    static char deep[SIZE];
    size_t members;
    struct fault fault = {0};
    memset(deep, '[', SIZE);
    memcpy(deep, "{\"a\":", 5);
    ck_assert(!json_check((struct text){deep, SIZE}, &members, &fault));
    ck_assert_str_eq(fault.problem, "is nested too deeply");
    for (size_t i = 0; i + 5 <= SIZE; i += 5) {
        memcpy(deep + i, "{\"a\":", 5);
    }
    ck_assert(!json_check((struct text){deep, SIZE}, &members, &fault));
    ck_assert_str_eq(fault.problem, "is nested too deeply");
}
END_TEST

static const struct {
    const char *text;
    size_t index;
    const char *literal;
} MEMBERS[] = {
    {"{\"a\":1}", 0, "1"},
    {" \n{ \"a\" : 45000.00 , \"b\":2 }", 0, "45000.00"},
    {" \n{ \"a\" : 45000.00 , \"b\":2 }", 1, "2"},
    {"{\"a\":\"x,\\\"}\",\"b\":{\"c\":[1,{\"d\":2}]},\"e\":-1.50E+07\t}", 2, "-1.50E+07"},
    {"{\"a\":[],\"b\":null,\"c\":1234567890123456789012345}", 2, "1234567890123456789012345"},
    {"{\"a\":[],\"b\":null,\"c\":true}", 1, "null"},
};

START_TEST(gives_a_members_value_as_it_stands) {
    size_t members;
    struct fault fault;
    struct text text = text_of(MEMBERS[_i].text);
    ck_assert(json_check(text, &members, &fault));
    assert_text(json_member_literal(text, MEMBERS[_i].index), MEMBERS[_i].literal);
}
END_TEST

START_TEST(no_text_at_all_is_empty) {
    size_t members = 7;
    struct fault fault = {0};
    ck_assert(!json_check((struct text){NULL, 0}, &members, &fault));
    ck_assert_str_eq(fault.problem, "is empty");
    ck_assert_uint_eq(members, 0);
}
END_TEST

/* What stands in memory behind the text is not part of it. */
static const struct {
    const char *text;
    size_t size;
    size_t byte; /* the mistake's place, behind the last one */
    const char *problem;
} CUT[] = {
    {"{\"a\":12}", 6, 7, "ends too early"},
    {"{\"a\":true}", 8, 6, "needs a value"},
    {"{\"a\":\"\\u00f1\"}", 11, 12, "has \\u without four hex digits"},
    {"{\"a\":\"\\n\"}", 7, 8, "has an unknown escape"},
};

START_TEST(reads_nothing_behind_its_end) {
    size_t members;
    struct fault fault = {0};
    ck_assert(!json_check((struct text){CUT[_i].text, CUT[_i].size}, &members, &fault));
    ck_assert_str_eq(fault.problem, CUT[_i].problem);
    ck_assert_uint_eq(fault.byte, CUT[_i].byte);
}
END_TEST

#define A_VALUE ": text in double quotes, a number, true, false, null, {...} or [...]"

/* Where the error is, and what was expected. */
static const struct {
    struct text text;
    const char *explained;
} EXPLAINED[] = {
    {TEXT(""), "is empty: send one JSON object, {...}"},
    {TEXT(" {\"a\":1,\n}"), "needs a key in double quotes at byte 10"},
    {TEXT("{\"a\" 1}"), "needs : after a key at byte 6"},
    {TEXT("{\"a\":1 \"b\":2}"), "needs , or } at byte 8"},
    {TEXT("{\"a\":[1 2]}"), "needs , or ] at byte 9"},
    {TEXT("{\"a\":True}"), "needs a value at byte 6" A_VALUE},
    {TEXT("{\"a\":-01}"), "has a number that is not JSON at byte 6: write it like 45000, -1 or 45000.00"},
    {TEXT("{\"a\":1"), "ends too early at byte 7: a closing } or ] is missing"},
    {TEXT("{\"a\":\"b"), "ends in the middle of a string at byte 8: a closing quote is missing"},
    {TEXT("{\"a\":\"b\tc\"}"),
     "has a control character in a string at byte 8: write \\n, \\t, or \\u and four hex digits"},
    {TEXT("{\"a\":\"\\x41\"}"), "has an unknown escape at byte 8: write \\\\ for a backslash"},
    {TEXT("{\"a\":\"\\u0000\"}"), "holds a NUL at byte 13: leave \\u0000 out"},
    {TEXT("{\"a\":\"\\u12\"}"), "has \\u without four hex digits at byte 11"},
    {TEXT("{\"a\":\"\\uD83D\"}"), "has half a surrogate pair at byte 13: write both halves, or the character itself"},
    {TEXT("{\"a\":\"\xE9\"}"), "is not UTF-8 at byte 7"},
    {TEXT("{\"a\":[[[[[[[[1]]]]]]]]}"), "is nested too deeply at byte 13: at most 8 levels"},
    {TEXT("{} x"), "has bytes after its end at byte 4: send one object alone"},
};

START_TEST(says_where_and_what_would_be_right) {
    size_t members;
    struct fault fault = {0};
    struct arena *arena = arena_create();
    ck_assert(!json_check(EXPLAINED[_i].text, &members, &fault));
    assert_text(fault_explain(&fault, arena), EXPLAINED[_i].explained);
    arena_destroy(arena);
}
END_TEST

TCase *json_check_tests(void) {
    TCase *tests = unit_case("json_check");
    add_table_test(tests, judges_documents, JSON_DOCUMENTS);
    tcase_add_test(tests, refuses_every_prefix);
    tcase_add_test(tests, survives_deep_nesting);
    add_table_test(tests, gives_a_members_value_as_it_stands, MEMBERS);
    add_table_test(tests, reads_nothing_behind_its_end, CUT);
    add_table_test(tests, says_where_and_what_would_be_right, EXPLAINED);
    tcase_add_test(tests, no_text_at_all_is_empty);
    return tests;
}
