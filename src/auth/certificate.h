/* A certificate in a file, as the web server shows it: until when it is valid. */
#ifndef RECAUDO_AUTH_CERTIFICATE_H
#define RECAUDO_AUTH_CERTIFICATE_H

#include "base/clock.h"

enum { CERTIFICATE_ERROR_SIZE = 512 };

/* Reads the first certificate of a PEM file. False: `error` says why. */
MUST_USE bool certificate_end(const char *path, instant *out, char error[CERTIFICATE_ERROR_SIZE]);

#endif
