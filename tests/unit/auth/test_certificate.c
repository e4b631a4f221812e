#include "unit.h"

#include "auth/certificate.h"

#include <openssl/err.h>

/* Valid until 2030-02-28T12:34:56Z, in the format for dates before 2050. */
static const char *const NEAR_END = "-----BEGIN CERTIFICATE-----\n"
                                    "MIHDMHegAwIBAgIBATAFBgMrZXAwDDEKMAgGA1UEAwwBdDAeFw0yMDAxMDEwMDAw\n"
                                    "MDBaFw0zMDAyMjgxMjM0NTZaMAwxCjAIBgNVBAMMAXQwKjAFBgMrZXADIQA9QBfD\n"
                                    "6EOJWpK3CqdNG368nJgszy7ElozAzVXxKvRmDDAFBgMrZXADQQBr5NBkjxyatTtY\n"
                                    "2DDnlaOnrpCKz0zxhBfO5hcpvZWpdz/UTqKXxYjKRfV64Sog+kT3qD2nQDBVLi/k\n"
                                    "2mzNaMQN\n"
                                    "-----END CERTIFICATE-----\n";

/* The same certificate, but its end is in month 99 of 2030. */
static const char *const NO_END = "-----BEGIN CERTIFICATE-----\n"
                                  "MIHDMHegAwIBAgIBATAFBgMrZXAwDDEKMAgGA1UEAwwBdDAeFw0yMDAxMDEwMDAw\n"
                                  "MDBaFw0zMDk5MjgxMjM0NTZaMAwxCjAIBgNVBAMMAXQwKjAFBgMrZXADIQA9QBfD\n"
                                  "6EOJWpK3CqdNG368nJgszy7ElozAzVXxKvRmDDAFBgMrZXADQQBr5NBkjxyatTtY\n"
                                  "2DDnlaOnrpCKz0zxhBfO5hcpvZWpdz/UTqKXxYjKRfV64Sog+kT3qD2nQDBVLi/k\n"
                                  "2mzNaMQN\n"
                                  "-----END CERTIFICATE-----\n";

/* Valid until 2099-12-31T23:59:59Z, in the format for later dates. */
static const char *const FAR_END = "-----BEGIN CERTIFICATE-----\n"
                                   "MIHFMHmgAwIBAgIBATAFBgMrZXAwDDEKMAgGA1UEAwwBdDAgFw0yMDAxMDEwMDAw\n"
                                   "MDBaGA8yMDk5MTIzMTIzNTk1OVowDDEKMAgGA1UEAwwBdDAqMAUGAytlcAMhAD1A\n"
                                   "F8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYMMAUGAytlcANBAFFr52v6UbEX\n"
                                   "QVNG52tpRaK+WfeGUimabzsAmS+oPnjJS1cIip3kOXUaHewAmcRPmFkPSB/2nnBN\n"
                                   "N8hOW4HFnQc=\n"
                                   "-----END CERTIFICATE-----\n";

#define BEGIN_INSTANT (INT64_C(1577836800) * SECOND) /* 2020-01-01 */
#define NEAR_INSTANT  (INT64_C(1898512496) * SECOND)
#define FAR_INSTANT   (INT64_C(4102444799) * SECOND)

static char error[CERTIFICATE_ERROR_SIZE];

START_TEST(leaves_no_file_and_no_error) {
    struct validity validity;
    const char *path = file_with(NEAR_END);
    int next = next_descriptor();
    ck_assert_msg(certificate_read(path, &validity, error), "%s", error);
    ck_assert_int_eq(next_descriptor(), next);
    ck_assert_uint_eq(ERR_peek_error(), 0);
}
END_TEST

START_TEST(says_until_when_it_is_valid) {
    struct validity validity;
    ck_assert_msg(certificate_read(file_with(NEAR_END), &validity, error), "%s", error);
    ck_assert_int_eq(validity.from, BEGIN_INSTANT);
    ck_assert_int_eq(validity.until, NEAR_INSTANT);
    ck_assert_msg(certificate_read(file_with(FAR_END), &validity, error), "%s", error);
    ck_assert_int_eq(validity.until, FAR_INSTANT);
}
END_TEST

