#include "unit.h"

#include "json_documents.h"
#include "wire/object.h"

#include <errno.h>

struct message {
    struct text name, note, flag, digits;
};

static bool is_digits(struct text value) {
    uint64_t number;
    return text_to_number(value, &number);
}

static const struct field FIELDS[] = {
    {"name", FIELD_REQUIRED, false, 5, REFUSED_FIELD, NULL, offsetof(struct message, name), NULL},
    {"note", FIELD_OPTIONAL, false, 3, REFUSED_FIELD, NULL, offsetof(struct message, note), NULL},
    {"flag", FIELD_OPTIONAL, true, 0, REFUSED_FIELD, NULL, offsetof(struct message, flag), NULL},
    {"digits", FIELD_OPTIONAL, false, 0, REFUSED_AMOUNT, is_digits, offsetof(struct message, digits), "must be digits"},
};

static struct arena *arena;
static struct message message;
static struct fault fault;

static void set_up(void) {
    arena = arena_create();
}

static void tear_down(void) {
    arena_destroy(arena);
}

static enum refusal read_body(struct text body) {
    message = (struct message){0};
    fault = (struct fault){0};
    return object_read(body, FIELDS, COUNT_OF(FIELDS), arena, &message, &fault);
}

static const struct {
    struct text body;
    enum refusal refusal;
    const char *field, *problem; /* if refused */
} BODIES[] = {
    {TEXT("{\"name\":\"abc\"}"), GRANTED, NULL, NULL},
    {TEXT("{\"name\":\"abcde\"}"), GRANTED, NULL, NULL},
    {TEXT("{\"name\":\"abcdef\"}"), REFUSED_FIELD, "name", "is too long"},
    /* characters are counted, not bytes */
    {TEXT("{\"name\":\"\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1\xF0\x9F\x98\x80\"}"), GRANTED, NULL, NULL},
    {TEXT("{\"name\":\"\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1\"}"), REFUSED_FIELD, "name", "is too long"},
    {TEXT("{\"name\":\"\\uD83D\\uDE00\\uD83D\\uDE00\\uD83D\\uDE00\"}"), GRANTED, NULL, NULL},
    {TEXT("{}"), REFUSED_FIELD, "name", "is missing"},
    {TEXT("{\"Name\":\"abc\"}"), REFUSED_FIELD, "name", "is missing"},
    {TEXT("{\"name \":\"abc\"}"), REFUSED_FIELD, "name", "is missing"},
    {TEXT("{\"name\":\"\"}"), REFUSED_FIELD, "name", "is empty"},
    {TEXT("{\"name\":null}"), REFUSED_FIELD, "name", "must be a string, in quotes"},
    {TEXT("{\"name\":5}"), REFUSED_FIELD, "name", "must be a string, in quotes"},
    {TEXT("{\"name\":5.5}"), REFUSED_FIELD, "name", "must be a string, in quotes"},
    {TEXT("{\"name\":true}"), REFUSED_FIELD, "name", "must be a string, in quotes"},
    {TEXT("{\"name\":{}}"), REFUSED_FIELD, "name", "must be a string, in quotes"},
    {TEXT("{\"name\":[\"abc\"]}"), REFUSED_FIELD, "name", "must be a string, in quotes"},
    {TEXT("{\"name\":\"a\\nb\"}"), REFUSED_FIELD, "name", "has a control character"},
    {TEXT("{\"name\":\"a\\u0001\"}"), REFUSED_FIELD, "name", "has a control character"},
    {TEXT("{\"name\":\"a\\u007f\"}"), REFUSED_FIELD, "name", "has a control character"},
    {TEXT("{\"name\":\"a\",\"note\":\"\"}"), GRANTED, NULL, NULL},
    {TEXT("{\"name\":\"a\",\"note\":\"abcd\"}"), REFUSED_FIELD, "note", "is too long"},
    {TEXT("{\"name\":\"a\",\"note\":null}"), REFUSED_FIELD, "note", "must be a string, in quotes"},
    {TEXT("{\"name\":\"a\",\"flag\":null}"), REFUSED_FIELD, "flag", "must be a string, in quotes"},
    {TEXT("{\"name\":\"a\",\"flag\":1}"), REFUSED_FIELD, "flag", "must be a string, in quotes"},
    {TEXT("{\"name\":\"a\",\"digits\":\"12\"}"), GRANTED, NULL, NULL},
    {TEXT("{\"name\":\"a\",\"digits\":\"1x\"}"), REFUSED_AMOUNT, "digits", "must be digits"},
    {TEXT("{\"name\":\"a\",\"digits\":12}"), REFUSED_FIELD, "digits", "must be a string, in quotes"},
    /* the complaint names the first wrong field in the order of the table */
    {TEXT("{\"digits\":\"x\",\"note\":\"abcd\",\"name\":\"abcdef\"}"), REFUSED_FIELD, "name", "is too long"},
    /* unknown keys */
    {TEXT("{\"name\":\"a\",\"more\":{\"name\":5,\"x\":[null]}}"), GRANTED, NULL, NULL},
    {TEXT("{\"name\":\"a\",\"\":\"\\n\"}"), GRANTED, NULL, NULL},
    /* the same key twice */
    {TEXT("{\"name\":\"a\",\"name\":\"a\"}"), REFUSED_NOT_JSON, "the body", "has the same key twice"},
    {TEXT("{\"name\":\"a\",\"n\\u0061me\":\"b\"}"), REFUSED_NOT_JSON, "the body", "has the same key twice"},
    {TEXT("{\"name\":\"a\",\"x\":1,\"x\":2}"), REFUSED_NOT_JSON, "the body", "has the same key twice"},
    {TEXT("{\"name\":\"a\",\"x\":{\"y\":1,\"y\":1}}"), REFUSED_NOT_JSON, "the body", "has the same key twice"},
    {TEXT("{\"name\":\"a\",\"x\":[{\"y\":1,\"y\":1}]}"), REFUSED_NOT_JSON, "the body", "has the same key twice"},
    {TEXT("{\"name\":\"a\",\"x\":[1,{\"y\":1,\"y\":1}]}"), REFUSED_NOT_JSON, "the body", "has the same key twice"},
    {TEXT("{\"name\":\"a\",\"\":1,\"\":2}"), REFUSED_NOT_JSON, "the body", "has the same key twice"},
    {TEXT("{\"name\":\"a\",\"x\":{\"name\":\"a\"}}"), GRANTED, NULL, NULL},
    {TEXT("[]"), REFUSED_NOT_JSON, "the body", "is an array: send one object, {...}"},
    {TEXT("1"), REFUSED_NOT_JSON, "the body", "is not a JSON object, {...}"},
    {TEXT("\xEF\xBB\xBF{}"), REFUSED_NOT_JSON, "the body", "begins with a byte order mark: send UTF-8 without one"},
    {TEXT("\xEF\xBB{}"), REFUSED_NOT_JSON, "the body", "is not UTF-8"},
    {TEXT("\xFE\xFF"), REFUSED_NOT_JSON, "the body", "is UTF-16: send UTF-8"},
    {TEXT("\xFE{}"), REFUSED_NOT_JSON, "the body", "is not UTF-8"},
    {TEXT("\xFF{}"), REFUSED_NOT_JSON, "the body", "is not UTF-8"},
    {TEXT("\0{"), REFUSED_NOT_JSON, "the body", "is UTF-16: send UTF-8"},
    {TEXT("\0x"), REFUSED_NOT_JSON, "the body", "is not a JSON object, {...}"},
    {TEXT("\x1F{}"), REFUSED_NOT_JSON, "the body", "is not a JSON object, {...}"},
    {TEXT("="), REFUSED_NOT_JSON, "the body", "is form-encoded: send one JSON object, {...}"},
    {TEXT("\xFF\xFE{\0}\0"), REFUSED_NOT_JSON, "the body", "is UTF-16: send UTF-8"},
    {TEXT("{\0}\0"), REFUSED_NOT_JSON, "the body", "is UTF-16: send UTF-8"},
    {TEXT("\0{\0}"), REFUSED_NOT_JSON, "the body", "is UTF-16: send UTF-8"},
    {TEXT("\x1F\x8B\x08"), REFUSED_NOT_JSON, "the body", "is compressed: send it as it is, without Content-Encoding"},
    {TEXT("x\x9C\xAB=V"), REFUSED_NOT_JSON, "the body", "is not UTF-8"}, /* deflate */
    {TEXT("a=1&b=2"), REFUSED_NOT_JSON, "the body", "is form-encoded: send one JSON object, {...}"},
    {TEXT("<a>b</a>"), REFUSED_NOT_JSON, "the body", "is XML or HTML: send one JSON object, {...}"},
    {TEXT(""), REFUSED_NOT_JSON, "the body", "is empty"},
    {TEXT("{\"name\":\"a\"}\0"), REFUSED_NOT_JSON, "the body", "has bytes after its end"},
    {TEXT("{\"name\":\"a\\u0000b\"}"), REFUSED_NOT_JSON, "the body", "holds a NUL"},
};

