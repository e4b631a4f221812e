#include "auth/checksum.h"

#include "base/hex.h"
#include "base/memory.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>

/* Fetched once, because fetching an algorithm costs more than a digest. */
static EVP_MD *sha512, *sha256;
static pthread_once_t fetched = PTHREAD_ONCE_INIT;
static _Thread_local EVP_MD_CTX *context;
static pthread_key_t context_key;

static const struct {
    EVP_MD *const *algorithm;
    size_t parts;
} RECIPES[CHECKSUM_RECIPES] = {
    [CHECKSUM_LOOKUP] = {&sha512, 2},
    [CHECKSUM_REGISTRATION] = {&sha512, 4},
    [CHECKSUM_CONFIRMATION] = {&sha512, 2},
    [CHECKSUM_PORDER] = {&sha512, 5},
    [CHECKSUM_PORDER_QUERY] = {&sha512, 2},
    [CHECKSUM_PORDER_REFUND] = {&sha512, 4},
    [CHECKSUM_NOTIFICATION_SHA256] = {&sha256, 2},
    [CHECKSUM_NOTIFICATION_SHA512] = {&sha512, 2},
    [CHECKSUM_QUERY] = {&sha512, 4},
    [CHECKSUM_ANSWER] = {&sha512, 3},
    [CHECKSUM_ANSWER_WITH_LIMITS] = {&sha512, 5},
};

static void free_context(void *of_thread) {
    EVP_MD_CTX_free(of_thread);
}

static void fetch_digest(void) {
    sha512 = memory_needed(EVP_MD_fetch(NULL, "SHA512", NULL));
    sha256 = memory_needed(EVP_MD_fetch(NULL, "SHA256", NULL));
    if (pthread_key_create(&context_key, free_context) != 0) {
        abort();
    }
}

static void begin(const EVP_MD *algorithm) {
    if (context == NULL) {
        context = memory_needed(EVP_MD_CTX_new());
        if (pthread_setspecific(context_key, context) != 0) {
            abort();
        }
    }
    if (EVP_DigestInit_ex2(context, algorithm, NULL) != 1) {
        abort();
    }
}

static void add_part(const void *bytes, size_t size) {
    if (EVP_DigestUpdate(context, bytes, size) != 1) {
        abort();
    }
}

static size_t digest_finish(unsigned char *out) {
    unsigned size;
    if (EVP_DigestFinal_ex(context, out, &size) != 1) {
        abort();
    }
    return size;
}

size_t checksum_part_count(enum checksum_recipe recipe) {
    return RECIPES[recipe].parts;
}

static size_t digest(enum checksum_recipe recipe, const struct text *parts, const struct secret *secret,
                     unsigned char out[EVP_MAX_MD_SIZE]) {
    pthread_once(&fetched, fetch_digest);
    begin(*RECIPES[recipe].algorithm);
    for (size_t i = 0; i < RECIPES[recipe].parts; i++) {
        add_part(parts[i].at, parts[i].size);
    }
    add_part(secret->bytes, secret->size);
    return digest_finish(out);
}

void checksum_compute(enum checksum_recipe recipe, const struct text *parts, const struct secret *secret,
                      char out[CHECKSUM_HEX_MAX + 1]) {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    size_t size = digest(recipe, parts, secret, bytes);
    hex_print(bytes, size, out);
}

bool checksum_verify(enum checksum_recipe recipe, const struct text *parts, const struct secret *secret,
                     struct text given) {
    unsigned char expected[EVP_MAX_MD_SIZE], received[EVP_MAX_MD_SIZE];
    size_t size = digest(recipe, parts, secret, expected);
    return hex_read(given, received, size) && CRYPTO_memcmp(expected, received, size) == 0;
}

void checksum_fingerprint(const struct text *parts, size_t count, unsigned char out[FINGERPRINT_SIZE]) {
    pthread_once(&fetched, fetch_digest);
    begin(sha256);
    for (size_t i = 0; i < count; i++) {
        uint64_t size = parts[i].size;
        add_part(&size, sizeof size);
        add_part(parts[i].at, parts[i].size);
    }
    digest_finish(out);
}