#define WHOSE "the web server's certificate, or an issuer in its file, "
#define SOON  WHOSE "expires within 14 days: renew P, then reload the web server"
#define PAST  WHOSE "has expired: renew P, then reload the web server"
#define AHEAD(from)                                                                                                    \
    WHOSE "is not valid before " from ", and this machine's clock says 2020-01-01T00:00:00Z: correct the clock, or "   \
          "renew P and reload the web server"

START_TEST(is_judged_to_the_microsecond) {
    static const struct {
        duration from, until; /* from now on */
        enum validity_state state;
        const char *said;
    } CASES[] = {{-DAY, 14 * DAY, VALIDITY_NOW, ""},
                 {0, 20 * DAY, VALIDITY_NOW, ""},
                 {-DAY, 14 * DAY - 1, VALIDITY_ENDS_SOON, SOON},
                 {-DAY, 1, VALIDITY_ENDS_SOON, SOON},
                 {-DAY, 0, VALIDITY_PAST, PAST},
                 {1, 20 * DAY, VALIDITY_AHEAD, AHEAD("2020-01-01T00:00:00Z")},
                 {HOUR + 5 * SECOND, DAY, VALIDITY_AHEAD, AHEAD("2020-01-01T01:00:05Z")}};
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        const struct validity validity = {BEGIN_INSTANT + CASES[i].from, BEGIN_INSTANT + CASES[i].until};
        error[0] = '\0';
        ck_assert_int_eq(certificate_judge("P", &validity, BEGIN_INSTANT, error), CASES[i].state);
        ck_assert_str_eq(error, CASES[i].said);
    }
}
END_TEST

static const char A_KEY[] = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";

/* The other certificates of a chain are the issuers'. */
START_TEST(first_to_end_counts) {
    char content[2048];
    struct validity validity;
    snprintf(content, sizeof content, "%s%s%s", FAR_END, A_KEY, NEAR_END);
    ck_assert_msg(certificate_read(file_with(content), &validity, error), "%s", error);
    ck_assert_int_eq(validity.until, NEAR_INSTANT);
    snprintf(content, sizeof content, "%s%s%s", NEAR_END, FAR_END, A_KEY);
    ck_assert_msg(certificate_read(file_with(content), &validity, error), "%s", error);
    ck_assert_int_eq(validity.until, NEAR_INSTANT);
}
END_TEST

START_TEST(a_damaged_issuer_counts) {
    char content[2048];
    struct validity validity = {77, 77};
    snprintf(content, sizeof content, "%s%.150s\n", FAR_END, NEAR_END);
    ck_assert(!certificate_read(file_with(content), &validity, error));
    ck_assert_msg(strstr(error, ": a certificate of it is damaged") != NULL, "%s", error);
    ck_assert_int_eq(validity.until, 77);
}
END_TEST

START_TEST(file_without_a_certificate) {
    struct validity validity = {77, 77};
    const char *path = file_with("nothing");
    ck_assert(!certificate_read(path, &validity, error));
    ck_assert_msg(strncmp(error, path, strlen(path)) == 0 && strstr(error, ": it has no certificate (PEM)"), "%s",
                  error);
    ck_assert(!certificate_read("/nonexistent/cert.pem", &validity, error));
    ck_assert_str_eq(error, "/nonexistent/cert.pem: No such file or directory");
    ck_assert_int_eq(validity.until, 77);
}
END_TEST

START_TEST(end_that_is_no_time) {
    struct validity validity = {77, 77};
    const char *path = file_with(NO_END);
    ck_assert(!certificate_read(path, &validity, error));
    ck_assert_msg(strncmp(error, path, strlen(path)) == 0 && strstr(error, ": its validity cannot be read"), "%s",
                  error);
    ck_assert_int_eq(validity.until, 77);
}
END_TEST

TCase *certificate_tests(void) {
    TCase *tests = unit_case("certificate");
    tcase_add_test(tests, leaves_no_file_and_no_error);
    tcase_add_test(tests, says_until_when_it_is_valid);
    tcase_add_test(tests, is_judged_to_the_microsecond);
    tcase_add_test(tests, first_to_end_counts);
    tcase_add_test(tests, a_damaged_issuer_counts);
    tcase_add_test(tests, file_without_a_certificate);
    tcase_add_test(tests, end_that_is_no_time);
    return tests;
}
