#include "auth/vault.h"

#include "base/log.h"
#include "base/memory.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <sys/stat.h>

enum { SEALED_VERSION_WITHOUT_ID = 1, SEALED_VERSION = 2, NONCE_BYTES = 12, TAG_BYTES = 16 };

struct vault {
    pthread_mutex_t lock;
    char *key_file;
    struct key_ring ring;
    struct stat seen; /* the file's state just before it was read */
};

/* A ciphertext in its parts. */
struct parts {
    const unsigned char *id; /* NULL: version 1, without an id */
    const unsigned char *nonce, *text, *tag;
    size_t size; /* of `text` */
};

static void look_at_file(const struct vault *vault, struct stat *out) {
    if (stat(vault->key_file, out) != 0) {
        *out = (struct stat){0};
    }
}

struct vault *vault_open(const char *key_file, char error[VAULT_ERROR_SIZE]) {
    struct vault *vault = memory_zeroed(1, sizeof *vault);
    vault->key_file = memory_needed(strdup(key_file));
    pthread_mutex_init(&vault->lock, NULL);
    look_at_file(vault, &vault->seen);
    if (!key_file_read(key_file, &vault->ring, error)) {
        vault_close(vault);
        return NULL;
    }
    return vault;
}

void vault_close(struct vault *vault) {
    if (vault != NULL) {
        pthread_mutex_destroy(&vault->lock);
        free(vault->key_file);
        OPENSSL_cleanse(vault, sizeof *vault);
        free(vault);
    }
}

/* Re-read the key file only if it changed; otherwise one ciphertext with an unknown key id would cost a read per
 * request. */
static bool has_changed(const struct vault *vault) {
    struct stat now;
    const struct stat *seen = &vault->seen;
    look_at_file(vault, &now);
    return now.st_ino != seen->st_ino || now.st_size != seen->st_size || now.st_ctim.tv_sec != seen->st_ctim.tv_sec ||
           now.st_ctim.tv_nsec != seen->st_ctim.tv_nsec;
}

/* Needs the lock. Keeps the present keys if the file cannot be read. */
static void read_key_file_again(struct vault *vault) {
    char error[KEY_FILE_ERROR_SIZE];
    struct key_ring ring;
    look_at_file(vault, &vault->seen);
    if (key_file_read(vault->key_file, &ring, error)) {
        vault->ring = ring;
    } else {
        log_line(LOG_ERROR, "cannot reread the key file: %s", error);
    }
    key_ring_wipe(&ring);
}

/* Binds the ciphertext to its column (`kind`) and its row's name. */
static bool bind_owner(EVP_CIPHER_CTX *context, const char *kind, struct text owner, bool sealing) {
    int (*update)(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int) =
        sealing ? EVP_EncryptUpdate : EVP_DecryptUpdate;
    int ignored;
    return update(context, NULL, &ignored, (const unsigned char *)kind, (int)strlen(kind) + 1) == 1 &&
           update(context, NULL, &ignored, (const unsigned char *)owner.at, (int)owner.size) == 1;
}

static size_t encrypt(const struct sealing_key *key, const char *kind, struct text owner, const struct secret *secret,
                      unsigned char out[VAULT_SEALED_MAX]) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    unsigned char *nonce = out + 1 + KEY_ID_BYTES, *text = nonce + NONCE_BYTES;
    int size = 0, rest = 0;
    out[0] = SEALED_VERSION;
    memcpy(out + 1, key->id, KEY_ID_BYTES);
    bool done = context != NULL && secret_random(nonce, NONCE_BYTES) &&
                EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key->bytes, nonce) == 1 &&
                bind_owner(context, kind, owner, true) &&
                EVP_EncryptUpdate(context, text, &size, secret->bytes, (int)secret->size) == 1 &&
                EVP_EncryptFinal_ex(context, text + size, &rest) == 1 &&
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, TAG_BYTES, text + size) == 1;
    EVP_CIPHER_CTX_free(context);
    return done ? (size_t)(text - out) + (size_t)size + TAG_BYTES : 0;
}

