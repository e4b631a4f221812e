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
    tcase_add_test(tests, no_text_at_all_is_empty);
    return tests;
}
