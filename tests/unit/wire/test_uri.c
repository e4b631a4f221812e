#include "unit.h"

#include "wire/uri.h"

struct message {
    struct text name, checksum;
};

static const struct field FIELDS[] = {
    {"name", FIELD_REQUIRED, false, 5, REFUSED_FIELD, NULL, offsetof(struct message, name), NULL},
    {"checksum", FIELD_REQUIRED, false, 0, REFUSED_CHECKSUM, NULL, offsetof(struct message, checksum), NULL},
};

static struct arena *arena;

static void set_up(void) {
    arena = arena_create();
}

static void tear_down(void) {
    arena_destroy(arena);
}

static const struct {
    const char *raw;
    const char *decoded; /* NULL: refused */
} PATHS[] = {
    {"", ""},
    {"/v1/orders/123", "/v1/orders/123"},
    {"/%76%31", "/v1"},
    {"/%C3%B1%c3%b1", "/\xC3\xB1\xC3\xB1"},
    {"/a+b", "/a+b"},
    {"/a%20b", "/a b"},
    {"/a%2Bb", "/a+b"},
    {"/a%252Fb", "/a%2Fb"}, /* decoded once, not twice */
    {"/a%2500", "/a%00"},
    {"/%2e%2E/", "/../"},
    {"/a%0Ab", "/a\nb"},
    {"/a%2Fb", NULL},
    {"/a%2fb", NULL},
    {"/a%00b", NULL},
    {"/%", NULL},
    {"/%4", NULL},
    {"/%4g", NULL},
    {"/%g4", NULL},
    {"/%g0%90%80%80", NULL},
    {"%2Fa", NULL},
    {"/%%41", NULL},
    {"/% 41", NULL},
    {"/%+4", NULL},
    {"/%u0041", NULL},
    {"/%FF", NULL},
    {"/%C0%AF", NULL}, /* overlong slash */
    {"/%ED%A0%80", NULL},
    {"/\xFF", NULL},
};

START_TEST(decodes_paths) {
    struct text path = TEXT("before");
    ck_assert(uri_decode_path(text_of(PATHS[_i].raw), arena, &path) == (PATHS[_i].decoded != NULL));
    if (PATHS[_i].decoded != NULL) {
        assert_text(path, PATHS[_i].decoded);
    }
}
END_TEST

/* What stands in memory behind the path is not part of it. */
START_TEST(decodes_nothing_behind_its_end) {
    struct text path;
    ck_assert(!uri_decode_path((struct text){"/%41", 3}, arena, &path));
    ck_assert(!uri_decode_path((struct text){"/%41", 2}, arena, &path));
    ck_assert(uri_decode_path((struct text){"/a/", 2}, arena, &path));
    assert_text(path, "/a");
}
END_TEST

START_TEST(refuses_a_raw_nul) {
    struct text path;
    ck_assert(!uri_decode_path(TEXT("/a\0b"), arena, &path));
}
END_TEST

static const struct {
    const char *query;
    enum refusal refusal;
    const char *field, *problem; /* if refused */
    const char *name, *checksum; /* if not refused */
} QUERIES[] = {
    {"name=abc&checksum=12", GRANTED, NULL, NULL, "abc", "12"},
    {"checksum=12&name=abc", GRANTED, NULL, NULL, "abc", "12"},
    {"&&name=abc&&checksum=12&", GRANTED, NULL, NULL, "abc", "12"},
    {"name=a+b&checksum=12", GRANTED, NULL, NULL, "a b", "12"},
    {"name=a%2Bb&checksum=12", GRANTED, NULL, NULL, "a+b", "12"},
    {"name=a%20b&checksum=12", GRANTED, NULL, NULL, "a b", "12"},
    {"name=%C3%B1%26%3D&checksum=12", GRANTED, NULL, NULL, "\xC3\xB1&=", "12"},
    {"name=a=b&checksum=12", GRANTED, NULL, NULL, "a=b", "12"},
    {"name=%2541&checksum=12", GRANTED, NULL, NULL, "%41", "12"},
    {"n%61me=abc&checksum=12", GRANTED, NULL, NULL, "abc", "12"},
    {"name=abc&checksum=12&more=%zz&names=x", GRANTED, NULL, NULL, "abc", "12"},
    {"name=abc&checksum=12&%zz=1", GRANTED, NULL, NULL, "abc", "12"},
    {"", REFUSED_FIELD, "name", "is missing", NULL, NULL},
    {"Name=abc&checksum=12", REFUSED_FIELD, "name", "is missing", NULL, NULL},
    {"name=abc", REFUSED_FIELD, "checksum", "is missing", NULL, NULL},
    {"name&checksum=12", REFUSED_FIELD, "name", "is empty", NULL, NULL},
    {"name=&checksum=12", REFUSED_FIELD, "name", "is empty", NULL, NULL},
    {"name=abc&checksum=", REFUSED_CHECKSUM, "checksum", "is empty", NULL, NULL},
    {"name=abcdef&checksum=12", REFUSED_FIELD, "name", "is too long", NULL, NULL},
    {"name=%C3%B1%C3%B1%C3%B1%C3%B1%C3%B1&checksum=12", GRANTED, NULL, NULL, "\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1",
     "12"},
    {"name=a%0Ab&checksum=12", REFUSED_FIELD, "name", "has a control character", NULL, NULL},
    {"name=abc&name=abc&checksum=12", REFUSED_FIELD, "name", "stands there twice", NULL, NULL},
    {"name=abc&checksum=12&n%61me=x", REFUSED_FIELD, "name", "stands there twice", NULL, NULL},
    {"name=abc&name&checksum=12", REFUSED_FIELD, "name", "stands there twice", NULL, NULL},
    {"name=%&checksum=12", REFUSED_FIELD, "name", "has an invalid percent-encoding", NULL, NULL},
    {"name=%4&checksum=12", REFUSED_FIELD, "name", "has an invalid percent-encoding", NULL, NULL},
    {"name=%zz&checksum=12", REFUSED_FIELD, "name", "has an invalid percent-encoding", NULL, NULL},
    {"name=a%00b&checksum=12", REFUSED_FIELD, "name", "has an invalid percent-encoding", NULL, NULL},
    {"name=%FF&checksum=12", REFUSED_FIELD, "name", "has an invalid percent-encoding", NULL, NULL},
    {"name=abc&checksum=%C3", REFUSED_FIELD, "checksum", "has an invalid percent-encoding", NULL, NULL},
};

