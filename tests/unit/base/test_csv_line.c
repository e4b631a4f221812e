#include "unit.h"

#include "base/csv/csv_line.h"

static struct csv_line line;

static void tear_down(void) {
    csv_line_free(&line);
}

static const struct {
    const char *value, *field;
} FIELDS[] = {
    {"", ""},
    {"Zapatos", "Zapatos"},
    {"Tienda Única", "Tienda Única"},
    {"a,b", "\"a,b\""},
    {"a;b", "\"a;b\""},
    {"a\tb", "\"a\tb\""},
    {"a\nb", "\"a\nb\""},
    {"a\rb", "\"a\rb\""},
    {"say \"hi\"", "\"say \"\"hi\"\"\""},
    {"\"", "\"\"\"\""},
    {" a", "\" a\""},
    {"a ", "\"a \""},
    /* a spreadsheet would evaluate these */
    {"=1+1", "'=1+1"},
    {"+57300", "'+57300"},
    {"-12", "'-12"},
    {"@SUM(A1)", "'@SUM(A1)"},
    {"\tx", "\"'\tx\""},
    {"\rx", "\"'\rx\""},
    {"=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""},
    {"=", "'="},
    /* one that separates by semicolons or tabs would evaluate these */
    {"Botas;=1+1;<b>", "\"Botas;'=1+1;<b>\""},
    {"a; @x;-1", "\"a;' @x;'-1\""},
    {"a;\"=1\"", "\"a;'\"\"=1\"\"\""},
    {"a\t+1", "\"a\t'+1\""},
    {"=1;=2", "\"'=1;'=2\""},
    {";;=2", "\";;'=2\""},
    {"a;\t=2", "\"a;'\t'=2\""},
    /* and not these */
    {"a=1", "a=1"},
    {"a;b=1;", "\"a;b=1;\""},
    {"a;'=1", "\"a;'=1\""},
    {"'=1", "'=1"},
    {"45000.00", "45000.00"},
    {"2026-11-21T09:30:00.000000Z", "2026-11-21T09:30:00.000000Z"},
};

START_TEST(writes_a_field_that_reads_as_it_is) {
    csv_line_text(&line, text_of(FIELDS[_i].value));
    struct text written = csv_line_end(&line);
    ck_assert_uint_eq(written.size, strlen(FIELDS[_i].field) + 1);
    ck_assert_mem_eq(written.at, FIELDS[_i].field, written.size - 1);
    ck_assert_int_eq(written.at[written.size - 1], '\n');
}
END_TEST

/* Whoever recomputes a digest (recaudo-audit) writes it so too. */
START_TEST(what_is_digested_keeps_its_form) {
    csv_line_digested(&line, TEXT("=1;=2"));
    assert_text(csv_line_end(&line), "\"'=1;=2\"\n");
}
END_TEST

START_TEST(numbers_stay_numbers) {
    csv_line_text(&line, TEXT("x"));
    csv_line_number(&line, UINT64_MAX);
    csv_line_plain(&line, "45000.00");
    csv_line_nothing(&line, 2);
    csv_line_text(&line, TEXT("-"));
    assert_text(csv_line_end(&line), "x,18446744073709551615,45000.00,,,'-\n");
}
END_TEST

START_TEST(lines_follow_each_other) {
    char large[3000];
    memset(large, 'x', sizeof large);
    csv_line_text(&line, (struct text){large, sizeof large});
    csv_line_text(&line, (struct text){large, sizeof large});
    ck_assert_uint_eq(csv_line_end(&line).size, 2 * sizeof large + 2);
    csv_line_nothing(&line, 1);
    assert_text(csv_line_end(&line), "\n");
    csv_line_nothing(&line, 2);
    assert_text(csv_line_end(&line), ",\n");
}
END_TEST

TCase *csv_line_tests(void) {
    TCase *tests = unit_case("csv_line");
    tcase_add_checked_fixture(tests, NULL, tear_down);
    add_table_test(tests, writes_a_field_that_reads_as_it_is, FIELDS);
    tcase_add_test(tests, what_is_digested_keeps_its_form);
    tcase_add_test(tests, numbers_stay_numbers);
    tcase_add_test(tests, lines_follow_each_other);
    return tests;
}
