/* How far the history of a merchant, network or integration has come in the event log. Guards a change that must only
 * replace what the user has seen. */
#ifndef RECAUDO_STORE_PARTY_HISTORY_H
#define RECAUDO_STORE_PARTY_HISTORY_H

#include "store/db/connection.h"

/* Reads a number that changes with every change of the subject, even with one that is undone later. Read it before the
 * subject. `kind`: merchant, network or integration. 0: it has no events. */
enum status history_end(struct connection *connection, struct text kind, uint64_t id, uint64_t *out);

#endif
