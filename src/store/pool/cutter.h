/*
 * Cuts connections whose holder's time is up: a thread of its own, because the holder is inside the client library and
 * waits for the server's answer. The statement then ends as if the connection had been lost.
 */
#ifndef RECAUDO_STORE_POOL_CUTTER_H
#define RECAUDO_STORE_POOL_CUTTER_H

#include "base/clock.h"
#include "store/db/connection.h"

struct cutter;

/* Watches at most `size` connections at the same time. */
struct cutter *cutter_create(size_t size);

/* Nothing may be watched any more. */
void cutter_destroy(struct cutter *cutter);

/* Cuts the connection when `until` (clock_monotonic) has come, at most CUTTER_LATE after it. */
void cutter_watch(struct cutter *cutter, struct connection *connection, duration until);

/* The connection is not touched any more once this returns. */
void cutter_forget(struct cutter *cutter, const struct connection *connection);

#define CUTTER_LATE (SECOND / 4)

#endif
