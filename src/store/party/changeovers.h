/* Which parties still use a replaced secret, or do not sign yet. */
#ifndef RECAUDO_STORE_PARTY_CHANGEOVERS_H
#define RECAUDO_STORE_PARTY_CHANGEOVERS_H

#include "store/db/connection.h"

/* Notes that the old FIXED_HASH of a party ("network", "merchant") was used now. */
enum status changeovers_note_old_secret(struct connection *connection, struct text party, uint64_t id);

/* Notes that a network sent an unsigned request now. */
enum status changeovers_note_unsigned(struct connection *connection, uint64_t network_id);

#endif
