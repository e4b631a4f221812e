/* Asks the process that asks merchants (recaudo-query) how it is: for programs without a loop. */
#ifndef RECAUDO_OUTBOUND_QUERY_QUERY_PROBE_H
#define RECAUDO_OUTBOUND_QUERY_QUERY_PROBE_H

#include "outbound/query/query_message.h"

/*
 * Asks whoever listens at `path` for QUERY_USE, and waits for the reply, for `patience` at most. 0: *out is it. Else
 * why there is none: ENOENT (no socket there), EACCES (not for this user), ETIMEDOUT, EPROTO (not a reply of this
 * version), or another errno of connecting.
 */
int query_probe(const char *path, duration patience, struct arena *arena, struct query_reply *out);

#endif
