/* A secret as the database holds it, encrypted (auth/vault.h), and the one before it while that is good too. */
#ifndef RECAUDO_BASE_SEALED_PAIR_H
#define RECAUDO_BASE_SEALED_PAIR_H

#include "base/arena.h"
#include "base/clock.h"

struct sealed_pair {
    struct text current;
    struct text old;  /* empty: there is none, or its time is over */
    duration old_for; /* so long it was still good when it was read, by the database's clock */
};

/* Copies its texts into the arena. */
static inline void sealed_pair_own(struct sealed_pair *pair, struct arena *to) {
    pair->current = arena_copy(to, pair->current);
    pair->old = arena_copy(to, pair->old);
}

#endif
