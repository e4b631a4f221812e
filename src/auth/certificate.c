#include "auth/certificate.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <time.h>

/* NULL: `error` says why. */
static X509 *read_certificate(const char *path, char error[CERTIFICATE_ERROR_SIZE]) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        snprintf(error, CERTIFICATE_ERROR_SIZE, "%s: %s", path, strerror(errno));
        return NULL;
    }
    X509 *certificate = PEM_read_X509(file, NULL, NULL, NULL);
    fclose(file);
    ERR_clear_error();
    if (certificate == NULL) {
        snprintf(error, CERTIFICATE_ERROR_SIZE, "%s: it has no certificate (PEM)", path);
    }
    return certificate;
}

bool certificate_end(const char *path, instant *out, char error[CERTIFICATE_ERROR_SIZE]) {
    X509 *certificate = read_certificate(path, error);
    struct tm end;
    if (certificate == NULL) {
        return false;
    }
    bool converted = ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1;
    X509_free(certificate);
    if (!converted) {
        snprintf(error, CERTIFICATE_ERROR_SIZE, "%s: its end of validity cannot be read", path);
        return false;
    }
    *out = (instant)timegm(&end) * SECOND;
    return true;
}
