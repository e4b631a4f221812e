#include "unit.h"

#include "outbound/address.h"

#include <netdb.h>
#include <sys/socket.h>

static struct address_guard guard;
static struct text offender;

/* Returns the address as the resolver reads it, in any spelling. */
static struct address resolve(const char *spelling) {
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    struct address address;
    ck_assert_msg(getaddrinfo(spelling, NULL, &hints, &found) == 0, "%s", spelling);
    ck_assert(address_of_socket(found->ai_addr, &address));
    freeaddrinfo(found);
    return address;
}

static void allow(const char *ranges) {
    bool parsed = address_list_parse(text_of(ranges), &guard.allowed, &offender);
    ck_assert_msg(parsed, "%.*s", TEXT_ARGS(offender));
}

static const struct {
    const char *address;
    bool is_public;
} ADDRESSES[] = {
    {"8.8.8.8", true},
    {"1.1.1.1", true},
    {"193.0.6.139", true},
    {"0.0.0.0", false},
    {"0.255.255.255", false},
    {"1.0.0.0", true},
    {"9.255.255.255", true},
    {"10.0.0.0", false},
    {"10.255.255.255", false},
    {"11.0.0.0", true},
    {"100.63.255.255", true},
    {"100.64.0.0", false},
    {"100.127.255.255", false},
    {"100.128.0.0", true},
    {"126.255.255.255", true},
    {"127.0.0.0", false},
    {"127.0.0.1", false},
    {"127.255.255.255", false},
    {"128.0.0.0", true},
    {"2130706433", false},
    {"0x7f.1", false},
    {"0x7f000001", false},
    {"017700000001", false},
    {"127.1", false},
    {"0", false},
    {"169.253.255.255", true},
    {"169.254.0.0", false},
    {"169.254.169.254", false},
    {"169.254.255.255", false},
    {"169.255.0.0", true},
    {"172.15.255.255", true},
    {"172.16.0.0", false},
    {"172.31.255.255", false},
    {"172.32.0.0", true},
    {"192.0.0.0", false},
    {"192.0.0.255", false},
    {"192.0.1.0", true},
    {"192.0.2.1", false},
    {"192.88.99.1", false},
    {"192.167.255.255", true},
    {"192.168.0.0", false},
    {"192.168.255.255", false},
    {"192.169.0.0", true},
    {"198.17.255.255", true},
    {"198.18.0.0", false},
    {"198.19.255.255", false},
    {"198.20.0.0", true},
    {"198.51.100.7", false},
    {"203.0.113.7", false},
    {"223.255.255.255", true},
    {"224.0.0.0", false},
    {"239.255.255.255", false},
    {"240.0.0.0", false},
    {"255.255.255.255", false},
    {"2a00:1450:4003::1", true},
    {"2000::1", true},
    {"3ffe::1", true},
    {"::", false},
    {"::1", false},
    {"::2", false},
    {"::8.8.8.8", false},
    {"::127.0.0.1", false},
    {"::ffff:8.8.8.8", true},
    {"::ffff:127.0.0.1", false},
    {"::ffff:7f00:1", false},
    {"::ffff:10.1.2.3", false},
    {"::ffff:169.254.169.254", false},
    {"::ffff:0:127.0.0.1", false},
    {"64:ff9b::8.8.8.8", true},
    {"64:ff9b::127.0.0.1", false},
    {"64:ff9b::192.168.1.1", false},
    {"64:ff9b:1::8.8.8.8", false},
    {"100::1", false},
    {"1fff:ffff::1", false},
    {"2001::1", false},
    {"2001:1ff::1", false},
    {"2001:200::1", true},
    {"2001:db8::1", false},
    {"2001:db9::1", true},
    {"2002:0808:0808::1", true},
    {"2002:7f00:1::1", false},
    {"2002:0a01:0203::1", false},
    {"2002:a9fe:a9fe::1", false},
    {"2002:c0a8:1::1", false},
    {"2003::1", true},
    {"3fff::1", false},
    {"3fff:fff::1", false},
    {"3fff:1000::1", true},
    {"4000::1", false},
    {"5f00::1", false},
    {"fc00::1", false},
    {"fd12:3456::1", false},
    {"fe00::1", false},
    {"fe80::", false},
    {"fe80::1", false},
    {"febf::1", false},
    {"fec0::1", false},
    {"ff02::1", false},
    {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false},
};

