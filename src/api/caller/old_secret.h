/* Tells the operator who still uses the secret from before a rotation: in the log, and in what `recaudoctl network
 * show` prints. */
#ifndef RECAUDO_API_CALLER_OLD_SECRET_H
#define RECAUDO_API_CALLER_OLD_SECRET_H

#include "api/caller/credentials.h"
#include "api/worker/call.h"

struct old_secret_notes;

struct old_secret_notes *old_secret_notes_create(void);
void old_secret_notes_destroy(struct old_secret_notes *notes);

/* A right checksum was made with the old FIXED_HASH of this network or merchant. Costs a write once a minute, else
 * nothing. */
void old_secret_used(struct call *call, enum party party, uint64_t id, struct text name);

#endif
