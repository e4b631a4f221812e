/* An encrypted secret as the database stores it (auth/vault.h), with its predecessor while that is still valid. */
#ifndef RECAUDO_BASE_SEALED_PAIR_H
#define RECAUDO_BASE_SEALED_PAIR_H

#include "base/arena.h"
#include "base/clock.h"

/* The column that a secret's ciphertext is bound to. An old secret is bound to the current one's column. */
#define SECRET_OF_NETWORK       "networks.fixed_hash"
#define SECRET_OF_MERCHANT      "merchants.fixed_hash"
#define SECRET_OF_NOTIFICATIONS "merchants.notification_hash"

struct sealed_pair {
    struct text current;
    struct text old;  /* empty: no old secret is valid */
    duration old_for; /* remaining validity of `old` when the pair was read, by the database's clock */
};

/* Copies the pair's texts into the arena. */
static inline void sealed_pair_own(struct sealed_pair *pair, struct arena *to) {
    pair->current = arena_copy(to, pair->current);
    pair->old = arena_copy(to, pair->old);
}

#endif
