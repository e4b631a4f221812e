/*
 * What a network's calls must keep to besides its checksum: where they come from, and how many there may be
 * (doc/protocol.md, "Who may call"). A part of the credentials, so it costs no round trip.
 */
#ifndef RECAUDO_API_CALLER_ADMISSION_H
#define RECAUDO_API_CALLER_ADMISSION_H

#include "api/worker/call.h"
#include "store/db/party_row.h"

struct admission {
    struct address_list allowed; /* none: everyone */
    struct rate rate;
    bool ids_are_distinct;
    duration plain_until; /* by the monotonic clock: from here on the ids that are confirmed must be distinct too */
    enum signature_rule signature;
};

/* `asked_at`: monotonic time at which reading the row began. False: its address list is malformed; logged. */
MUST_USE bool admission_read(const struct party_row *row, duration asked_at, struct admission *out);

/*
 * Judges a call whose checksum was right, so that nobody else can use up the network's budget. GRANTED;
 * REFUSED_NOT_AUTHORISED: the caller's address is not on the list (logged); REFUSED_TOO_MANY, and call->retry_after.
 * Notes in *call what transaction ids must be like.
 */
enum refusal admission_judge(struct call *call, uint64_t network_id, const struct admission *admission);

#endif
