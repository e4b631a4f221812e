/* A network or merchant as requests need it: who calls, and by which secret. */
#ifndef RECAUDO_STORE_DB_PARTY_ROW_H
#define RECAUDO_STORE_DB_PARTY_ROW_H

#include "base/sealed_pair.h"
#include "domain/rate.h"
#include "domain/signing.h"

struct party_row {
    uint64_t id;
    bool enabled;
    struct sealed_pair sealed_hash; /* FIXED_HASH */
    uint64_t country;               /* of a merchant; of a network 0 */
    /* Of a network; of a merchant empty: */
    struct text allow; /* address ranges (base/address.h) */
    struct rate rate;
    bool ids_are_distinct; /* new transaction ids need a character that no reference has */
    duration plain_for;    /* so long other ids could still be confirmed when it was read, by the database's clock */
    enum signature_rule signature;
};

#endif