START_TEST(judges_bodies) {
    ck_assert_int_eq(read_body(BODIES[_i].body), BODIES[_i].refusal);
    if (BODIES[_i].refusal != GRANTED) {
        ck_assert_str_eq(fault.field, BODIES[_i].field);
        ck_assert_str_eq(fault.problem, BODIES[_i].problem);
    }
}
END_TEST

START_TEST(says_what_to_do_about_a_key_twice) {
    ck_assert_int_eq(read_body(TEXT("{\"name\":\"a\",\"name\":\"a\"}")), REFUSED_NOT_JSON);
    ck_assert_str_eq(fault.remedy, "send each key once");
}
END_TEST

/* An allocation that failed before, and was dealt with, is none of this body's. */
START_TEST(an_error_of_before_is_nothing_to_it) {
    errno = ENOMEM;
    ck_assert_int_eq(read_body(TEXT("{\"name\":\"a\"}")), GRANTED);
}
END_TEST

static const struct {
    const char *body;
    enum refusal refusal;
    const char *field, *problem;
} INNER[] = {
    {"{\"in\":{\"name\":\"a\"},\"name\":7}", GRANTED, NULL, NULL},
    {"{\"in\":{\"name\":7}}", REFUSED_FIELD, "name", "must be a string, in quotes"},
    {"{\"name\":\"a\"}", REFUSED_FIELD, "in", "is missing"},
    {"{\"in\":[]}", REFUSED_FIELD, "in", "is not an object"},
    {"", REFUSED_NOT_JSON, "the body", "is empty"},
};

