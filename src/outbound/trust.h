/* The certificate authorities against which merchants' certificates are verified. */
#ifndef RECAUDO_OUTBOUND_TRUST_H
#define RECAUDO_OUTBOUND_TRUST_H

#include "base/config/config.h"

enum { TRUST_ERROR_SIZE = 1500 };

/*
 * Returns the file with their certificates: [security] ca_file, or if that is NULL the system's. NULL: the library has
 * no file.
 */
const char *trust_file(const char *ca_file);

/*
 * False: that file holds no certificate, so https to merchants cannot work; `error` names the file, the reason and the
 * remedy. True if the library has no file.
 */
MUST_USE bool trust_check(const char *ca_file, char error[TRUST_ERROR_SIZE]);

/* Logs a warning if trust_check fails. */
void trust_tell(const struct config *config);

#endif
