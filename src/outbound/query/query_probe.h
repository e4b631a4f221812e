/* Asks recaudo-query for its state; for programs without a loop. */
#ifndef RECAUDO_OUTBOUND_QUERY_QUERY_PROBE_H
#define RECAUDO_OUTBOUND_QUERY_QUERY_PROBE_H

#include "outbound/query/query_message.h"

/*
 * Sends QUERY_USE to the process that listens at `path`, and waits for the reply, at most `patience`. 0: *out is the
 * reply. Otherwise an errno: ENOENT (no socket there), EACCES (not for this user), ETIMEDOUT, EPROTO (not a reply of
 * this version), or another one of connecting.
 */
int query_probe(const char *path, duration patience, struct arena *arena, struct query_reply *out);

#endif
