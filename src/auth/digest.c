#include "auth/digest.h"

#include "base/hex.h"
#include "base/memory.h"

#include <openssl/evp.h>

struct digest {
    EVP_MD_CTX *context;
};

struct digest *digest_begin(void) {
    struct digest *digest = memory_zeroed(1, sizeof *digest);
    digest->context = memory_needed(EVP_MD_CTX_new());
    if (EVP_DigestInit_ex2(digest->context, EVP_sha256(), NULL) != 1) {
        abort();
    }
    return digest;
}

void digest_add(struct digest *digest, struct text bytes) {
    if (EVP_DigestUpdate(digest->context, bytes.at, bytes.size) != 1) {
        abort();
    }
}

static void take_bytes(struct digest *digest, unsigned char out[DIGEST_BYTES]) {
    if (EVP_DigestFinal_ex(digest->context, out, NULL) != 1) {
        abort();
    }
}

/* Initialising with NULL keeps the algorithm, so it need not be fetched again. */
void digest_take(struct digest *digest, unsigned char out[DIGEST_BYTES]) {
    take_bytes(digest, out);
    if (EVP_DigestInit_ex2(digest->context, NULL, NULL) != 1) {
        abort();
    }
}

void digest_end(struct digest *digest, char out[DIGEST_HEX_SIZE]) {
    unsigned char bytes[DIGEST_BYTES];
    take_bytes(digest, bytes);
    hex_print(bytes, sizeof bytes, out);
    EVP_MD_CTX_free(digest->context);
    free(digest);
}