START_TEST(reads_an_object_in_the_body) {
    message = (struct message){0};
    ck_assert_int_eq(
        object_read_inner(text_of(INNER[_i].body), "in", FIELDS, COUNT_OF(FIELDS), arena, &message, &fault),
        INNER[_i].refusal);
    if (INNER[_i].refusal == GRANTED) {
        assert_text(message.name, "a");
    } else {
        ck_assert_str_eq(fault.field, INNER[_i].field);
        ck_assert_str_eq(fault.problem, INNER[_i].problem);
    }
}
END_TEST

START_TEST(takes_values_as_they_are_meant) {
    static const char BODY[] = "{\"digits\":\"007\",\"flag\":true,\"note\":\"\\/\\u00f1\xC3\xB1\","
                               "\"name\":\" a \"}";
    ck_assert_int_eq(read_body(TEXT(BODY)), GRANTED);
    assert_text(message.name, " a ");
    assert_text(message.note, "/\xC3\xB1\xC3\xB1");
    assert_text(message.flag, "true");
    assert_text(message.digits, "007");
    ck_assert_int_eq(read_body(TEXT("{\"name\":\"a\",\"flag\":false}")), GRANTED);
    assert_text(message.flag, "false");
    ck_assert_int_eq(read_body(TEXT("{\"name\":\"a\",\"flag\":\"maybe\"}")), GRANTED);
    assert_text(message.flag, "maybe");
    assert_text(message.note, "");
}
END_TEST

/* The library must be able to read all that the strict check accepts. */
START_TEST(reads_every_good_document) {
    const struct json_document *document = &JSON_DOCUMENTS[_i];
    enum refusal refusal = read_body(document->text);
    ck_assert_msg((refusal == REFUSED_NOT_JSON) == (document->complaint != NULL), "%.*s: %s", TEXT_ARGS(document->text),
                  fault.problem);
}
END_TEST

TCase *object_tests(void) {
    TCase *tests = unit_case("object");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, judges_bodies, BODIES);
    tcase_add_test(tests, says_what_to_do_about_a_key_twice);
    tcase_add_test(tests, an_error_of_before_is_nothing_to_it);
    add_table_test(tests, reads_an_object_in_the_body, INNER);
    tcase_add_test(tests, takes_values_as_they_are_meant);
    add_table_test(tests, reads_every_good_document, JSON_DOCUMENTS);
    return tests;
}
