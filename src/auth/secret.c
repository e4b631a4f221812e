#include "auth/secret.h"

#include "base/hex.h"

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

bool secret_equal(const struct secret *one, const struct secret *other) {
    return one->size == other->size && CRYPTO_memcmp(one->bytes, other->bytes, one->size) == 0;
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
    out->size = hex_print(random, sizeof random, (char *)out->bytes);
    OPENSSL_cleanse(random, sizeof random);
    return true;
}
