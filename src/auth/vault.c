#include "auth/vault.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORM = 1, NONCE_BYTES = 12, TAG_BYTES = 16, HEAD_BYTES = 1 + NONCE_BYTES };

static bool parse_key(const char *hex, struct vault *vault) {
    for (size_t i = 0; i < VAULT_KEY_BYTES; i++) {
        int high = text_hex_value(hex[2 * i]), low = text_hex_value(hex[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        vault->key[i] = (unsigned char)(high << 4 | low);
    }
    return hex[2 * VAULT_KEY_BYTES] == '\0' || hex[2 * VAULT_KEY_BYTES] == '\n';
}

static bool is_private(int file, const char *key_file, char error[VAULT_ERROR_SIZE]) {
    struct stat about;
    if (fstat(file, &about) != 0 || (about.st_mode & (S_IRWXO | S_IWGRP | S_IXGRP)) != 0) {
        snprintf(error, VAULT_ERROR_SIZE, "%s: others may read this key; chmod 600 it and make a new one if they did",
                 key_file);
        return false;
    }
    return true;
}

bool vault_open(struct vault *vault, const char *key_file, char error[VAULT_ERROR_SIZE]) {
    char hex[2 * VAULT_KEY_BYTES + 2] = "";
    int file = open(key_file, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        snprintf(error, VAULT_ERROR_SIZE, "%s: %s (make one with: recaudoctl key create)", key_file, strerror(errno));
        return false;
    }
    bool fine = is_private(file, key_file, error);
    if (fine && (read(file, hex, sizeof hex - 1) < 2 * VAULT_KEY_BYTES || !parse_key(hex, vault))) {
        snprintf(error, VAULT_ERROR_SIZE, "%s: is not 64 hex digits", key_file);
        fine = false;
    }
    close(file);
    OPENSSL_cleanse(hex, sizeof hex);
    return fine;
}

bool vault_create_key(const char *key_file, char error[VAULT_ERROR_SIZE]) {
    struct secret key;
    int file = open(key_file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) {
        snprintf(error, VAULT_ERROR_SIZE, "%s: %s", key_file, strerror(errno));
        return false;
    }
    bool written = secret_generate(&key) && write(file, key.bytes, key.size) == (ssize_t)key.size &&
                   write(file, "\n", 1) == 1 && fsync(file) == 0;
    if (!written) {
        snprintf(error, VAULT_ERROR_SIZE, "%s: cannot be written: %s", key_file, strerror(errno));
        unlink(key_file);
    }
    close(file);
    secret_wipe(&key);
    return written;
}

void vault_close(struct vault *vault) {
    OPENSSL_cleanse(vault, sizeof *vault);
}

/* What a ciphertext is bound to: the column and the row's name. */
static bool bind_owner(EVP_CIPHER_CTX *context, const char *kind, struct text owner, bool sealing) {
    int (*update)(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int) =
        sealing ? EVP_EncryptUpdate : EVP_DecryptUpdate;
    int ignored;
    return update(context, NULL, &ignored, (const unsigned char *)kind, (int)strlen(kind) + 1) == 1 &&
           update(context, NULL, &ignored, (const unsigned char *)owner.at, (int)owner.size) == 1;
}

size_t vault_seal(const struct vault *vault, const char *kind, struct text owner, const struct secret *secret,
                  unsigned char out[VAULT_SEALED_MAX]) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    unsigned char *text = out + HEAD_BYTES;
    int size = 0, rest = 0;
    out[0] = FORM;
    bool done = context != NULL && secret_random(out + 1, NONCE_BYTES) &&
                EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, vault->key, out + 1) == 1 &&
                bind_owner(context, kind, owner, true) &&
                EVP_EncryptUpdate(context, text, &size, secret->bytes, (int)secret->size) == 1 &&
                EVP_EncryptFinal_ex(context, text + size, &rest) == 1 &&
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, TAG_BYTES, text + size) == 1;
    EVP_CIPHER_CTX_free(context);
    return done ? HEAD_BYTES + (size_t)size + TAG_BYTES : 0;
}

bool vault_unseal(const struct vault *vault, const char *kind, struct text owner, struct text sealed,
                  struct secret *out) {
    const unsigned char *bytes = (const unsigned char *)sealed.at;
    if (sealed.size <= HEAD_BYTES + TAG_BYTES || sealed.size > VAULT_SEALED_MAX || bytes[0] != FORM) {
        return false;
    }
    size_t text_size = sealed.size - HEAD_BYTES - TAG_BYTES;
    unsigned char tag[TAG_BYTES];
    memcpy(tag, bytes + HEAD_BYTES + text_size, TAG_BYTES);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int size = 0, rest = 0;
    bool done = context != NULL && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, vault->key, bytes + 1) == 1 &&
                bind_owner(context, kind, owner, false) &&
                EVP_DecryptUpdate(context, out->bytes, &size, bytes + HEAD_BYTES, (int)text_size) == 1 &&
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, TAG_BYTES, tag) == 1 &&
                EVP_DecryptFinal_ex(context, out->bytes + size, &rest) == 1;
    EVP_CIPHER_CTX_free(context);
    out->size = (size_t)size;
    if (!done) {
        secret_wipe(out);
    }
    return done;
}
