#include "outbound.h"

#include "names.h"

/* A URL with the stub's port after the host. */
static struct text at_port_of_stub(const char *host) {
    return arena_print(arena, "http://%s:%u/ok", host, stub_port(stub));
}

static void assert_refused(struct http_reply reply, const char *address) {
    ck_assert_str_eq(http_error_name(reply.error), "address");
    ck_assert_str_eq(reply.address, address);
    ck_assert_int_eq(reply.status, 0);
    ck_assert_uint_eq(stub_connections(stub), 0);
}

static const struct {
    const char *host, *address;
} SPELLINGS[] = {{"127.0.0.1", "127.0.0.1"},
                 {"2130706433", "127.0.0.1"},
                 {"0x7f.1", "127.0.0.1"},
                 {"0x7f000001", "127.0.0.1"},
                 {"017700000001", "127.0.0.1"},
                 {"127.1", "127.0.0.1"},
                 {"0", "0.0.0.0"},
                 {"0.0.0.0", "0.0.0.0"},
                 {"[::ffff:127.0.0.1]", "127.0.0.1"},
                 {"[::ffff:7f00:1]", "127.0.0.1"},
                 {"[::1]", "::1"},
                 {"[::]", "::"},
                 {"[64:ff9b::7f00:1]", "64:ff9b::7f00:1"},
                 {"[fe80::1]", "fe80::1"},
                 {"[fe80::1%25lo]", "fe80::1"},
                 {"169.254.169.254", "169.254.169.254"},
                 {"10.0.0.1", "10.0.0.1"},
                 {"192.168.1.1", "192.168.1.1"},
                 {"100.64.0.1", "100.64.0.1"},
                 {"255.255.255.255", "255.255.255.255"}};

START_TEST(local_addresses_in_any_spelling) {
    use_client("", NULL);
    assert_refused(post(at_port_of_stub(SPELLINGS[_i].host)), SPELLINGS[_i].address);
}
END_TEST

START_TEST(localhost) {
    use_client("", NULL);
    struct http_reply reply = post(at_port_of_stub("localhost"));
    assert_refused(reply, reply.address);
    ck_assert(strcmp(reply.address, "127.0.0.1") == 0 || strcmp(reply.address, "::1") == 0);
}
END_TEST

START_TEST(a_name_that_leads_to_a_private_address) {
    use_client("", NULL);
    names_set("merchant.test", "127.0.0.1");
    assert_refused(post(at_port_of_stub("merchant.test")), "127.0.0.1");
    names_set("merchant.test", "fd00::1 10.1.2.3 ::1");
    use_client("", NULL);
    struct http_reply reply = post(at_port_of_stub("merchant.test"));
    assert_refused(reply, reply.address);
}
END_TEST

START_TEST(an_address_that_is_refused_leaves_the_others) {
    names_set("merchant.test", "10.1.2.3 ::1 127.0.0.1");
    use_client("127.0.0.0/8", NULL);
    struct http_reply reply = post(at_port_of_stub("merchant.test"));
    ck_assert_str_eq(http_error_name(reply.error), "none");
    ck_assert_str_eq(reply.address, "127.0.0.1");
}
END_TEST

/* Judged when it is connected to: what a check had seen before would be worth nothing. */
START_TEST(a_name_that_changes_its_address) {
    names_set("merchant.test", "127.0.0.1");
    use_client("127.0.0.1", NULL);
    ck_assert_int_eq(post(at_port_of_stub("merchant.test")).status, 200);
    names_set("merchant.test", "127.0.0.2");
    use_client("127.0.0.1", NULL);
    struct http_reply reply = post(at_port_of_stub("merchant.test"));
    ck_assert_str_eq(http_error_name(reply.error), "address");
    ck_assert_str_eq(reply.address, "127.0.0.2");
}
END_TEST

START_TEST(an_allowed_range_lets_through) {
    use_client("10.0.0.0/8 127.0.0.0/8", NULL);
    ck_assert_int_eq(post_to("/ok").status, 200);
    ck_assert_int_eq(post(at_port_of_stub("[::ffff:127.0.0.1]")).status, 200);
    ck_assert_int_eq(post(at_port_of_stub("2130706433")).status, 200);
}
END_TEST

