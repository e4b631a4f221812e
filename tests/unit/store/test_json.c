#include "unit.h"

#include "store/db/json.h"

static struct arena *arena;

static void set_up(void) {
    arena = arena_create();
}

static void tear_down(void) {
    arena_destroy(arena);
}

START_TEST(writes_rows) {
    struct json json = json_begin(arena, '[');
    json_open(&json, '[');
    json_number(&json, UINT64_MAX);
    json_signed(&json, INT64_MIN);
    json_text(&json, TEXT("a \"b\" \\ ñ"));
    json_text_or_null(&json, TEXT(""));
    json_close(&json, ']');
    json_open(&json, '{');
    json_key(&json, "one");
    json_hex(&json, TEXT("\x01\xAB"));
    json_key(&json, "two");
    json_text_or_null(&json, TEXT("x"));
    json_close(&json, '}');
    json_open(&json, '[');
    json_close(&json, ']');
    json_number(&json, 7);
    assert_text(json_end(&json, ']'), "[[18446744073709551615,-9223372036854775808,\"a \\\"b\\\" \\\\ ñ\",null],"
                                      "{\"one\":\"01ab\",\"two\":\"x\"},[],7]");
}
END_TEST

START_TEST(writes_an_empty_array) {
    struct json json = json_begin(arena, '[');
    assert_text(json_end(&json, ']'), "[]");
}
END_TEST

START_TEST(keeps_what_it_wrote_when_it_grows) {
    enum { COUNT = 5000, DIGITS = 4 };
    struct json json = json_begin(arena, '[');
    for (size_t i = 0; i < COUNT; i++) {
        json_number(&json, 1000 + i);
    }
    struct text text = json_end(&json, ']');
    ck_assert_uint_eq(text.size, COUNT * (DIGITS + 1) + 1);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t number = 0;
        ck_assert(text_to_number((struct text){text.at + i * (DIGITS + 1) + 1, DIGITS}, &number));
        ck_assert_uint_eq(number, 1000 + i);
    }
}
END_TEST

TCase *json_tests(void) {
    TCase *tests = unit_case("json");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, writes_rows);
    tcase_add_test(tests, writes_an_empty_array);
    tcase_add_test(tests, keeps_what_it_wrote_when_it_grows);
    return tests;
}