START_TEST(only_public_addresses) {
    struct address address = resolve(ADDRESSES[_i].address);
    allow("");
    ck_assert_msg(address_is_permitted(&guard, &address) == ADDRESSES[_i].is_public, "%s", ADDRESSES[_i].address);
}
END_TEST

START_TEST(other_families_have_no_address) {
    struct sockaddr unix_socket = {.sa_family = AF_UNIX};
    struct address address;
    ck_assert(!address_of_socket(&unix_socket, &address));
}
END_TEST

static const struct {
    const char *ranges, *address;
    bool permitted;
} ALLOWED[] = {
    {"127.0.0.0/8", "127.0.0.1", true},
    {"127.0.0.0/8", "127.255.255.255", true},
    {"127.0.0.0/8", "::ffff:127.0.0.1", true},
    {"127.0.0.0/8", "::1", false},
    {"127.0.0.0/8", "10.0.0.1", false},
    {"127.0.0.0/8", "8.8.8.8", true},
    {"127.0.0.1", "127.0.0.1", true},
    {"127.0.0.1", "127.0.0.2", false},
    {"127.0.0.1/32", "127.0.0.2", false},
    {"10.128.0.0/9", "10.128.0.0", true},
    {"10.128.0.0/9", "10.127.255.255", false},
    {"::1", "::1", true},
    {"::1", "127.0.0.1", false},
    {"127.0.0.0/8 ::1/128", "::1", true},
    {"  127.0.0.0/8\t \t::1/128  ", "127.0.0.1", true},
    {"fd00::/8", "fd12::1", true},
    {"fd00::/8", "fc12::1", false},
    {"10.0.0.0/8", "2002:0a00:0001::1", false},
    {"2002:a00::/24", "2002:0a00:0001::1", true},
    {"0.0.0.0/0", "192.168.1.1", true},
    {"0.0.0.0/0", "::1", false},
    {"::/0", "192.168.1.1", true},
    {"::/0", "fe80::1", true},
    {"::ffff:10.0.0.0/104", "10.9.9.9", true},
};

START_TEST(what_the_operator_allows) {
    struct address address = resolve(ALLOWED[_i].address);
    allow(ALLOWED[_i].ranges);
    ck_assert(address_is_permitted(&guard, &address) == ALLOWED[_i].permitted);
}
END_TEST

static const struct {
    const char *ranges, *offender;
} MISTAKES[] = {
    {"localhost", "localhost"},
    {"127.0.0.0/8 10.0.0.0/33 ::1", "10.0.0.0/33"},
    {"::1/129", "::1/129"},
    {"127.0.0.1/8", "127.0.0.1/8"},
    {"fe80::1/10", "fe80::1/10"},
    {"127.0.0.0/", "127.0.0.0/"},
    {"127.0.0.0/x", "127.0.0.0/x"},
    {"127.0.0.0/-1", "127.0.0.0/-1"},
    {"127.0.0.0/8/8", "127.0.0.0/8/8"},
    {"127.0.0.0/99999999999999999999", "127.0.0.0/99999999999999999999"},
    {"/8", "/8"},
    {"127.1", "127.1"},
    {"127.0.0.0/8,10.0.0.0/8", "127.0.0.0/8,10.0.0.0/8"},
    {"256.0.0.1", "256.0.0.1"},
    {"fe80::1%lo", "fe80::1%lo"},
    {"1111:1111:1111:1111:1111:1111:1111:1111:1111:1111", "1111:1111:1111:1111:1111:1111:1111:1111:1111:1111"},
};

START_TEST(names_the_word_that_is_no_range) {
    ck_assert(!address_list_parse(text_of(MISTAKES[_i].ranges), &guard.allowed, &offender));
    assert_text(offender, MISTAKES[_i].offender);
}
END_TEST

