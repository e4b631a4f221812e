#include "unit.h"

#include "base/address.h"

static const struct {
    const char *written, *printed; /* printed NULL: not a valid range */
    enum address_fault fault;
} RANGES[] = {
    {"0.0.0.0/0", "0.0.0.0/0", ADDRESS_RANGE_FINE},
    {"10.0.0.0/8", "10.0.0.0/8", ADDRESS_RANGE_FINE},
    {"10.0.0.0/08", "10.0.0.0/8", ADDRESS_RANGE_FINE},
    {"192.0.2.7", "192.0.2.7/32", ADDRESS_RANGE_FINE},
    {"192.0.2.7/32", "192.0.2.7/32", ADDRESS_RANGE_FINE},
    {"192.0.2.6/31", "192.0.2.6/31", ADDRESS_RANGE_FINE},
    {"::/0", "::/0", ADDRESS_RANGE_FINE},
    {"::1", "::1/128", ADDRESS_RANGE_FINE},
    {"2001:DB8:0:0::/32", "2001:db8::/32", ADDRESS_RANGE_FINE},
    {"2001:db8::7/128", "2001:db8::7/128", ADDRESS_RANGE_FINE},
    {"::ffff:192.0.2.7", "192.0.2.7/32", ADDRESS_RANGE_FINE},
    {"::ffff:192.0.2.0/120", "192.0.2.0/24", ADDRESS_RANGE_FINE},
    {"::ffff:0:0/96", "0.0.0.0/0", ADDRESS_RANGE_FINE},
    {"10.1.2.3/8", "10.0.0.0/8", ADDRESS_RANGE_HAS_HOST_BITS},
    {"192.0.2.7/31", "192.0.2.6/31", ADDRESS_RANGE_HAS_HOST_BITS},
    {"192.0.2.7/0", "0.0.0.0/0", ADDRESS_RANGE_HAS_HOST_BITS},
    {"2001:db8::1/64", "2001:db8::/64", ADDRESS_RANGE_HAS_HOST_BITS},
    {"2001:db8::1/127", "2001:db8::/127", ADDRESS_RANGE_HAS_HOST_BITS},
    {"192.0.2.0/33", NULL, ADDRESS_RANGE_NONE},
    {"::/129", NULL, ADDRESS_RANGE_NONE},
    {"192.0.2.0/", NULL, ADDRESS_RANGE_NONE},
    {"192.0.2.0/-1", NULL, ADDRESS_RANGE_NONE},
    {"192.0.2.0/2 4", NULL, ADDRESS_RANGE_NONE},
    {"/24", NULL, ADDRESS_RANGE_NONE},
    {"", NULL, ADDRESS_RANGE_NONE},
    {"192.0.2", NULL, ADDRESS_RANGE_NONE},
    {"192.0.2.01", NULL, ADDRESS_RANGE_NONE},
    {"192.0.2.256", NULL, ADDRESS_RANGE_NONE},
    {"fe80::1%lo", NULL, ADDRESS_RANGE_NONE},
    {"unix:", NULL, ADDRESS_RANGE_NONE},
    {"red.example", NULL, ADDRESS_RANGE_NONE},
};

START_TEST(reads_a_range) {
    struct address_range range;
    char printed[ADDRESS_RANGE_TEXT_SIZE];
    ck_assert_msg(address_range_parse(text_of(RANGES[_i].written), &range) == RANGES[_i].fault, "%s",
                  RANGES[_i].written);
    if (RANGES[_i].printed != NULL) {
        ck_assert_str_eq(address_range_print(&range, printed), RANGES[_i].printed);
    }
}
END_TEST

START_TEST(a_nul_ends_no_address) {
    struct address address;
    ck_assert(address_parse(TEXT("192.0.2.7"), &address));
    ck_assert(!address_parse(TEXT("192.0.2.7\0"), &address));
    ck_assert(!address_parse(TEXT("192.0.2.7\0.8"), &address));
    ck_assert(!address_parse((struct text){NULL, 0}, &address));
}
END_TEST

static const struct {
    const char *list, *address;
    bool has;
} MEMBERS[] = {
    {"", "192.0.2.7", false},
    {"192.0.2.7", "192.0.2.7", true},
    {"192.0.2.7", "::ffff:192.0.2.7", true},
    {"192.0.2.7", "::ffff:c000:207", true},
    {"192.0.2.7", "::192.0.2.7", false},
    {"192.0.2.7", "192.0.2.6", false},
    {"192.0.2.7", "192.0.2.8", false},
    {"::ffff:192.0.2.7", "192.0.2.7", true},
    {"192.0.2.0/24", "192.0.2.0", true},
    {"192.0.2.0/24", "192.0.2.255", true},
    {"192.0.2.0/24", "192.0.1.255", false},
    {"192.0.2.0/24", "192.0.3.0", false},
    {"192.0.2.64/26", "192.0.2.63", false},
    {"192.0.2.64/26", "192.0.2.64", true},
    {"192.0.2.64/26", "192.0.2.127", true},
    {"192.0.2.64/26", "192.0.2.128", false},
    {"0.0.0.0/0", "255.255.255.255", true},
    {"0.0.0.0/0", "::ffff:1.2.3.4", true},
    {"0.0.0.0/0", "2001:db8::1", false},
    {"0.0.0.0/0", "::1", false},
    {"::/0", "2001:db8::1", true},
    {"::/0", "::", true},
    {"::/0", "192.0.2.7", false},
    {"::/0", "::ffff:192.0.2.7", false},
    {"::/0 0.0.0.0/0", "192.0.2.7", true},
    {"2001:db8::/32", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", true},
    {"2001:db8::/32", "2001:db9::", false},
    {"2001:db8::/32", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", false},
    {"2001:db8::8/125", "2001:db8::7", false},
    {"2001:db8::8/125", "2001:db8::8", true},
    {"2001:db8::8/125", "2001:db8::f", true},
    {"2001:db8::8/125", "2001:db8::10", false},
    {"2001:db8::7/128", "2001:db8::7", true},
    {"2001:db8::7/128", "2001:db8::6", false},
    {"10.0.0.0/8 192.0.2.7 2001:db8::/32", "2001:db8::1", true},
    {"10.0.0.0/8 192.0.2.7 2001:db8::/32", "192.0.2.7", true},
    {"10.0.0.0/8 192.0.2.7 2001:db8::/32", "192.0.2.8", false},
};

START_TEST(holds_addresses_of_its_ranges) {
    struct address_list list;
    struct address address;
    struct text offender;
    ck_assert(address_list_parse(text_of(MEMBERS[_i].list), &list, &offender));
    ck_assert(address_parse(text_of(MEMBERS[_i].address), &address));
    ck_assert_msg(address_list_has(&list, &address) == MEMBERS[_i].has, "%s in %s", MEMBERS[_i].address,
                  MEMBERS[_i].list);
}
END_TEST

TCase *address_list_tests(void) {
    TCase *tests = unit_case("address list");
    add_table_test(tests, reads_a_range, RANGES);
    tcase_add_test(tests, a_nul_ends_no_address);
    add_table_test(tests, holds_addresses_of_its_ranges, MEMBERS);
    return tests;
}
