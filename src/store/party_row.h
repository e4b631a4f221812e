/* A network or merchant as requests need it: who calls, and by which secret. */
#ifndef RECAUDO_STORE_PARTY_ROW_H
#define RECAUDO_STORE_PARTY_ROW_H

#include "base/text.h"

struct party_row {
    uint64_t id;
    bool enabled;
    struct text sealed_hash; /* FIXED_HASH, encrypted (auth/vault.h) */
};

#endif
