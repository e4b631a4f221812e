#include "auth/key_ring.h"

#include "auth/secret.h"
#include "base/hex.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

static const char *const ROLE_NAMES[] = {[KEY_CURRENT] = "current", [KEY_NEXT] = "next", [KEY_OLD] = "old"};

/* Prefix of the digested key, so that its id is not a digest that anybody else computes of the same key. */
static const char ID_OF[] = "recaudo key id:";

const char *key_role_name(enum key_role role) {
    return ROLE_NAMES[role];
}

static void make_id(struct sealing_key *key) {
    unsigned char input[sizeof ID_OF + KEY_BYTES], digest[EVP_MAX_MD_SIZE];
    memcpy(input, ID_OF, sizeof ID_OF);
    memcpy(input + sizeof ID_OF, key->bytes, KEY_BYTES);
    if (EVP_Digest(input, sizeof input, digest, NULL, EVP_sha256(), NULL) != 1) {
        abort();
    }
    memcpy(key->id, digest, KEY_ID_BYTES);
    OPENSSL_cleanse(input, sizeof input);
}

bool key_ring_add(struct key_ring *ring, enum key_role role, const unsigned char bytes[KEY_BYTES]) {
    struct sealing_key key = {.role = role};
    memcpy(key.bytes, bytes, KEY_BYTES);
    make_id(&key);
    bool fits = ring->count < KEYS_MAX && key_ring_find_id(ring, key.id) == NULL;
    if (fits) {
        ring->keys[ring->count++] = key;
    }
    OPENSSL_cleanse(&key, sizeof key);
    return fits;
}

bool key_ring_generate(struct key_ring *ring, enum key_role role) {
    unsigned char bytes[KEY_BYTES];
    bool added = secret_random(bytes, sizeof bytes) && key_ring_add(ring, role, bytes);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return added;
}

const struct sealing_key *key_ring_find(const struct key_ring *ring, enum key_role role) {
    for (size_t i = 0; i < ring->count; i++) {
        if (ring->keys[i].role == role) {
            return &ring->keys[i];
        }
    }
    return NULL;
}

const struct sealing_key *key_ring_find_id(const struct key_ring *ring, const unsigned char id[KEY_ID_BYTES]) {
    for (size_t i = 0; i < ring->count; i++) {
        if (memcmp(ring->keys[i].id, id, KEY_ID_BYTES) == 0) {
            return &ring->keys[i];
        }
    }
    return NULL;
}

void key_ring_promote(struct key_ring *ring) {
    for (size_t i = 0; i < ring->count; i++) {
        if (ring->keys[i].role != KEY_OLD) {
            ring->keys[i].role = ring->keys[i].role == KEY_NEXT ? KEY_CURRENT : KEY_OLD;
        }
    }
}

void key_ring_drop_old(struct key_ring *ring) {
    size_t kept = 0;
    for (size_t i = 0; i < ring->count; i++) {
        if (ring->keys[i].role != KEY_OLD) {
            ring->keys[kept++] = ring->keys[i];
        }
    }
    OPENSSL_cleanse(ring->keys + kept, (ring->count - kept) * sizeof ring->keys[0]);
    ring->count = kept;
}

void key_ring_print_id(const struct sealing_key *key, char out[KEY_ID_HEX_SIZE]) {
    hex_print(key->id, KEY_ID_BYTES, out);
}

void key_ring_wipe(struct key_ring *ring) {
    OPENSSL_cleanse(ring, sizeof *ring);
}
