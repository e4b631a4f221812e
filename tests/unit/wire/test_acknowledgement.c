#include "unit.h"

#include "wire/merchant/acknowledgement.h"

static const struct {
    const char *body;
    enum reply_says says;
} BODIES[] = {
    {"{\"status\":\"OK\"}", REPLY_SAYS_OK},
    {"{\"status\":\"ok\"}", REPLY_SAYS_OK},
    {"{\"status\" : \"Ok\"}\n", REPLY_SAYS_OK},
    {"{\"Status\":\"OK\"}", REPLY_SAYS_OK},
    {"\xEF\xBB\xBF {\"status\":\"OK\"} ", REPLY_SAYS_OK},
    {"{\"status\":\"OK\",\"id\":12,\"note\":null,\"more\":[1,{\"a\":\"}\"}],\"x\":true}", REPLY_SAYS_OK},
    {"{\"data\":{\"status\":\"ERROR\",\"deep\":[[[[[[[[[[{\"k\":1}]]]]]]]]]]},\"status\":\"OK\"}", REPLY_SAYS_OK},
    {"{\"text\":\"a \\\"quoted\\\" } word\",\"status\":\"OK\"}", REPLY_SAYS_OK},
    {"{\"text\":\"a\\\"}\",\"status\":\"OK\"}", REPLY_SAYS_OK},
    {"{\"text\":\"ends in a backslash \\\\\",\"status\":\"OK\"}", REPLY_SAYS_OK},
    {"{\r\n\t\"status\": \"OK\"\r\n}", REPLY_SAYS_OK},
    {"{status: OK}", REPLY_SAYS_OK},
    {"{status:ok}", REPLY_SAYS_OK},
    {"{ status : OK }", REPLY_SAYS_OK},
    {"{status: 'OK'}", REPLY_SAYS_OK},
    {"{'status': 'OK'}", REPLY_SAYS_OK},
    {"{status: \"OK\"}", REPLY_SAYS_OK},
    {"{\"status\": OK}", REPLY_SAYS_OK},
    {"{status: OK, text: all is well}", REPLY_SAYS_OK},
    {"{text: all is well, status: OK}", REPLY_SAYS_OK},
    {"{\"n\":-1.5e3,\"status\":\"OK\"}", REPLY_SAYS_OK},
    {"", REPLY_SAYS_NOTHING},
    {" ", REPLY_SAYS_NOTHING},
    {"OK", REPLY_SAYS_NOTHING},
    {"{}", REPLY_SAYS_NOTHING},
    {"{", REPLY_SAYS_NOTHING},
    {"}", REPLY_SAYS_NOTHING},
    {"{status}", REPLY_SAYS_NOTHING},
    {"{status:}", REPLY_SAYS_NOTHING},
    {"{status: OK", REPLY_SAYS_NOTHING},
    {"{\"status\":\"OK\"", REPLY_SAYS_NOTHING},
    {"{\"status\":\"OK", REPLY_SAYS_NOTHING},
    {"{\"status\":\"OK\"} trailing", REPLY_SAYS_NOTHING},
    {"{\"status\":\"OK\"}{\"status\":\"OK\"}", REPLY_SAYS_NOTHING},
    {"{\"status\":\"OK\",}", REPLY_SAYS_OK},
    {"{,\"status\":\"OK\"}", REPLY_SAYS_OK},
    {"[{\"status\":\"OK\"}]", REPLY_SAYS_NOTHING},
    {"\"status: OK\"", REPLY_SAYS_NOTHING},
    {"{\"status\":\"ERROR\"}", REPLY_SAYS_ERROR},
    {"{\"status\":\"OKAY\"}", REPLY_SAYS_NOTHING},
    {"{\"status\":\"OK.\"}", REPLY_SAYS_NOTHING},
    {"{\"status\":\"OK and more\"}", REPLY_SAYS_NOTHING},
    {"{\"status\":true}", REPLY_SAYS_NOTHING},
    {"{\"status\":200}", REPLY_SAYS_NOTHING},
    {"{\"status\":null}", REPLY_SAYS_NOTHING},
    {"{\"status\":[\"OK\"]}", REPLY_SAYS_NOTHING},
    {"{\"status\":{\"status\":\"OK\"}}", REPLY_SAYS_NOTHING},
    {"{\"data\":{\"status\":\"OK\"}}", REPLY_SAYS_NOTHING},
    {"{\"data\":{\"status\":\"OK\"}", REPLY_SAYS_NOTHING},
    {"{\"state\":\"OK\"}", REPLY_SAYS_NOTHING},
    {"{\"status_\":\"OK\"}", REPLY_SAYS_NOTHING},
    {"{\"text\":\"status: OK\"}", REPLY_SAYS_NOTHING},
    {"{\"text\":\"\\\",\\\"status\\\":\\\"OK\"}", REPLY_SAYS_NOTHING},
    {"{\"status\":\"ERROR\",\"status\":\"OK\"}", REPLY_SAYS_ERROR},
    {"{\"status\":\"OK\",\"status\":\"ERROR\"}", REPLY_SAYS_ERROR},
    {"{\"status\":\"OK\",\"STATUS\":\"ERROR\"}", REPLY_SAYS_ERROR},
    {"{\"status\":\"OK\\\"}", REPLY_SAYS_NOTHING},
    {"{\"a\":[1,2,\"status\":\"OK\"}", REPLY_SAYS_NOTHING},
    {"{status: ERROR}", REPLY_SAYS_ERROR},
    {"<p>{status: OK}</p>", REPLY_SAYS_NOTHING},
    {"{ \"status\":\"ok\" \"type\":\"update_status processing\" }", REPLY_SAYS_OK},
    {"{\n\t\"status\":\"ok\"\n\t\"type\":\"update_status completed\"\n}", REPLY_SAYS_OK},
    {"{ \"type\":\"update_status processing\" \"status\":\"ok\" }", REPLY_SAYS_OK},
    {"{\"status\":\"ok\" \"status\":\"ok\"}", REPLY_SAYS_OK},
    {"{\"status\":\"ok\", 12 : : nothing at all,, }", REPLY_SAYS_OK},
    {"{\"status\":\"ok\" \"data\":{\"status\" \"error\"}}", REPLY_SAYS_OK},
    {"{\"type\":\"status\",\"more\":\"OK\"}", REPLY_SAYS_NOTHING},
    {"{\"status\" \"ok\"}", REPLY_SAYS_NOTHING},
    {"{\"status\",\"ok\"}", REPLY_SAYS_NOTHING},
    {"{\"status\":\"ok\" \"type\":\"x }", REPLY_SAYS_NOTHING},
    {"{\"status\":\"ok\" \"type\":\"x\"", REPLY_SAYS_NOTHING},
    {"{\"status\":\"ok\" \"type\":[\"x\"}", REPLY_SAYS_NOTHING},
    {"{\"status\":\"ok\" \"status\":\"pending\"}", REPLY_SAYS_NOTHING},
    {"Notice: x\n{\"status\":\"ok\"}", REPLY_SAYS_NOTHING},
    {"<script>{\"status\":\"ok\"}</script>", REPLY_SAYS_NOTHING},
    {"{ \"status\":\"error\" \"type\":\"pv_checksum invalid\" }", REPLY_SAYS_ERROR},
    {"{\"status\":\"Error\"}", REPLY_SAYS_ERROR},
    {"{\"status\":\"ERROR: unknown order\"}", REPLY_SAYS_ERROR},
    {"{\"status\":\"error unknown order\"}", REPLY_SAYS_ERROR},
    {"{\"status\":\"errors\"}", REPLY_SAYS_NOTHING},
    {"{'status':'error'}", REPLY_SAYS_ERROR},
    {"{\"status\":\"error\"", REPLY_SAYS_ERROR},
    {"{\"status\":\"error\"} trailing", REPLY_SAYS_ERROR},
    {"{\"status\":\"ok\" \"status\":\"error\"}", REPLY_SAYS_ERROR},
    {"OK {\"status\":\"error\"}", REPLY_SAYS_ERROR},
    {"Notice: x\n{\"status\":\"error\"}", REPLY_SAYS_ERROR},
    {"{\"status\":\"err\\u006fr\"}", REPLY_SAYS_ERROR},
    {"{\"st\\u0061tus\":\"\\u0045RROR\"}", REPLY_SAYS_ERROR},
    {"{\"status\":\"\\u004F\\u004b\"}", REPLY_SAYS_OK},
    {"{\"status\":\"err\\u016fr\"}", REPLY_SAYS_NOTHING},
    {"{\"status\":\"err\\u00or\"}", REPLY_SAYS_NOTHING},
    {"{\"status\":\"zz0045RROR\"}", REPLY_SAYS_NOTHING},
    {"{\"status\":\"erro\\u007\"}", REPLY_SAYS_NOTHING},
    {"{\"status\":\"error\\u0000\"}", REPLY_SAYS_ERROR},
    {"{\"status\":\"error", REPLY_SAYS_NOTHING},
    {"{\"status\":\"errors\"}", REPLY_SAYS_NOTHING},
    {"{\"data\":{\"status\":\"error\"}}", REPLY_SAYS_NOTHING},
    {"status: error", REPLY_SAYS_NOTHING},
};

