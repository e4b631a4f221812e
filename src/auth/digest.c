#include "auth/digest.h"

#include <openssl/evp.h>

struct digest {
    EVP_MD_CTX *context;
};

struct digest *digest_begin(void) {
    struct digest *digest = malloc(sizeof *digest);
    if (digest == NULL || (digest->context = EVP_MD_CTX_new()) == NULL ||
        EVP_DigestInit_ex2(digest->context, EVP_sha256(), NULL) != 1) {
        abort();
    }
    return digest;
}

void digest_add(struct digest *digest, struct text bytes) {
    if (EVP_DigestUpdate(digest->context, bytes.at, bytes.size) != 1) {
        abort();
    }
}

void digest_end(struct digest *digest, char out[DIGEST_HEX_SIZE]) {
    static const char HEX[] = "0123456789abcdef";
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size;
    if (EVP_DigestFinal_ex(digest->context, bytes, &size) != 1) {
        abort();
    }
    for (unsigned i = 0; i < size; i++) {
        out[2 * i] = HEX[bytes[i] >> 4];
        out[2 * i + 1] = HEX[bytes[i] & 15];
    }
    out[2 * size] = '\0';
    EVP_MD_CTX_free(digest->context);
    free(digest);
}
