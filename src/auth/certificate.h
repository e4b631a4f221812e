/* The certificates in a file, as the web server shows them: until when they are valid. */
#ifndef RECAUDO_AUTH_CERTIFICATE_H
#define RECAUDO_AUTH_CERTIFICATE_H

#include "base/clock.h"

enum { CERTIFICATE_ERROR_SIZE = 512 };

/* The earliest end of the certificates in a PEM file: an issuer of the chain that has expired makes the first one as
 * useless as its own end does. False: `error` says why. */
MUST_USE bool certificate_end(const char *path, instant *out, char error[CERTIFICATE_ERROR_SIZE]);

#endif