START_TEST(says) {
    struct text body = text_of(BODIES[_i].body);
    ck_assert_msg(acknowledgement_says(body) == BODIES[_i].says, "%s", BODIES[_i].body);
}
END_TEST

START_TEST(a_nul_is_nothing_special) {
    ck_assert_int_eq(acknowledgement_says((struct text){"{\"status\":\"OK\0\"}", 16}), REPLY_SAYS_NOTHING);
    ck_assert_int_eq(acknowledgement_says((struct text){"{\"status\":\"OK\"}\0", 16}), REPLY_SAYS_NOTHING);
    ck_assert_int_eq(acknowledgement_says((struct text){"{\"a\":\"\0\",\"status\":\"OK\"}", 23}), REPLY_SAYS_OK);
    ck_assert_int_eq(acknowledgement_says((struct text){"{\"status\"\0:\"OK\"}", 16}), REPLY_SAYS_NOTHING);
    ck_assert_int_eq(acknowledgement_says((struct text){NULL, 0}), REPLY_SAYS_NOTHING);
}
END_TEST

/* What stands in memory behind the body is not part of it. */
START_TEST(reads_nothing_behind_its_end_either) {
    ck_assert_int_eq(acknowledgement_says((struct text){"{\"status\":\"OK\"}  ", 15}), REPLY_SAYS_OK);
    ck_assert_int_eq(acknowledgement_says((struct text){"{status: ERROR", 13}), REPLY_SAYS_NOTHING);
    ck_assert_int_eq(acknowledgement_says((struct text){"{\"status\":\"OK\"}", 14}), REPLY_SAYS_NOTHING);
}
END_TEST

/* Copies each prefix into memory of its exact length, so that sanitizers detect reading past it. */
START_TEST(no_beginning_of_it_says_ok) {
    static const char WHOLE[] = "{\"a\\n\":[{'x':1},\"\\\\\"],\"status\":\"OK\"}";
    for (size_t size = 0; size < sizeof WHOLE - 1; size++) {
        char *part = malloc(size + 1);
        ck_assert_ptr_nonnull(part);
        memcpy(part, WHOLE, size);
        char *exact = realloc(part, size == 0 ? 1 : size);
        ck_assert_ptr_nonnull(exact);
        ck_assert_msg(acknowledgement_says((struct text){exact, size}) == REPLY_SAYS_NOTHING, "%zu bytes", size);
        free(exact);
    }
    ck_assert_int_eq(acknowledgement_says(TEXT(WHOLE)), REPLY_SAYS_OK);
}
END_TEST

TCase *acknowledgement_tests(void) {
    TCase *tests = unit_case("acknowledgement");
    add_table_test(tests, says, BODIES);
    tcase_add_test(tests, reads_nothing_behind_its_end_either);
    tcase_add_test(tests, a_nul_is_nothing_special);
    tcase_add_test(tests, no_beginning_of_it_says_ok);
    return tests;
}
