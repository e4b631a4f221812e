#include "unit.h"

#include "wire/acknowledgement.h"

static const struct {
    const char *body;
    bool says_ok;
} BODIES[] = {
    {"{\"status\":\"OK\"}", true},
    {"{\"status\":\"ok\"}", true},
    {"{\"status\" : \"Ok\"}\n", true},
    {"{\"Status\":\"OK\"}", true},
    {"\xEF\xBB\xBF {\"status\":\"OK\"} ", true},
    {"{\"status\":\"OK\",\"id\":12,\"note\":null,\"more\":[1,{\"a\":\"}\"}],\"x\":true}", true},
    {"{\"data\":{\"status\":\"ERROR\",\"deep\":[[[[[[[[[[{\"k\":1}]]]]]]]]]]},\"status\":\"OK\"}", true},
    {"{\"text\":\"a \\\"quoted\\\" } word\",\"status\":\"OK\"}", true},
    {"{\"text\":\"ends in a backslash \\\\\",\"status\":\"OK\"}", true},
    {"{\r\n\t\"status\": \"OK\"\r\n}", true},
    {"{status: OK}", true},
    {"{status:ok}", true},
    {"{ status : OK }", true},
    {"{status: 'OK'}", true},
    {"{'status': 'OK'}", true},
    {"{status: \"OK\"}", true},
    {"{\"status\": OK}", true},
    {"{status: OK, text: all is well}", true},
    {"{text: all is well, status: OK}", true},
    {"{\"n\":-1.5e3,\"status\":\"OK\"}", true},
    {"", false},
    {" ", false},
    {"OK", false},
    {"{}", false},
    {"{", false},
    {"}", false},
    {"{status}", false},
    {"{status:}", false},
    {"{status: OK", false},
    {"{\"status\":\"OK\"", false},
    {"{\"status\":\"OK", false},
    {"{\"status\":\"OK\"} trailing", false},
    {"{\"status\":\"OK\"}{\"status\":\"OK\"}", false},
    {"{\"status\":\"OK\",}", false},
    {"{,\"status\":\"OK\"}", false},
    {"[{\"status\":\"OK\"}]", false},
    {"\"status: OK\"", false},
    {"{\"status\":\"ERROR\"}", false},
    {"{\"status\":\"OKAY\"}", false},
    {"{\"status\":\"OK.\"}", false},
    {"{\"status\":\"OK and more\"}", false},
    {"{\"status\":true}", false},
    {"{\"status\":200}", false},
    {"{\"status\":null}", false},
    {"{\"status\":[\"OK\"]}", false},
    {"{\"status\":{\"status\":\"OK\"}}", false},
    {"{\"data\":{\"status\":\"OK\"}}", false},
    {"{\"data\":{\"status\":\"OK\"}", false},
    {"{\"state\":\"OK\"}", false},
    {"{\"status_\":\"OK\"}", false},
    {"{\"text\":\"status: OK\"}", false},
    {"{\"text\":\"\\\",\\\"status\\\":\\\"OK\"}", false},
    {"{\"status\":\"ERROR\",\"status\":\"OK\"}", false},
    {"{\"status\":\"OK\",\"status\":\"ERROR\"}", false},
    {"{\"status\":\"OK\",\"STATUS\":\"ERROR\"}", false},
    {"{\"status\":\"OK\\\"}", false},
    {"{\"a\":[1,2,\"status\":\"OK\"}", false},
    {"{status: ERROR}", false},
    {"<p>{status: OK}</p>", false},
};

START_TEST(says_ok) {
    struct text body = text_of(BODIES[_i].body);
    ck_assert_msg(acknowledgement_says_ok(body) == BODIES[_i].says_ok, "%s", BODIES[_i].body);
}
END_TEST

START_TEST(a_nul_is_nothing_special) {
    ck_assert(!acknowledgement_says_ok((struct text){"{\"status\":\"OK\0\"}", 16}));
    ck_assert(!acknowledgement_says_ok((struct text){"{\"status\":\"OK\"}\0", 16}));
    ck_assert(acknowledgement_says_ok((struct text){"{\"a\":\"\0\",\"status\":\"OK\"}", 23}));
    ck_assert(!acknowledgement_says_ok((struct text){NULL, 0}));
}
END_TEST

/* Each prefix in memory of its own length, so that reading past it is seen. */
START_TEST(no_beginning_of_it_says_ok) {
    static const char WHOLE[] = "{\"a\\n\":[{'x':1},\"\\\\\"],\"status\":\"OK\"}";
    for (size_t size = 0; size < sizeof WHOLE - 1; size++) {
        char *part = malloc(size + 1);
        ck_assert_ptr_nonnull(part);
        memcpy(part, WHOLE, size);
        char *exact = realloc(part, size == 0 ? 1 : size);
        ck_assert_ptr_nonnull(exact);
        ck_assert_msg(!acknowledgement_says_ok((struct text){exact, size}), "%zu bytes", size);
        free(exact);
    }
    ck_assert(acknowledgement_says_ok(TEXT(WHOLE)));
}
END_TEST

TCase *acknowledgement_tests(void) {
    TCase *tests = unit_case("acknowledgement");
    add_table_test(tests, says_ok, BODIES);
    tcase_add_test(tests, a_nul_is_nothing_special);
    tcase_add_test(tests, no_beginning_of_it_says_ok);
    return tests;
}
