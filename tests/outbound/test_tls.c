#include "outbound.h"

#include "certificates.h"
#include "names.h"
#include "outbound/trust.h"

static void begin_tls(void) {
    begin();
    certificates_begin();
    certificates_make("server", "IP:127.0.0.1,DNS:merchant.test");
}

static void end_tls(void) {
    certificates_end();
    end();
    stubs_end_tls();
}

static struct stub *start(const char *name) {
    return stub_start("127.0.0.1", certificates_file(name, ".pem"), certificates_file(name, ".key"));
}

static struct text url_at(struct stub *server, const char *host) {
    return arena_print(arena, "https://%s:%u/ok", host, stub_port(server));
}

static void assert_not_trusted(struct http_reply reply, struct stub *server, const char *error, const char *why) {
    ck_assert_msg(strstr(reply.problem, why) != NULL, "%s", reply.problem);
    ck_assert_str_eq(http_error_name(reply.error), error);
    ck_assert_int_eq(reply.status, 0);
    ck_assert_str_eq(reply.address, "127.0.0.1");
    ck_assert_uint_eq(stub_requests(server), 0);
}

START_TEST(a_certificate_that_is_trusted) {
    struct stub *server = start("server");
    use_client("127.0.0.0/8", certificates_file("server", ".pem"));
    names_set("merchant.test", "127.0.0.1");
    ck_assert_int_eq(post(url_at(server, "127.0.0.1")).status, 200);
    ck_assert_int_eq(post(url_at(server, "127.0.0.1")).status, 200);
    ck_assert_uint_eq(stub_connections(server), 1);
    struct http_reply reply = post(url_at(server, "merchant.test"));
    ck_assert_int_eq(reply.status, 200);
    ck_assert_str_eq(reply.problem, "");
}
END_TEST

START_TEST(what_stands_behind_a_reply_answers_no_other) {
    struct stub *server = start("server");
    use_client("127.0.0.0/8", certificates_file("server", ".pem"));
    struct http_reply reply = post(arena_print(arena, "https://127.0.0.1:%u/more", stub_port(server)));
    assert_text(reply.body, "OK");
    reply = post(url_at(server, "127.0.0.1"));
    assert_text(reply.body, "OK");
}
END_TEST

START_TEST(one_that_nobody_signed) {
    struct stub *server = start("server");
    assert_not_trusted(post(url_at(server, "127.0.0.1")), server, "tls_authority", "self-signed certificate");
}
END_TEST

static duration processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * SECOND + time.tv_nsec / 1000;
}

/* The system's certificates are many: reading them takes most of what the first connection takes. */
START_TEST(the_systems_certificates_are_read_once) {
    struct stub *server = start("server");
    duration took[6];
    for (size_t i = 0; i < COUNT_OF(took); i++) {
        duration began_at = processor_time();
        assert_not_trusted(post(url_at(server, "127.0.0.1")), server, "tls_authority", "self-signed certificate");
        took[i] = processor_time() - began_at;
    }
    bool are_many = took[0] > 10 * MILLISECOND;
    size_t long_ones = 0; /* a busy machine takes longer for some */
    for (size_t i = 1; i < COUNT_OF(took); i++) {
        long_ones += took[i] >= (are_many ? took[0] / 2 : 10 * MILLISECOND);
    }
    ck_assert_uint_lt(long_ones, COUNT_OF(took) / 2);
}
END_TEST

/* Our own host's fault, so the merchant is not asked and not blamed. */
START_TEST(without_certificates_to_trust) {
    struct stub *server = start("server");
    const char *files[] = {certificates_file("missing", ".pem"), certificates_file("server", ".key"), "/"};
    struct http_reply reply;
    char error[TRUST_ERROR_SIZE];
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        use_client("127.0.0.0/8", files[i]);
        reply = post(url_at(server, "127.0.0.1"));
        ck_assert_str_eq(http_error_name(reply.error), "certificates");
        ck_assert_int_eq(reply.status, 0);
        ck_assert(!trust_check(files[i], error));
        ck_assert_msg(strstr(error, files[i]) != NULL && strstr(error, "[security] ca_file") != NULL, "%s", error);
        ck_assert_int_eq(post(url_of("/ok")).status, 200);
    }
    ck_assert_uint_eq(stub_requests(server), 0);
    ck_assert(trust_check(certificates_file("server", ".pem"), error));
    ck_assert(trust_check(NULL, error));
}
END_TEST

START_TEST(one_that_another_signed) {
    struct stub *server = start("server");
    certificates_make("other", "IP:127.0.0.1");
    use_client("127.0.0.0/8", certificates_file("other", ".pem"));
    assert_not_trusted(post(url_at(server, "127.0.0.1")), server, "tls_authority", "self-signed certificate");
}
END_TEST

START_TEST(one_for_another_host) {
    certificates_make("elsewhere", "DNS:elsewhere.test");
    struct stub *server = start("elsewhere");
    use_client("127.0.0.0/8", certificates_file("elsewhere", ".pem"));
    names_set("merchant.test", "127.0.0.1");
    assert_not_trusted(post(url_at(server, "127.0.0.1")), server, "tls_name", "subject name matches target");
    assert_not_trusted(post(url_at(server, "merchant.test")), server, "tls_name", "subject name matches target");
}
END_TEST

START_TEST(a_server_without_tls) {
    assert_not_trusted(post(url_at(stub, "127.0.0.1")), stub, "tls_absent", "wrong version number");
}
END_TEST

START_TEST(a_handshake_that_hangs) {
    struct text url = arena_print(arena, "https://127.0.0.1:%u/ok", stub_silent_port());
    ck_assert_str_eq(http_error_name(post_within(url, 300 * MILLISECOND).error), "timeout");
}
END_TEST

START_TEST(the_guard_stands_before_tls) {
    struct stub *server = start("server");
    use_client("", certificates_file("server", ".pem"));
    ck_assert_str_eq(http_error_name(post(url_at(server, "127.0.0.1")).error), "address");
    ck_assert_uint_eq(stub_connections(server), 0);
}
END_TEST

TCase *tls_tests(void) {
    TCase *tests = tcase_create("tls");
    tcase_add_checked_fixture(tests, begin_tls, end_tls);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_certificate_that_is_trusted);
    tcase_add_test(tests, what_stands_behind_a_reply_answers_no_other);
    tcase_add_test(tests, one_that_nobody_signed);
    tcase_add_test(tests, the_systems_certificates_are_read_once);
    tcase_add_test(tests, without_certificates_to_trust);
    tcase_add_test(tests, one_that_another_signed);
    tcase_add_test(tests, one_for_another_host);
    tcase_add_test(tests, a_server_without_tls);
    tcase_add_test(tests, a_handshake_that_hangs);
    tcase_add_test(tests, the_guard_stands_before_tls);
    return tests;
}