START_TEST(another_range_does_not) {
    use_client("10.0.0.0/8 127.0.0.2", NULL);
    assert_refused(post_to("/ok"), "127.0.0.1");
}
END_TEST

START_TEST(v6_too) {
    struct stub *v6 = stub_start("::1", NULL, NULL);
    struct text url = arena_print(arena, "http://[::1]:%u/ok", stub_port(v6));
    struct http_reply reply = post(url);
    ck_assert_int_eq(reply.status, 200);
    ck_assert_str_eq(reply.address, "::1");
    use_client("127.0.0.0/8", NULL);
    ck_assert_str_eq(http_error_name(post(url).error), "address");
}
END_TEST

static const char *const VARIABLES[] = {"http_proxy", "https_proxy", "all_proxy",
                                        "ALL_PROXY",  "HTTP_PROXY",  "HTTPS_PROXY"};

START_TEST(proxies_of_the_environment_are_ignored) {
    struct text proxy = arena_print(arena, "http://127.0.0.1:%u", stub_closed_port());
    for (size_t i = 0; i < COUNT_OF(VARIABLES); i++) {
        setenv(VARIABLES[i], proxy.at, 1);
    }
    unsetenv("no_proxy");
    unsetenv("NO_PROXY");
    ck_assert_int_eq(post_to("/ok").status, 200);
}
END_TEST

static const char *const URLS[] = {
    "",
    "http://",
    "http:///path",
    "http:///127.0.0.1/ok",
    "http:/127.0.0.1/ok",
    "http:127.0.0.1/ok",
    "http:////127.0.0.1/ok",
    "http://?q",
    "http://#part",
    "127.0.0.1/ok",
    "//127.0.0.1/ok",
    "merchant.example",
    "ftp://127.0.0.1/ok",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "dict://127.0.0.1/",
    "unix:///run/x",
    "httpx://127.0.0.1/",
    "javascript:alert(1)",
    "http://user:password@127.0.0.1/ok",
    "http://user@127.0.0.1/ok",
    "http://:@127.0.0.1/ok",
    "http://127.0.0.1:99999/ok",
    "http://127.0.0.1:x/ok",
    "http://127.0.0.1 /ok",
    "http://127.0.0.1/o k",
    "http://127.0.0.1/ok\r\nX: y",
    "http://[::1/ok",
    "http://[127.0.0.1]/ok",
    "http://a b/ok",
    "http://exa\tmple/",
};

START_TEST(urls_that_are_none) {
    struct http_reply reply = post(text_of(URLS[_i]));
    ck_assert_str_eq(http_error_name(reply.error), "url");
    ck_assert_int_eq(reply.status, 0);
    ck_assert_str_eq(reply.address, "");
}
END_TEST

START_TEST(a_nul_does_not_cut_a_url) {
    struct text url = url_of("/okX");
    char *bytes = (char *)arena_copy(arena, url).at;
    bytes[url.size - 1] = '\0';
    ck_assert_str_eq(http_error_name(post((struct text){bytes, url.size}).error), "url");
    ck_assert_uint_eq(stub_connections(stub), 0);
}
END_TEST

START_TEST(capital_letters_in_the_scheme) {
    ck_assert_int_eq(post(arena_print(arena, "HTTP://127.0.0.1:%u/ok", stub_port(stub))).status, 200);
}
END_TEST

TCase *guard_tests(void) {
    TCase *tests = tests_named("guard");
    add_table_test(tests, local_addresses_in_any_spelling, SPELLINGS);
    tcase_add_test(tests, localhost);
    tcase_add_test(tests, a_name_that_leads_to_a_private_address);
    tcase_add_test(tests, an_address_that_is_refused_leaves_the_others);
    tcase_add_test(tests, a_name_that_changes_its_address);
    tcase_add_test(tests, an_allowed_range_lets_through);
    tcase_add_test(tests, another_range_does_not);
    tcase_add_test(tests, v6_too);
    tcase_add_test(tests, proxies_of_the_environment_are_ignored);
    add_table_test(tests, urls_that_are_none, URLS);
    tcase_add_test(tests, a_nul_does_not_cut_a_url);
    tcase_add_test(tests, capital_letters_in_the_scheme);
    return tests;
}
