#include "api/network_auth.h"

#include "api/credentials.h"

static bool is_right(enum checksum_recipe recipe, const struct text *parts, struct credential *credential,
                     struct text checksum) {
    bool right = checksum_verify(recipe, parts, &credential->fixed_hash, checksum);
    secret_wipe(&credential->fixed_hash);
    return right;
}

enum refusal network_authenticate(struct call *call, enum checksum_recipe recipe, const struct text *parts,
                                  struct text checksum, uint64_t *network_id) {
    struct credential credential = {0};
    bool remembered;
    enum status status = credentials_find(call->service, parts[0], call->arena, &credential, &remembered);
    /* Computed for an unknown name too, and a wrong one always costs a round trip, so that the time taken does not tell which
     * names exist. What was remembered may be older than a new secret. */
    bool right = is_right(recipe, parts, &credential, checksum);
    if (!right && remembered) {
        status = credentials_read(call->service, parts[0], call->arena, &credential);
        right = is_right(recipe, parts, &credential, checksum);
    }
    if (status != STATUS_OK && status != STATUS_NONE) {
        return call_refusal_of(status);
    }
    if (!right || status == STATUS_NONE) {
        return REFUSED_CHECKSUM;
    }
    call->caller = parts[0];
    *network_id = credential.network_id;
    return credential.enabled ? REFUSED_NOT : REFUSED_NOT_AUTHORISED;
}
