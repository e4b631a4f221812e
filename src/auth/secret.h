/* A secret in memory: wiped when no longer needed, never printed, compared without telling where it differs. */
#ifndef RECAUDO_AUTH_SECRET_H
#define RECAUDO_AUTH_SECRET_H

#include "base/text.h"

enum { SECRET_MAX = 512 };

struct secret {
    unsigned char bytes[SECRET_MAX];
    size_t size;
};

/* False when it is empty or longer than SECRET_MAX. */
MUST_USE bool secret_set(struct secret *secret, struct text value);

void secret_wipe(struct secret *secret);

/* A new FIXED_HASH or NOTIFICATION_HASH: 64 random hex digits. False when the system gives no randomness. */
MUST_USE bool secret_generate(struct secret *out);

/* Fills `out` with randomness. False when the system gives none. */
MUST_USE bool secret_random(void *out, size_t size);

#endif
