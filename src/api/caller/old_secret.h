/* Records which callers still use the old secret after a rotation, in the log and for `recaudoctl network show`. */
#ifndef RECAUDO_API_CALLER_OLD_SECRET_H
#define RECAUDO_API_CALLER_OLD_SECRET_H

#include "api/caller/credentials.h"
#include "api/worker/call.h"

struct old_secret_notes;

struct old_secret_notes *old_secret_notes_create(void);
void old_secret_notes_destroy(struct old_secret_notes *notes);

/* Records that a valid checksum was computed with the caller's old FIXED_HASH. Writes at most once a minute. */
void old_secret_used(struct call *call, enum party party, uint64_t id, struct text name);

#endif
