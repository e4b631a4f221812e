/*
 * Records callers that still work the old way, in the log and for `recaudoctl network show`: those that use the old
 * secret after a rotation, and networks that could sign their requests and do not.
 */
#ifndef RECAUDO_API_CALLER_CHANGEOVER_H
#define RECAUDO_API_CALLER_CHANGEOVER_H

#include "api/caller/credentials.h"
#include "api/worker/call.h"

struct changeover_notes;

struct changeover_notes *changeover_notes_create(void);
void changeover_notes_destroy(struct changeover_notes *notes);

/* Records that a valid checksum was computed with the caller's old FIXED_HASH. Writes at most once a minute. */
void changeover_old_secret_used(struct call *call, enum party party, uint64_t id, struct text name);

/* Records that a network whose signature is `accepted` sent a request without one. Writes at most once a minute. */
void changeover_request_unsigned(struct call *call, uint64_t network_id, struct text name);

#endif
