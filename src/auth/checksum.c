#include "auth/checksum.h"

#include "base/hex.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>

static const struct {
    const char *algorithm;
    size_t parts;
} RECIPES[CHECKSUM_RECIPES] = {
    [CHECKSUM_LOOKUP] = {"SHA512", 2},
    [CHECKSUM_REGISTRATION] = {"SHA512", 4},
    [CHECKSUM_CONFIRMATION] = {"SHA512", 2},
    [CHECKSUM_PORDER] = {"SHA512", 5},
    [CHECKSUM_PORDER_QUERY] = {"SHA512", 2},
    [CHECKSUM_PORDER_REFUND] = {"SHA512", 4},
    [CHECKSUM_NOTIFICATION_SHA256] = {"SHA256", 2},
    [CHECKSUM_NOTIFICATION_SHA512] = {"SHA512", 2},
    [CHECKSUM_QUERY] = {"SHA512", 4},
    [CHECKSUM_ANSWER] = {"SHA512", 3},
    [CHECKSUM_ANSWER_WITH_LIMITS] = {"SHA512", 5},
};

/* Fetched once, because fetching an algorithm costs more than a digest. */
static EVP_MD *sha512, *sha256;
static pthread_once_t fetched = PTHREAD_ONCE_INIT;
static _Thread_local EVP_MD_CTX *context;
static pthread_key_t context_key;

static void free_context(void *of_thread) {
    EVP_MD_CTX_free(of_thread);
}

static void fetch_digest(void) {
    sha512 = EVP_MD_fetch(NULL, "SHA512", NULL);
    sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    if (sha512 == NULL || sha256 == NULL || pthread_key_create(&context_key, free_context) != 0) {
        abort();
    }
}

static void begin(const EVP_MD *algorithm) {
    if (context == NULL) {
        context = EVP_MD_CTX_new();
        if (context == NULL || pthread_setspecific(context_key, context) != 0) {
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
    begin(strcmp(RECIPES[recipe].algorithm, "SHA256") == 0 ? sha256 : sha512);
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
