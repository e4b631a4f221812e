#include "unit.h"

#include "console/core/multipart.h"

#define TYPE                "multipart/form-data; boundary=edge"
#define PART(name, content) "--edge\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" content "\r\n"
#define FILE_PART(name, content)                                                                                       \
    "--edge\r\nContent-Disposition: form-data; name=\"" name "\"; filename=\"a; name=b\"\r\n"                          \
    "Content-Type: text/csv\r\n\r\n" content "\r\n"
#define END        "--edge--\r\n"
#define TENFOLD(x) x x x x x x x x x x

/* found NULL: there is no part "list". */
static const struct {
    const char *type, *body, *found;
} CASES[] = {
    {TYPE, FILE_PART("list", "a,b\r\n1,2") END, "a,b\r\n1,2"},
    {TYPE, PART("token", "x") FILE_PART("list", "") PART("list", "second") END, ""},
    {TYPE "; charset=utf-8", FILE_PART("list", "1") END, "1"},
    {"multipart/form-data; boundary=\"edge\"", FILE_PART("list", "1") END, "1"},
    {TYPE, FILE_PART("list", "--edge\r\n-edge\r\n--edg") END, "--edge\r\n-edge\r\n--edg"},
    {TYPE, FILE_PART("list", "1") "--edge", "1"},
    {TYPE, PART("lists", "1") PART("lis", "2") PART("LIST", "3") END, NULL},
    {TYPE, PART("x%22; name=%22list", "1") END, NULL},
    {TYPE, "", NULL},
    {TYPE, END, NULL},
    {TYPE, "preamble\r\n" FILE_PART("list", "1") END, NULL},
    {TYPE, END FILE_PART("list", "behind the end"), NULL},
    {TYPE, "--edge\r\nContent-Disposition: form-data; name=\"list\"\r\n\r\nno end", NULL},
    {TYPE, "--edge\r\nContent-Disposition: form-data; name=\"list", NULL},
    {TYPE, "--edge", NULL},
    {"multipart/form-data", FILE_PART("list", "1") END, NULL},
    {"multipart/form-data; boundary=", FILE_PART("list", "1") END, NULL},
    {"multipart/form-data; boundary=\"edge", FILE_PART("list", "1") END, NULL},
    {"multipart/form-data; boundary=other", FILE_PART("list", "1") END, NULL},
    {"text/plain; boundary=edge", FILE_PART("list", "1") END, NULL},
    {"multipart/form-data; boundary=" TENFOLD("12345678"),
     "--" TENFOLD("12345678") "\r\n; name=\"list\"\r\n\r\n1\r\n--" TENFOLD("12345678"), NULL},
};

START_TEST(part_is_found) {
    struct text found;
    bool is_there = multipart_find(text_of(CASES[_i].type), text_of(CASES[_i].body), "list", &found);
    ck_assert_int_eq(is_there, CASES[_i].found != NULL);
    if (is_there) {
        assert_text(found, CASES[_i].found);
    }
}
END_TEST

TCase *multipart_tests(void) {
    TCase *tests = unit_case("multipart");
    add_table_test(tests, part_is_found, CASES);
    return tests;
}
