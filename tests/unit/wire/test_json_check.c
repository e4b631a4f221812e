#include "unit.h"

#include "json_documents.h"
#include "wire/json_check.h"

START_TEST(judges_documents) {
    const struct json_document *document = &JSON_DOCUMENTS[_i];
    size_t members = 0;
    const char *complaint = json_check(document->text, &members);
    if (document->complaint == NULL) {
        ck_assert_msg(complaint == NULL, "%.*s: %s", TEXT_ARGS(document->text), complaint);
        ck_assert_uint_eq(members, document->members);
    } else {
        ck_assert_msg(complaint != NULL, "%.*s is accepted", TEXT_ARGS(document->text));
        ck_assert_msg(text_begins(text_of(complaint), text_of(document->complaint)), "%.*s: '%s', expected '%s'",
                      TEXT_ARGS(document->text), complaint, document->complaint);
    }
}
END_TEST

/* A prefix of an object is no object, wherever it is cut. */
START_TEST(refuses_every_prefix) {
    static const struct text WHOLE =
        TEXT("{\"a\": [1.5e+7, \"\\uD83D\\uDE00 \xE2\x82\xAC\", {\"b\": null}], \"c\": true, \"d\": -0}");
    size_t members;
    ck_assert_ptr_null(json_check(WHOLE, &members));
    for (size_t size = 0; size < WHOLE.size; size++) {
        char *exact = malloc(size == 0 ? 1 : size); /* so that reading on would be seen by a sanitizer */
        ck_assert_ptr_nonnull(exact);
        memcpy(exact, WHOLE.at, size);
        ck_assert_msg(json_check((struct text){exact, size}, &members) != NULL, "%zu bytes", size);
        free(exact);
    }
}
END_TEST

/* No nesting, however deep, may exhaust the stack. */
START_TEST(survives_deep_nesting) {
    enum { SIZE = 1000000 };
    static char deep[SIZE];
    size_t members;
    memset(deep, '[', SIZE);
    memcpy(deep, "{\"a\":", 5);
    ck_assert_str_eq(json_check((struct text){deep, SIZE}, &members), "is nested too deeply");
    for (size_t i = 0; i + 5 <= SIZE; i += 5) {
        memcpy(deep + i, "{\"a\":", 5);
    }
    ck_assert_str_eq(json_check((struct text){deep, SIZE}, &members), "is nested too deeply");
}
END_TEST

static const struct {
    const char *text;
    size_t index;
    const char *literal;
} MEMBERS[] = {
    {"{\"a\":1}", 0, "1"},
    {" \n{ \"a\" : 45000.00 , \"b\":2 }", 0, "45000.00"},
    {"{\"a\":\"x,\\\"}\",\"b\":{\"c\":[1,{\"d\":2}]},\"e\":-1.50E+07\t}", 2, "-1.50E+07"},
    {"{\"a\":[],\"b\":null,\"c\":1234567890123456789012345}", 2, "1234567890123456789012345"},
    {"{\"a\":[],\"b\":null,\"c\":true}", 1, "null"},
};

START_TEST(gives_a_members_value_as_it_stands) {
    size_t members;
    struct text text = text_of(MEMBERS[_i].text);
    ck_assert_ptr_null(json_check(text, &members));
    assert_text(json_member_literal(text, MEMBERS[_i].index), MEMBERS[_i].literal);
}
END_TEST

START_TEST(no_text_at_all_is_empty) {
    size_t members;
    ck_assert_str_eq(json_check((struct text){NULL, 0}, &members), "is empty");
}
END_TEST

TCase *json_check_tests(void) {
    TCase *tests = unit_case("json_check");
    add_table_test(tests, judges_documents, JSON_DOCUMENTS);
    tcase_add_test(tests, refuses_every_prefix);
    tcase_add_test(tests, survives_deep_nesting);
    add_table_test(tests, gives_a_members_value_as_it_stands, MEMBERS);
    tcase_add_test(tests, no_text_at_all_is_empty);
    return tests;
}
