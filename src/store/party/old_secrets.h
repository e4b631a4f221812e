/* Who still uses a secret that was replaced. */
#ifndef RECAUDO_STORE_PARTY_OLD_SECRETS_H
#define RECAUDO_STORE_PARTY_OLD_SECRETS_H

#include "store/db/connection.h"

/* Notes that the old FIXED_HASH of a party ("network", "merchant") was used now. */
enum status old_secrets_note(struct connection *connection, struct text party, uint64_t id);

#endif
