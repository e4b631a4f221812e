#include "api/network_auth.h"

#include "api/credentials.h"

enum refusal network_authenticate(struct call *call, enum checksum_recipe recipe, const struct text *parts,
                                  struct text checksum, uint64_t *network_id) {
    struct credential credential = {0};
    enum status status = credentials_find(call->service, parts[0], call->arena, &credential);
    if (status != STATUS_OK && status != STATUS_NONE) {
        return call_refusal_of(status);
    }
    /* Computed for an unknown name too, so that the time taken does not tell which names exist. */
    bool right = checksum_verify(recipe, parts, &credential.fixed_hash, checksum) && status == STATUS_OK;
    secret_wipe(&credential.fixed_hash);
    if (!right) {
        return REFUSED_CHECKSUM;
    }
    call->caller = parts[0];
    *network_id = credential.network_id;
    return credential.enabled ? REFUSED_NOT : REFUSED_NOT_AUTHORISED;
}
