/* Who is calling: the network's name and its checksum. */
#ifndef RECAUDO_API_NETWORK_AUTH_H
#define RECAUDO_API_NETWORK_AUTH_H

#include "api/call.h"
#include "auth/checksum.h"

/*
 * Verifies `checksum` over `parts` (the first is the network's name) with the network's FIXED_HASH.
 * REFUSED_NOT and *network_id; REFUSED_CHECKSUM, also for an unknown name and a wrong signature; REFUSED_NOT_AUTHORISED: the network is disabled, or
 * the caller's address is not on its list; REFUSED_TOO_MANY; REFUSED_TRY_AGAIN, REFUSED_PROCESSING_ERROR.
 */
enum refusal network_authenticate(struct call *call, enum checksum_recipe recipe, const struct text *parts,
                                  struct text checksum, uint64_t *network_id);

/*
 * Is the transaction id one that this network may register, or confirm? Needs network_authenticate before.
 * REFUSED_NOT; REFUSED_FIELD and call->fault: it needs a character that no reference has.
 */
enum refusal network_judge_new_id(struct call *call, struct text transaction);
enum refusal network_judge_known_id(struct call *call, struct text transaction);

#endif
