/* SHA-256 of data that arrives in pieces. */
#ifndef RECAUDO_AUTH_DIGEST_H
#define RECAUDO_AUTH_DIGEST_H

#include "base/text.h"

struct digest;

enum { DIGEST_BYTES = 32, DIGEST_HEX_SIZE = 65 };

struct digest *digest_begin(void);
void digest_add(struct digest *digest, struct text bytes);

/* Writes the digest as bytes and starts a new one, for many digests in a row. */
void digest_take(struct digest *digest, unsigned char out[DIGEST_BYTES]);

/* Writes the digest in lower-case hex and NUL, and frees `digest`. */
void digest_end(struct digest *digest, char out[DIGEST_HEX_SIZE]);

#endif
