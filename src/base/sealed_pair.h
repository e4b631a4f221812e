/* A secret as the database holds it, encrypted (auth/vault.h), and the one before it while that is good too. */
#ifndef RECAUDO_BASE_SEALED_PAIR_H
#define RECAUDO_BASE_SEALED_PAIR_H

#include "base/clock.h"
#include "base/text.h"

struct sealed_pair {
    struct text current;
    struct text old;  /* empty: there is none, or its time is over */
    duration old_for; /* so long it was still good when it was read, by the database's clock */
};

#endif
