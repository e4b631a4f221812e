#include "auth/seal_key.h"

#include "base/hex.h"
#include "base/memory.h"
#include "base/process/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PUBLIC_BYTES = 32, SIGNATURE_BYTES = 64 };

struct seal_key {
    EVP_PKEY *pair;
    char id[SEAL_KEY_ID_SIZE];
};

static void complain_of_seal_key(char error[SEAL_KEY_ERROR_SIZE], const char *path, const char *problem) {
    snprintf(error, SEAL_KEY_ERROR_SIZE, "%s: %s", path, problem);
}

/* Takes ownership of `pair`. NULL: it is not an Ed25519 key. */
static struct seal_key *wrap(EVP_PKEY *pair) {
    unsigned char raw[PUBLIC_BYTES], digest[EVP_MAX_MD_SIZE];
    size_t size = sizeof raw;
    if (pair == NULL || EVP_PKEY_get_base_id(pair) != EVP_PKEY_ED25519 ||
        EVP_PKEY_get_raw_public_key(pair, raw, &size) != 1 || size != sizeof raw ||
        EVP_Digest(raw, sizeof raw, digest, NULL, EVP_sha256(), NULL) != 1) {
        EVP_PKEY_free(pair);
        ERR_clear_error();
        return NULL;
    }
    struct seal_key *key = memory_zeroed(1, sizeof *key);
    key->pair = pair;
    hex_print(digest, (SEAL_KEY_ID_SIZE - 1) / 2, key->id);
    return key;
}

/* Returns false and sets errno on failure. */
static bool write_private_key(int file, EVP_PKEY *pair) {
    FILE *stream = fdopen(file, "w");
    if (stream == NULL) {
        close(file);
        return false;
    }
    bool written =
        PEM_write_PrivateKey(stream, pair, NULL, NULL, 0, NULL, NULL) == 1 && fflush(stream) == 0 && fsync(file) == 0;
    int problem = errno;
    if (fclose(stream) != 0) {
        return false;
    }
    errno = problem;
    return written;
}

bool seal_key_create(const char *path, char error[SEAL_KEY_ERROR_SIZE]) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) {
        complain_of_seal_key(error, path, strerror(errno));
        return false;
    }
    EVP_PKEY *pair = memory_needed(EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"));
    bool written = write_private_key(file, pair) && private_file_sync_folder(path);
    int problem = errno;
    EVP_PKEY_free(pair);
    if (!written) {
        snprintf(error, SEAL_KEY_ERROR_SIZE, "%s: cannot be written: %s", path, strerror(problem));
        unlink(path);
    }
    return written;
}

struct seal_key *seal_key_read(const char *path, char error[SEAL_KEY_ERROR_SIZE]) {
    FILE *stream = fopen(path, "re");
    struct seal_key *key = NULL;
    if (stream == NULL) {
        complain_of_seal_key(error, path, strerror(errno));
        return NULL;
    }
    if (!private_file_is_closed(fileno(stream))) {
        complain_of_seal_key(error, path,
                             "others may read or write this key: chmod 640 it, and replace it if they did");
    } else {
        char no_passphrase[] = "";
        key = wrap(PEM_read_PrivateKey(stream, NULL, NULL, no_passphrase));
        if (key == NULL) {
            complain_of_seal_key(error, path, "is no private Ed25519 key in PEM without a passphrase");
        }
    }
    fclose(stream);
    ERR_clear_error();
    return key;
}

size_t seal_key_read_public(const char *path, struct seal_key *keys[SEAL_KEYS_MAX], char error[SEAL_KEY_ERROR_SIZE]) {
    FILE *stream = fopen(path, "re");
    size_t count = 0;
    struct seal_key *key;
    if (stream == NULL) {
        complain_of_seal_key(error, path, strerror(errno));
        return 0;
    }
    while (count < SEAL_KEYS_MAX && (key = wrap(PEM_read_PUBKEY(stream, NULL, NULL, NULL))) != NULL) {
        keys[count++] = key;
    }
    fclose(stream);
    ERR_clear_error();
    if (count == 0) {
        complain_of_seal_key(error, path, "has no public Ed25519 key in PEM");
    }
    return count;
}

void seal_key_free(struct seal_key *key) {
    if (key != NULL) {
        EVP_PKEY_free(key->pair);
        free(key);
    }
}

const char *seal_key_id(const struct seal_key *key) {
    return key->id;
}

bool seal_key_print_public(const struct seal_key *key, FILE *file) {
    return PEM_write_PUBKEY(file, key->pair) == 1;
}

void seal_key_sign(const struct seal_key *key, struct text message, char out[SEAL_SIGNATURE_SIZE]) {
    unsigned char signature[SIGNATURE_BYTES];
    size_t size = sizeof signature;
    EVP_MD_CTX *context = memory_needed(EVP_MD_CTX_new());
    if (EVP_DigestSignInit(context, NULL, NULL, NULL, key->pair) != 1 ||
        EVP_DigestSign(context, signature, &size, (const unsigned char *)message.at, message.size) != 1) {
        abort();
    }
    EVP_MD_CTX_free(context);
    hex_print(signature, sizeof signature, out);
}

bool seal_key_verify(const struct seal_key *key, struct text message, struct text signature) {
    unsigned char bytes[SIGNATURE_BYTES];
    if (!hex_read(signature, bytes, sizeof bytes)) {
        return false;
    }
    EVP_MD_CTX *context = memory_needed(EVP_MD_CTX_new());
    bool fine = EVP_DigestVerifyInit(context, NULL, NULL, NULL, key->pair) == 1 &&
                EVP_DigestVerify(context, bytes, sizeof bytes, (const unsigned char *)message.at, message.size) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return fine;
}