size_t vault_seal(struct vault *vault, const char *kind, struct text owner, const struct secret *secret,
                  unsigned char out[VAULT_SEALED_MAX]) {
    pthread_mutex_lock(&vault->lock);
    read_key_file_again(vault);
    size_t size = encrypt(key_ring_find(&vault->ring, KEY_CURRENT), kind, owner, secret, out);
    pthread_mutex_unlock(&vault->lock);
    return size;
}

static bool take_apart(struct text sealed, struct parts *out) {
    const unsigned char *bytes = (const unsigned char *)sealed.at;
    if (sealed.size == 0 || sealed.size > VAULT_SEALED_MAX ||
        (bytes[0] != SEALED_VERSION && bytes[0] != SEALED_VERSION_WITHOUT_ID)) {
        return false;
    }
    size_t id_bytes = bytes[0] == SEALED_VERSION ? KEY_ID_BYTES : 0, head = 1 + id_bytes + NONCE_BYTES;
    if (sealed.size <= head + TAG_BYTES) {
        return false;
    }
    *out = (struct parts){.id = id_bytes > 0 ? bytes + 1 : NULL,
                          .nonce = bytes + 1 + id_bytes,
                          .text = bytes + head,
                          .tag = bytes + sealed.size - TAG_BYTES,
                          .size = sealed.size - head - TAG_BYTES};
    return out->size <= SECRET_MAX;
}

static bool decrypt(const struct sealing_key *key, const char *kind, struct text owner, const struct parts *parts,
                    struct secret *out) {
    unsigned char tag[TAG_BYTES];
    memcpy(tag, parts->tag, TAG_BYTES);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int size = 0, rest = 0;
    bool done = context != NULL &&
                EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key->bytes, parts->nonce) == 1 &&
                bind_owner(context, kind, owner, false) &&
                EVP_DecryptUpdate(context, out->bytes, &size, parts->text, (int)parts->size) == 1 &&
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, TAG_BYTES, tag) == 1 &&
                EVP_DecryptFinal_ex(context, out->bytes + size, &rest) == 1;
    EVP_CIPHER_CTX_free(context);
    out->size = (size_t)size;
    if (!done) {
        secret_wipe(out);
    }
    return done;
}

/* Needs the lock. Returns the key with this id, which may have been added since the file was read, or NULL. */
static const struct sealing_key *find_key_of(struct vault *vault, const unsigned char *id) {
    const struct sealing_key *key = key_ring_find_id(&vault->ring, id);
    if (key == NULL && has_changed(vault)) {
        read_key_file_again(vault);
        key = key_ring_find_id(&vault->ring, id);
    }
    return key;
}

static bool decrypt_with_any(const struct key_ring *ring, const char *kind, struct text owner,
                             const struct parts *parts, struct secret *out) {
    for (size_t i = 0; i < ring->count; i++) {
        if (decrypt(&ring->keys[i], kind, owner, parts, out)) {
            return true;
        }
    }
    return false;
}

bool vault_unseal(struct vault *vault, const char *kind, struct text owner, struct text sealed, struct secret *out) {
    struct parts parts = {.id = NULL};
    bool done = false;
    if (!take_apart(sealed, &parts)) {
        return false;
    }
    pthread_mutex_lock(&vault->lock);
    if (parts.id == NULL) {
        done = decrypt_with_any(&vault->ring, kind, owner, &parts, out);
    } else {
        const struct sealing_key *key = find_key_of(vault, parts.id);
        done = key != NULL && decrypt(key, kind, owner, &parts, out);
    }
    pthread_mutex_unlock(&vault->lock);
    return done;
}

bool vault_key_id(struct text sealed, unsigned char id[KEY_ID_BYTES]) {
    struct parts parts = {.id = NULL};
    bool has_id = take_apart(sealed, &parts) && parts.id != NULL;
    if (has_id) {
        memcpy(id, parts.id, KEY_ID_BYTES);
    }
    return has_id;
}
