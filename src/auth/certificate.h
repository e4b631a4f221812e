/* Until when the web server's certificates are valid. */
#ifndef RECAUDO_AUTH_CERTIFICATE_H
#define RECAUDO_AUTH_CERTIFICATE_H

#include "base/clock.h"

enum { CERTIFICATE_ERROR_SIZE = 512 };

/* Reads the earliest end of validity in a PEM file with a certificate and its chain: an expired issuer makes the first
 * certificate as useless as its own expiry does. False: `error` says why. */
MUST_USE bool certificate_end(const char *path, instant *out, char error[CERTIFICATE_ERROR_SIZE]);

#endif
