/* When the web server's certificates are valid. */
#ifndef RECAUDO_AUTH_CERTIFICATE_H
#define RECAUDO_AUTH_CERTIFICATE_H

#include "base/clock.h"

enum { CERTIFICATE_ERROR_SIZE = 512 };

/* All certificates of a file are valid from the first of these to the second. */
struct validity {
    instant from, until;
};

/* Reads the validity of a PEM file with a certificate and its chain: an issuer that is not valid makes the first
 * certificate useless. False: `error` says why, and `out` is unchanged. */
MUST_USE bool certificate_read(const char *path, struct validity *out, char error[CERTIFICATE_ERROR_SIZE]);

enum validity_state { VALIDITY_NOW, VALIDITY_ENDS_SOON, VALIDITY_PAST, VALIDITY_AHEAD };

/*
 * Compares the validity of a file with `now`, by this host's clock.
 * VALIDITY_NOW: it lasts for 14 days or more; `problem` is unchanged.
 * VALIDITY_ENDS_SOON: for less. VALIDITY_PAST: it has ended. VALIDITY_AHEAD: it has not begun. `problem` says so and
 * names the remedy.
 */
MUST_USE enum validity_state certificate_judge(const char *path, const struct validity *validity, instant now,
                                               char problem[CERTIFICATE_ERROR_SIZE]);

#endif
