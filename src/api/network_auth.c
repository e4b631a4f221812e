#include "api/network_auth.h"

#include "api/credentials.h"

enum refusal network_authenticate(struct call *call, enum checksum_recipe recipe, const struct text *parts,
                                  struct text checksum, uint64_t *network_id) {
    return credentials_verify(call, PARTY_NETWORK, parts[0], recipe, parts, checksum, network_id);
}
