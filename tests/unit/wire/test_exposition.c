#include "unit.h"

#include "wire/exposition.h"

static struct arena *arena;
static struct exposition out;

static void set_up(void) {
    arena = arena_create();
    out = exposition_begin(arena);
}

static void tear_down(void) {
    arena_destroy(arena);
}

START_TEST(family_and_numbers) {
    const struct exposition_label labels[] = {{"a", TEXT("x")}, {"b", TEXT("y")}};
    exposition_family(&out, "n_total", "counter", "How many.");
    exposition_number(&out, EXPOSITION_NO_LABELS, UINT64_MAX);
    exposition_number(&out, (struct exposition_labels){labels, 2}, 0);
    assert_text(exposition_text(&out), "# HELP n_total How many.\n# TYPE n_total counter\n"
                                       "n_total 18446744073709551615\nn_total{a=\"x\",b=\"y\"} 0\n");
}
END_TEST

static const struct {
    duration value;
    const char *printed;
} DURATIONS[] = {{0, "0.000000"},
                 {1, "0.000001"},
                 {1500000, "1.500000"},
                 {-1, "-0.000001"},
                 {-2500000, "-2.500000"},
                 {3600 * SECOND, "3600.000000"},
                 {INT64_MAX, "9223372036854.775807"},
                 {INT64_MIN, "-9223372036854.775808"}};

START_TEST(durations_are_seconds) {
    exposition_family(&out, "t_seconds", "gauge", "Time.");
    size_t before = out.size;
    exposition_duration(&out, EXPOSITION_NO_LABELS, DURATIONS[_i].value);
    struct text line = {out.at + before, out.size - before};
    struct text expected = arena_print(arena, "t_seconds %s\n", DURATIONS[_i].printed);
    assert_text(line, expected.at);
}
END_TEST

START_TEST(infinity) {
    exposition_family(&out, "t_seconds", "gauge", "Time.");
    exposition_infinity(&out, EXPOSITION_NO_LABELS);
    assert_text(exposition_text(&out), "# HELP t_seconds Time.\n# TYPE t_seconds gauge\nt_seconds +Inf\n");
}
END_TEST

static const struct {
    const char *value, *escaped;
} VALUES[] = {{"", ""},
              {"Red \xc3\x91"
               "and\xc3\xba",
               "Red \xc3\x91"
               "and\xc3\xba"},
              {"a\"b", "a\\\"b"},
              {"a\\", "a\\\\"},
              {"a\nb", "a\\nb"},
              {"} 1\nevil 2", "} 1\\nevil 2"}};

START_TEST(values_are_escaped) {
    const struct exposition_label label = {"m", text_of(VALUES[_i].value)};
    exposition_family(&out, "x", "gauge", "X.");
    size_t before = out.size;
    exposition_number(&out, (struct exposition_labels){&label, 1}, 1);
    struct text line = {out.at + before, out.size - before};
    struct text expected = arena_print(arena, "x{m=\"%s\"} 1\n", VALUES[_i].escaped);
    assert_text(line, expected.at);
}
END_TEST

START_TEST(histogram_counts_up) {
    const duration bounds[] = {MILLISECOND, SECOND};
    const uint64_t buckets[] = {3, 0, 2};
    const struct exposition_label label = {"r", TEXT("/")};
    const struct exposition_histogram histogram = {bounds, 2, buckets, 7 * SECOND};
    exposition_family(&out, "h_seconds", "histogram", "H.");
    exposition_histogram(&out, (struct exposition_labels){&label, 1}, &histogram);
    assert_text(exposition_text(&out), "# HELP h_seconds H.\n# TYPE h_seconds histogram\n"
                                       "h_seconds_bucket{r=\"/\",le=\"0.001000\"} 3\n"
                                       "h_seconds_bucket{r=\"/\",le=\"1.000000\"} 3\n"
                                       "h_seconds_bucket{r=\"/\",le=\"+Inf\"} 5\n"
                                       "h_seconds_sum{r=\"/\"} 7.000000\nh_seconds_count{r=\"/\"} 5\n");
}
END_TEST

START_TEST(takes_a_text_that_is_longer_than_its_room) {
    enum { LONG = 100000 };
    static char help[LONG + 1];
    memset(help, 'h', LONG);
    exposition_family(&out, "n", "gauge", help);
    struct text expected = arena_print(arena, "# HELP n %s\n# TYPE n gauge\n", help);
    assert_text(exposition_text(&out), expected.at);
}
END_TEST

START_TEST(grows) {
    exposition_family(&out, "n", "gauge", "N.");
    for (uint64_t i = 0; i < 100000; i++) {
        exposition_number(&out, EXPOSITION_NO_LABELS, 7);
    }
    struct text text = exposition_text(&out);
    struct text head = TEXT("# HELP n N.\n# TYPE n gauge\n");
    ck_assert_uint_eq(text.size, head.size + 4 * 100000);
    ck_assert(text_begins(text, head));
    struct text end = {text.at + text.size - 8, 8};
    assert_text(end, "n 7\nn 7\n");
}
END_TEST

TCase *exposition_tests(void) {
    TCase *tests = unit_case("exposition");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, family_and_numbers);
    tcase_add_loop_test(tests, durations_are_seconds, 0, (int)COUNT_OF(DURATIONS));
    tcase_add_test(tests, infinity);
    tcase_add_loop_test(tests, values_are_escaped, 0, (int)COUNT_OF(VALUES));
    tcase_add_test(tests, histogram_counts_up);
    tcase_add_test(tests, takes_a_text_that_is_longer_than_its_room);
    tcase_add_test(tests, grows);
    return tests;
}
