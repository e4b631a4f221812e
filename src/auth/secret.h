/* A secret in memory. The owner wipes it after use. Nothing prints it, and it is compared in constant time. */
#ifndef RECAUDO_AUTH_SECRET_H
#define RECAUDO_AUTH_SECRET_H

#include "base/text.h"

enum { SECRET_MAX = 512 };

struct secret {
    unsigned char bytes[SECRET_MAX];
    size_t size;
};

/* Copies `value`. False: it is empty or longer than SECRET_MAX. */
MUST_USE bool secret_set(struct secret *secret, struct text value);

MUST_USE bool secret_equal(const struct secret *one, const struct secret *other);

void secret_wipe(struct secret *secret);

/* Creates a FIXED_HASH or NOTIFICATION_HASH: 64 random hex digits. False: the system has no randomness. */
MUST_USE bool secret_generate(struct secret *out);

/* Fills `out` with random bytes. False: the system has no randomness. */
MUST_USE bool secret_random(void *out, size_t size);

#endif
