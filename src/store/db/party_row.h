/* What requests need of the network or merchant that calls: its state and its secret. */
#ifndef RECAUDO_STORE_DB_PARTY_ROW_H
#define RECAUDO_STORE_DB_PARTY_ROW_H

#include "base/sealed_pair.h"
#include "domain/rate.h"
#include "domain/signing.h"

struct party_row {
    uint64_t id;
    bool enabled;
    struct sealed_pair sealed_hash; /* FIXED_HASH */
    uint64_t country;               /* of a merchant; 0 for a network */
    /* Of a network; empty for a merchant: */
    struct text allow; /* address ranges (base/address.h) */
    struct rate rate;
    bool ids_are_distinct; /* new transaction ids need a character that no reference has */
    duration plain_for;    /* how long after the read other ids can still be confirmed, by the database's clock */
    enum signature_rule signature;
};

#endif
