#include "auth/secret.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

bool secret_set(struct secret *secret, struct text value) {
    if (value.size == 0 || value.size > SECRET_MAX) {
        return false;
    }
    memcpy(secret->bytes, value.at, value.size);
    secret->size = value.size;
    return true;
}

void secret_wipe(struct secret *secret) {
    OPENSSL_cleanse(secret, sizeof *secret);
}

bool secret_random(void *out, size_t size) {
    return size <= INT32_MAX && RAND_bytes(out, (int)size) == 1;
}

bool secret_generate(struct secret *out) {
    unsigned char random[32];
    if (!secret_random(random, sizeof random)) {
        return false;
    }
    for (size_t i = 0; i < sizeof random; i++) {
        snprintf((char *)out->bytes + 2 * i, 3, "%02x", random[i]);
    }
    out->size = 2 * sizeof random;
    OPENSSL_cleanse(random, sizeof random);
    return true;
}
