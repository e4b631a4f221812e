#include "auth/certificate.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <time.h>

/* As in the alert RecaudoCertificate. */
#define RENEWAL_IS_LATE (14 * DAY) /* as `problem` says */

static bool complain_of_certificate(char error[CERTIFICATE_ERROR_SIZE], const char *path, const char *problem) {
    snprintf(error, CERTIFICATE_ERROR_SIZE, "%s: %s", path, problem);
    return false;
}

static bool read_time(const ASN1_TIME *time, instant *out) {
    struct tm parts;
    if (ASN1_TIME_to_tm(time, &parts) != 1) {
        return false;
    }
    *out = (instant)timegm(&parts) * SECOND;
    return true;
}

/* Narrows `out` to the time in which this certificate is valid too. Returns false if one of its times is no time. */
static bool add_validity(const X509 *certificate, struct validity *out) {
    struct validity own;
    if (!read_time(X509_get0_notBefore(certificate), &own.from) ||
        !read_time(X509_get0_notAfter(certificate), &own.until)) {
        return false;
    }
    out->from = own.from > out->from ? own.from : out->from;
    out->until = own.until < out->until ? own.until : out->until;
    return true;
}

/* PEM_read_X509 skips other PEM objects: a key may be in the same file. */
static bool read_chain(FILE *file, const char *path, struct validity *out, char error[CERTIFICATE_ERROR_SIZE]) {
    X509 *certificate;
    struct validity common = {.from = INT64_MIN, .until = INT64_MAX};
    bool fine = true;
    while (fine && (certificate = PEM_read_X509(file, NULL, NULL, NULL)) != NULL) {
        fine = add_validity(certificate, &common);
        X509_free(certificate);
    }
    if (!fine) {
        return complain_of_certificate(error, path, "its validity cannot be read");
    }
    if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
        return complain_of_certificate(error, path, "a certificate of it is damaged");
    }
    if (common.until == INT64_MAX) {
        return complain_of_certificate(error, path, "it has no certificate (PEM)");
    }
    *out = common;
    return true;
}

bool certificate_read(const char *path, struct validity *out, char error[CERTIFICATE_ERROR_SIZE]) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return complain_of_certificate(error, path, strerror(errno));
    }
    bool fine = read_chain(file, path, out, error);
    fclose(file);
    ERR_clear_error();
    return fine;
}

static enum validity_state judge_validity(const struct validity *validity, instant now) {
    return validity->until <= now                    ? VALIDITY_PAST
           : validity->from > now                    ? VALIDITY_AHEAD
           : validity->until - now < RENEWAL_IS_LATE ? VALIDITY_ENDS_SOON
                                                     : VALIDITY_NOW;
}

enum { TIME_TEXT_SIZE = sizeof "2026-11-26T14:53:35Z" };

static const char *print_time(instant at, char out[TIME_TEXT_SIZE]) {
    time_t seconds = (time_t)(at / SECOND);
    struct tm parts;
    strftime(out, TIME_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &parts));
    return out;
}

enum validity_state certificate_judge(const char *path, const struct validity *validity, instant now,
                                      char problem[CERTIFICATE_ERROR_SIZE]) {
    static const char WHOSE[] = "the web server's certificate, or an issuer in its file,";
    enum validity_state state = judge_validity(validity, now);
    if (state == VALIDITY_AHEAD) {
        char from[TIME_TEXT_SIZE], said[TIME_TEXT_SIZE];
        snprintf(problem, CERTIFICATE_ERROR_SIZE,
                 "%s is not valid before %s, and this machine's clock says %s: correct the clock, or renew %s and "
                 "reload the web server",
                 WHOSE, print_time(validity->from, from), print_time(now, said), path);
    } else if (state != VALIDITY_NOW) {
        snprintf(problem, CERTIFICATE_ERROR_SIZE, "%s %s: renew %s, then reload the web server", WHOSE,
                 state == VALIDITY_PAST ? "has expired" : "expires within 14 days", path);
    }
    return state;
}