START_TEST(has_room_for_a_number_of_ranges) {
    char ranges[ADDRESS_RANGES_MAX * 12 + 12] = "";
    size_t used = 0;
    for (int i = 0; i < ADDRESS_RANGES_MAX; i++) {
        used += (size_t)snprintf(ranges + used, sizeof ranges - used, "10.0.0.%d ", i);
    }
    allow(ranges);
    ck_assert_uint_eq(guard.allowed.count, ADDRESS_RANGES_MAX);
    snprintf(ranges + used, sizeof ranges - used, "10.1.1.1");
    ck_assert(!address_list_parse(text_of(ranges), &guard.allowed, &offender));
    assert_text(offender, "10.1.1.1");
}
END_TEST

static const struct {
    const char *address, *printed;
} PRINTED[] = {{"127.0.0.1", "127.0.0.1"},
               {"::ffff:127.0.0.1", "127.0.0.1"},
               {"255.255.255.255", "255.255.255.255"},
               {"::1", "::1"},
               {"2001:DB8:0:0::1", "2001:db8::1"},
               {"1111:2222:3333:4444:5555:6666:7777:8888", "1111:2222:3333:4444:5555:6666:7777:8888"}};

START_TEST(prints) {
    char printed[ADDRESS_TEXT_SIZE];
    struct address address = resolve(PRINTED[_i].address);
    ck_assert_str_eq(address_print(&address, printed), PRINTED[_i].printed);
}
END_TEST

/* Everything is allowed; the defaults deny. */
static const struct {
    const char *address;
    bool permitted;
} DENIED[] = {
    {"168.63.129.16", false},      {"168.63.129.15", true},   {"169.254.169.254", false},
    {"169.254.170.2", false},      {"169.253.255.255", true}, {"100.100.100.200", false},
    {"fd00:ec2::254", false},      {"fd00:ec3::254", true},   {"::ffff:169.254.169.254", false},
    {"64:ff9b::a9fe:a9fe", false}, /* NAT64 */
    {"64:ff9b::a83f:8110", false}, /* NAT64 of 168.63.129.16, which is public */
    {"2002:a9fe:a9fe::1", false},  /* 6to4 */
    {"2002:0a00:0001::1", true},   {"10.0.0.1", true},        {"fe80::1", true},
};

START_TEST(what_is_denied_stays_so_when_all_is_allowed) {
    struct config config;
    char error[CONFIG_ERROR_SIZE], list_error[ADDRESS_GUARD_ERROR_SIZE];
    struct address address = resolve(DENIED[_i].address);
    ck_assert_msg(config_read(file_with("[database]\nsocket = /s\n[security]\nallow_addresses = 0.0.0.0/0 ::/0\n"),
                              &config, error),
                  "%s", error);
    ck_assert(address_guard_read(&config, &guard, list_error));
    config_free(&config);
    ck_assert_msg(address_is_permitted(&guard, &address) == DENIED[_i].permitted, "%s", DENIED[_i].address);
}
END_TEST

static const struct {
    const char *setting, *error;
} BAD_LISTS[] = {
    {"allow_addresses = 10.0.0.0/33", "[security] allow_addresses: not an address range: 10.0.0.0/33"},
    {"deny_addresses = 10.0.0.0/8 here", "[security] deny_addresses: not an address range: here"},
};

START_TEST(names_the_setting_that_is_wrong) {
    struct config config;
    char content[200], error[CONFIG_ERROR_SIZE], list_error[ADDRESS_GUARD_ERROR_SIZE];
    snprintf(content, sizeof content, "[database]\nsocket = /s\n[security]\n%s\n", BAD_LISTS[_i].setting);
    ck_assert_msg(config_read(file_with(content), &config, error), "%s", error);
    ck_assert(!address_guard_read(&config, &guard, list_error));
    ck_assert_str_eq(list_error, BAD_LISTS[_i].error);
    config_free(&config);
}
END_TEST

TCase *address_tests(void) {
    TCase *tests = unit_case("address");
    add_table_test(tests, only_public_addresses, ADDRESSES);
    tcase_add_test(tests, other_families_have_no_address);
    add_table_test(tests, what_the_operator_allows, ALLOWED);
    add_table_test(tests, names_the_word_that_is_no_range, MISTAKES);
    tcase_add_test(tests, has_room_for_a_number_of_ranges);
    add_table_test(tests, prints, PRINTED);
    add_table_test(tests, what_is_denied_stays_so_when_all_is_allowed, DENIED);
    add_table_test(tests, names_the_setting_that_is_wrong, BAD_LISTS);
    return tests;
}
