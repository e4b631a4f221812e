#include "unit.h"

#include "base/config/hosts.h"

static const struct {
    const char *list;
    size_t count;
    const char *last;
    unsigned port;
} LISTS[] = {
    {"db1", 1, "db1", 0},           {"db1.example:3307", 1, "db1.example", 3307},
    {"db1 \t db2:1", 2, "db2", 1},  {"10.0.0.1:65535", 1, "10.0.0.1", 65535},
    {"fd00::1", 1, "fd00::1", 0},   {"::1", 1, "::1", 0},
    {"[fd00::1]", 1, "fd00::1", 0}, {"[fd00::1]:3306", 1, "fd00::1", 3306},
    {"a:1 a:2 a", 3, "a", 0},       {"a b c d e f g h", HOSTS_MAX, "h", 0},
};

START_TEST(reads_lists) {
    struct hosts hosts;
    ck_assert_msg(hosts_parse(text_of(LISTS[_i].list), &hosts), "%s", LISTS[_i].list);
    ck_assert_uint_eq(hosts.count, LISTS[_i].count);
    ck_assert_str_eq(hosts.items[hosts.count - 1].name, LISTS[_i].last);
    ck_assert_uint_eq(hosts.items[hosts.count - 1].port, LISTS[_i].port);
}
END_TEST

static const char *const WRONG[] = {"",        " ",      "a:",        "a:0",
                                    "a:65536", "a:x",    ":3306",     "[]:1",
                                    "[::1",    "[::1]x", "[::1]:",    "a,b",
                                    "a/b",     "a a",    "a:1 b a:1", "a b c d e f g h i",
                                    "a:+1",    "a:-1"};

START_TEST(refuses_what_is_none) {
    struct hosts hosts;
    ck_assert_msg(!hosts_parse(text_of(WRONG[_i]), &hosts), "%s", WRONG[_i]);
}
END_TEST

START_TEST(a_name_has_a_longest) {
    char name[HOST_NAME_BYTES + 2];
    struct hosts hosts;
    memset(name, 'a', sizeof name);
    ck_assert(hosts_parse((struct text){name, HOST_NAME_BYTES}, &hosts));
    ck_assert_uint_eq(strlen(hosts.items[0].name), HOST_NAME_BYTES);
    ck_assert(!hosts_parse((struct text){name, HOST_NAME_BYTES + 1}, &hosts));
}
END_TEST

TCase *hosts_tests(void) {
    TCase *tests = unit_case("hosts");
    add_table_test(tests, reads_lists, LISTS);
    add_table_test(tests, refuses_what_is_none, WRONG);
    tcase_add_test(tests, a_name_has_a_longest);
    return tests;
}
