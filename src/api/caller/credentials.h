/* Who calls: networks' and merchants' credentials, remembered for seconds (api/worker/cache.h). Unknown names are not
 * remembered: whoever is new is known at once. */
#ifndef RECAUDO_API_CALLER_CREDENTIALS_H
#define RECAUDO_API_CALLER_CREDENTIALS_H

#include "api/caller/admission.h"
#include "api/worker/call.h"
#include "auth/secret_pair.h"

enum party { PARTY_NETWORK, PARTY_MERCHANT };

struct credential {
    uint64_t id;
    uint64_t country; /* of a merchant; of a network 0 */
    bool enabled;
    struct secret_pair fixed_hash; /* wipe it after use */
    struct admission admission;
};

/* What a caller sends to show who it is. */
struct proof {
    enum party party;
    struct text name;
    enum checksum_recipe recipe;
    const struct text *parts; /* what the checksum is taken over, in the recipe's order */
    struct text checksum;
};

/*
 * Verifies the checksum with the FIXED_HASH of the network or merchant of that name; notes the caller for the log, and
 * a merchant's country in call->merchant_country. GRANTED and *id; REFUSED_CHECKSUM, also for an unknown name, and
 * where the signature is wrong (call->fault says why); REFUSED_NOT_AUTHORISED: it is disabled; what a network's
 * admission says (api/caller/admission.h); REFUSED_TRY_AGAIN, REFUSED_PROCESSING_ERROR.
 */
enum refusal credentials_verify(struct call *call, const struct proof *proof, uint64_t *id);

#endif