START_TEST(reads_queries) {
    struct message message = {0};
    struct fault fault = {0};
    ck_assert_int_eq(uri_read_query(text_of(QUERIES[_i].query), FIELDS, COUNT_OF(FIELDS), arena, &message, &fault),
                     QUERIES[_i].refusal);
    if (QUERIES[_i].refusal != GRANTED) {
        ck_assert_str_eq(fault.field, QUERIES[_i].field);
        ck_assert_str_eq(fault.problem, QUERIES[_i].problem);
    } else {
        assert_text(message.name, QUERIES[_i].name);
        assert_text(message.checksum, QUERIES[_i].checksum);
    }
}
END_TEST

static const struct {
    const char *query, *name;
    const char *value; /* NULL: there is none, or not one alone */
} PARAMETERS[] = {
    {"a=1&b=2", "b", "2"},   {"a=1&b=2", "c", NULL},  {"a=1&a=1", "a", NULL}, {"a=%", "a", NULL},
    {"a=1&n", "n", ""},      {"n", "n", ""},          {"", "n", NULL},        {"a+b=c+d", "a b", "c d"},
    {"a%2Bb=1", "a+b", "1"}, {"b=%25&a=1", "b", "%"},
};

START_TEST(finds_one_parameter) {
    struct text value;
    bool found = uri_parameter(text_of(PARAMETERS[_i].query), text_of(PARAMETERS[_i].name), arena, &value);
    ck_assert(found == (PARAMETERS[_i].value != NULL));
    if (found) {
        assert_text(value, PARAMETERS[_i].value);
    }
}
END_TEST

START_TEST(takes_one_parameter_after_the_other) {
    struct text rest = TEXT("a+b=c+d&n&&x=%41%&y=1&"), name, value;
    ck_assert(uri_next_parameter(&rest, arena, &name, &value));
    assert_text(name, "a b");
    assert_text(value, "c d");
    ck_assert(uri_next_parameter(&rest, arena, &name, &value));
    assert_text(name, "n");
    assert_text(value, "");
    ck_assert(uri_next_parameter(&rest, arena, &name, &value));
    assert_text(name, "");
    assert_text(rest, "x=%41%&y=1&");
    ck_assert(!uri_next_parameter(&rest, arena, &name, &value));
    ck_assert(uri_next_parameter(&rest, arena, &name, &value));
    assert_text(name, "y");
    ck_assert_uint_eq(rest.size, 0);
    rest = TEXT("%=1&");
    ck_assert(!uri_next_parameter(&rest, arena, &name, &value));
    rest = TEXT("&");
    ck_assert(uri_next_parameter(&rest, arena, &name, &value));
    assert_text(name, "");
}
END_TEST

TCase *uri_tests(void) {
    TCase *tests = unit_case("uri");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, decodes_paths, PATHS);
    tcase_add_test(tests, decodes_nothing_behind_its_end);
    tcase_add_test(tests, refuses_a_raw_nul);
    add_table_test(tests, reads_queries, QUERIES);
    add_table_test(tests, finds_one_parameter, PARAMETERS);
    tcase_add_test(tests, takes_one_parameter_after_the_other);
    return tests;
}
