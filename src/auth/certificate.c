#include "auth/certificate.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <time.h>

/* As in the alert RecaudoCertificate. */
#define RENEWAL_IS_LATE (14 * DAY)

static bool complain_of_certificate(char error[CERTIFICATE_ERROR_SIZE], const char *path, const char *problem) {
    snprintf(error, CERTIFICATE_ERROR_SIZE, "%s: %s", path, problem);
    return false;
}

/* Reads the end of validity. Returns false if it is not a valid time. */
static bool read_end(const X509 *certificate, instant *out) {
    struct tm end;
    if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) {
        return false;
    }
    *out = (instant)timegm(&end) * SECOND;
    return true;
}

/* PEM_read_X509 skips other PEM objects: a key may be in the same file. */
static bool find_first_end(FILE *file, const char *path, instant *out, char error[CERTIFICATE_ERROR_SIZE]) {
    X509 *certificate;
    instant first = INT64_MAX, end = 0;
    bool fine = true;
    while (fine && (certificate = PEM_read_X509(file, NULL, NULL, NULL)) != NULL) {
        fine = read_end(certificate, &end);
        first = end < first ? end : first;
        X509_free(certificate);
    }
    if (!fine) {
        return complain_of_certificate(error, path, "its end of validity cannot be read");
    }
    if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
        return complain_of_certificate(error, path, "a certificate of it is damaged");
    }
    if (first == INT64_MAX) {
        return complain_of_certificate(error, path, "it has no certificate (PEM)");
    }
    *out = first;
    return true;
}

bool certificate_end(const char *path, instant *out, char error[CERTIFICATE_ERROR_SIZE]) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return complain_of_certificate(error, path, strerror(errno));
    }
    bool fine = find_first_end(file, path, out, error);
    fclose(file);
    ERR_clear_error();
    return fine;
}

enum renewal certificate_renewal(const char *path, instant end, char problem[CERTIFICATE_ERROR_SIZE]) {
    instant now = clock_host();
    bool expired = end <= now;
    if (end - now >= RENEWAL_IS_LATE) {
        return RENEWAL_IN_TIME;
    }
    snprintf(problem, CERTIFICATE_ERROR_SIZE,
             "the web server's certificate, or an issuer in its file, %s: renew %s, then reload the web server",
             expired ? "has expired" : "expires within 14 days", path);
    return expired ? RENEWAL_MISSED : RENEWAL_LATE;
}
