/*
 * Restrictions of a network's calls besides the checksum: the addresses they may come from, and their rate
 * (doc/protocol.md, "Who may call"). They are read with the credentials, so they cost no extra round trip.
 */
#ifndef RECAUDO_API_CALLER_ADMISSION_H
#define RECAUDO_API_CALLER_ADMISSION_H

#include "api/worker/call.h"
#include "store/db/party_row.h"

struct admission {
    struct address_list allowed; /* none: everyone */
    struct rate rate;
    bool ids_are_distinct;
    duration plain_until; /* monotonic time from which confirmations need distinct ids too */
    enum signature_rule signature;
};

/* `asked_at`: monotonic time at which reading the row began. False: its address list is malformed; logged. */
MUST_USE bool admission_read(const struct party_row *row, duration asked_at, struct admission *out);

/*
 * Judges a call whose checksum is valid, so that nobody else can use up the network's rate. Sets in *call whether
 * transaction ids must be distinct.
 *
 * GRANTED.
 * REFUSED_NOT_AUTHORISED: the caller's address is not on the list (call->fault says so); logged.
 * REFUSED_TOO_MANY: the rate is exceeded; call->retry_after is set.
 */
enum refusal admission_judge(struct call *call, uint64_t network_id, const struct admission *admission);

#endif
