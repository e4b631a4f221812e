/* How far the history of a merchant, network or integration has come in the event log: what a change is guarded by that
 * is to replace only what somebody has seen. */
#ifndef RECAUDO_STORE_PARTY_HISTORY_H
#define RECAUDO_STORE_PARTY_HISTORY_H

#include "store/db/connection.h"

/* A number that every change of it changes, also one that is undone later; to be asked for before it is read. `kind`:
 * merchant, network or integration. 0: there is none. */
enum status history_end(struct connection *connection, struct text kind, uint64_t id, uint64_t *out);

#endif
