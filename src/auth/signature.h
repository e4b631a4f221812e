/*
 * Signatures of notifications and of networks' requests, in the form of Standard Webhooks: HMAC-SHA256 over
 * "{id}.{timestamp}.{body}" in base64. The key is the bytes of the secret; a receiver whose library expects a base64
 * key encodes them first.
 */
#ifndef RECAUDO_AUTH_SIGNATURE_H
#define RECAUDO_AUTH_SIGNATURE_H

#include "auth/secret.h"

enum { SIGNATURE_SIZE = 48 };

/* Writes "v1," and 44 characters, then NUL. `timestamp` in decimal: seconds since 1970. */
void signature_compute(const struct secret *secret, struct text id, struct text timestamp, struct text body,
                       char out[SIGNATURE_SIZE]);

/* True if the two are equal. The time taken does not depend on where they differ. */
bool signature_equal(struct text given, const char expected[SIGNATURE_SIZE]);

#endif
