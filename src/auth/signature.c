#include "auth/signature.h"

#include "base/memory.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <pthread.h>

enum { MAC_BYTES = 32, PREFIX_SIZE = 3 };

/* Fetched once, because fetching an algorithm costs more than a signature. */
static EVP_MAC *hmac;
static pthread_once_t fetched = PTHREAD_ONCE_INIT;

static void fetch_mac(void) {
    hmac = memory_needed(EVP_MAC_fetch(NULL, "HMAC", NULL));
}

static bool hmac_add(EVP_MAC_CTX *context, struct text part) {
    return EVP_MAC_update(context, (const unsigned char *)part.at, part.size) == 1;
}

static bool sign_message(EVP_MAC_CTX *context, const struct secret *secret, const struct text *parts, size_t count,
                         unsigned char mac[MAC_BYTES]) {
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                     OSSL_PARAM_construct_end()};
    bool fine = EVP_MAC_init(context, secret->bytes, secret->size, parameters) == 1;
    for (size_t i = 0; fine && i < count; i++) {
        fine = hmac_add(context, parts[i]);
    }
    return fine && EVP_MAC_final(context, mac, NULL, MAC_BYTES) == 1;
}

void signature_compute(const struct secret *secret, struct text id, struct text timestamp, struct text body,
                       char out[SIGNATURE_SIZE]) {
    const struct text parts[] = {id, TEXT("."), timestamp, TEXT("."), body};
    unsigned char mac[MAC_BYTES];
    pthread_once(&fetched, fetch_mac);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
    if (context == NULL || !sign_message(context, secret, parts, COUNT_OF(parts), mac)) {
        abort();
    }
    EVP_MAC_CTX_free(context);
    memcpy(out, "v1,", PREFIX_SIZE);
    EVP_EncodeBlock((unsigned char *)out + PREFIX_SIZE, mac, MAC_BYTES);
}

bool signature_equal(struct text given, const char expected[SIGNATURE_SIZE]) {
    return given.size == SIGNATURE_SIZE - 1 && CRYPTO_memcmp(given.at, expected, SIGNATURE_SIZE - 1) == 0;
}
