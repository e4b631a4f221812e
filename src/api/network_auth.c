#include "api/network_auth.h"

#include "api/credentials.h"

enum refusal network_authenticate(struct call *call, enum checksum_recipe recipe, const struct text *parts,
                                  struct text checksum, uint64_t *network_id) {
    return credentials_verify(call, PARTY_NETWORK, parts[0], recipe, parts, checksum, network_id);
}

static enum refusal judge_id(struct call *call, struct text transaction, bool must_be_distinct) {
    if (!must_be_distinct || transaction_id_is_distinct(transaction)) {
        return REFUSED_NOT;
    }
    call->fault = (struct fault){.field = "transaction",
                                 .problem = "needs a character that no reference has, as the point in T.1: else the "
                                            "checksum of a look-up could confirm it"};
    return REFUSED_FIELD;
}

enum refusal network_judge_new_id(struct call *call, struct text transaction) {
    return judge_id(call, transaction, call->new_ids_are_distinct);
}

enum refusal network_judge_known_id(struct call *call, struct text transaction) {
    return judge_id(call, transaction, call->known_ids_are_distinct);
}
