/* Credentials of networks and merchants, cached for seconds (api/worker/cache.h). Unknown names are not cached, so a
 * new caller is accepted at once. */
#ifndef RECAUDO_API_CALLER_CREDENTIALS_H
#define RECAUDO_API_CALLER_CREDENTIALS_H

#include "api/caller/admission.h"
#include "api/worker/call.h"
#include "auth/secret_pair.h"

enum party { PARTY_NETWORK, PARTY_MERCHANT };

struct credential {
    uint64_t id;
    uint64_t country; /* of a merchant; 0 for a network */
    bool enabled;
    struct secret_pair fixed_hash; /* wipe it after use */
    struct admission admission;
};

/* What a caller sends to authenticate itself. */
struct proof {
    enum party party;
    struct text name;
    enum checksum_recipe recipe;
    const struct text *parts; /* values that the checksum covers, in the recipe's order */
    struct text checksum;
};

/*
 * Verifies the checksum with the FIXED_HASH of the network or merchant of that name. Sets call->caller for the log, and
 * call->merchant_country.
 *
 * GRANTED: *id is the caller.
 * REFUSED_CHECKSUM: the checksum is wrong, the name is unknown, or the signature is not valid (call->fault says why).
 * REFUSED_NOT_AUTHORISED: the caller is disabled (call->fault says so).
 * A refusal of the network's admission (api/caller/admission.h).
 * REFUSED_TRY_AGAIN, REFUSED_PROCESSING_ERROR: the credentials could not be read.
 */
enum refusal credentials_verify(struct call *call, const struct proof *proof, uint64_t *id);

#endif
