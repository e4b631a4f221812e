/* Until when the web server's certificates are valid. */
#ifndef RECAUDO_AUTH_CERTIFICATE_H
#define RECAUDO_AUTH_CERTIFICATE_H

#include "base/clock.h"

enum { CERTIFICATE_ERROR_SIZE = 512 };

/* Reads the earliest end of validity in a PEM file with a certificate and its chain: an expired issuer makes the first
 * certificate as useless as its own expiry does. False: `error` says why. */
MUST_USE bool certificate_end(const char *path, instant *out, char error[CERTIFICATE_ERROR_SIZE]);

enum renewal { RENEWAL_IN_TIME, RENEWAL_LATE, RENEWAL_MISSED };

/*
 * Judges a file whose certificates are valid until `end`.
 * RENEWAL_IN_TIME: for 14 days or more; `problem` is unchanged.
 * RENEWAL_LATE: for less; `problem` says so and names the remedy.
 * RENEWAL_MISSED: they have expired; likewise.
 */
MUST_USE enum renewal certificate_renewal(const char *path, instant end, char problem[CERTIFICATE_ERROR_SIZE]);

#endif
