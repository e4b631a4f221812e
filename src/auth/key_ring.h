/*
 * The keys that secrets are encrypted with. One seals; while the key is being changed (`recaudoctl key rotate`) there
 * is another that only opens: the next one, which every host must have before it seals, or the old one, until nothing
 * is sealed with it.
 */
#ifndef RECAUDO_AUTH_KEY_RING_H
#define RECAUDO_AUTH_KEY_RING_H

#include "base/text.h"

enum { KEY_BYTES = 32, KEY_ID_BYTES = 4, KEY_ID_HEX_SIZE = 2 * KEY_ID_BYTES + 1, KEYS_MAX = 4 };

enum key_role { KEY_CURRENT, KEY_NEXT, KEY_OLD };

struct sealing_key {
    enum key_role role;
    unsigned char bytes[KEY_BYTES];
    unsigned char id[KEY_ID_BYTES]; /* part of a digest of the key: says which it is and nothing about it */
};

struct key_ring {
    struct sealing_key keys[KEYS_MAX];
    size_t count;
};

/* "current", "next", "old". */
const char *key_role_name(enum key_role role);

/* Adds a key. False when the ring is full or holds it already. */
MUST_USE bool key_ring_add(struct key_ring *ring, enum key_role role, const unsigned char bytes[KEY_BYTES]);

/* Adds a new random key. False when the ring is full or the system gives no randomness. */
MUST_USE bool key_ring_generate(struct key_ring *ring, enum key_role role);

/* The first key of that role; NULL: there is none. */
const struct sealing_key *key_ring_find(const struct key_ring *ring, enum key_role role);

/* NULL: the key with this id is not here. */
const struct sealing_key *key_ring_find_id(const struct key_ring *ring, const unsigned char id[KEY_ID_BYTES]);

/* The next key seals from now on, and the one that did is old. There is a next one. */
void key_ring_promote(struct key_ring *ring);

/* Takes out what is old. */
void key_ring_drop_old(struct key_ring *ring);

void key_ring_print_id(const struct sealing_key *key, char out[KEY_ID_HEX_SIZE]);

void key_ring_wipe(struct key_ring *ring);

#endif
