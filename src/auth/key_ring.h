/*
 * The keys that encrypt secrets at rest. The current key encrypts. During a rotation (`recaudoctl key rotate`) there is
 * a second key that only decrypts: the next key, which every host must have before it becomes current, or the old key,
 * until no secret is encrypted with it.
 */
#ifndef RECAUDO_AUTH_KEY_RING_H
#define RECAUDO_AUTH_KEY_RING_H

#include "base/text.h"

enum { KEY_BYTES = 32, KEY_ID_BYTES = 4, KEY_ID_HEX_SIZE = 2 * KEY_ID_BYTES + 1, KEYS_MAX = 4 };

enum key_role { KEY_CURRENT, KEY_NEXT, KEY_OLD };

struct sealing_key {
    enum key_role role;
    unsigned char bytes[KEY_BYTES];
    unsigned char id[KEY_ID_BYTES]; /* part of a digest of the key: identifies it without revealing it */
};

struct key_ring {
    struct sealing_key keys[KEYS_MAX];
    size_t count;
};

/* "current", "next", "old". */
const char *key_role_name(enum key_role role);

/* Adds a key. False: the ring is full or has the key already. */
MUST_USE bool key_ring_add(struct key_ring *ring, enum key_role role, const unsigned char bytes[KEY_BYTES]);

/* Adds a new random key. False: the ring is full or the system has no randomness. */
MUST_USE bool key_ring_generate(struct key_ring *ring, enum key_role role);

/* Returns the first key of that role, or NULL. */
const struct sealing_key *key_ring_find(const struct key_ring *ring, enum key_role role);

/* Returns the key with this id, or NULL. */
const struct sealing_key *key_ring_find_id(const struct key_ring *ring, const unsigned char id[KEY_ID_BYTES]);

/* Makes the next key current and the current key old. The ring must have a next key. */
void key_ring_promote(struct key_ring *ring);

/* Removes the old keys. */
void key_ring_drop_old(struct key_ring *ring);

void key_ring_print_id(const struct sealing_key *key, char out[KEY_ID_HEX_SIZE]);

void key_ring_wipe(struct key_ring *ring);

#endif
