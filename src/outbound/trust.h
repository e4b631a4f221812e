/* Which authorities merchants' certificates are verified against. */
#ifndef RECAUDO_OUTBOUND_TRUST_H
#define RECAUDO_OUTBOUND_TRUST_H

#include "base/config/config.h"

enum { TRUST_ERROR_SIZE = 1500 };

/* The file with their certificates: [security] ca_file, or where it is NULL the system's; NULL: the library has no
 * file. */
const char *trust_file(const char *ca_file);

/*
 * False: that file holds no certificate, so https to merchants cannot work; `error` names it, says why and what to do.
 * True where the library has no file.
 */
MUST_USE bool trust_check(const char *ca_file, char error[TRUST_ERROR_SIZE]);

/* Writes a warning to the log where trust_check finds none. */
void trust_tell(const struct config *config);

#endif
