/*
 * A use case reads rows, decides, and writes with a guarded statement. If the rows changed in between, it reads and
 * decides again. Only this module has that loop (doc/protocol.md, "Time of a request").
 */
#ifndef RECAUDO_API_WORKER_ATTEMPTS_H
#define RECAUDO_API_WORKER_ATTEMPTS_H

#include "api/worker/call.h"

/*
 * One attempt on a connection. It must not use anything that an earlier attempt read.
 *
 * STATUS_OK: done. *refusal, initially GRANTED, is the result.
 * STATUS_CHANGED (a guarded write wrote nothing), STATUS_CLASH (a unique key was taken), STATUS_AGAIN (a deadlock or a
 * lock wait that timed out): nothing was written, and another attempt follows.
 * Any other status ends the attempts, also STATUS_NONE: the attempt itself must handle a missing row.
 */
typedef enum status attempt_act(struct call *call, struct connection *connection, void *work, enum refusal *refusal);

/*
 * Takes a connection and makes at most ATTEMPTS_MAX attempts; none begins after the time for which the connection was
 * lent (pool_take_until). Returns the *refusal of the attempt that ended with STATUS_OK, or call_refusal_of the last
 * status:
 * REFUSED_TRY_AGAIN: every attempt lost its race, there was no connection, or the outcome of a commit is unknown.
 * REFUSED_NETWORK_LIMIT: a limit kept by the database is reached.
 * REFUSED_PROCESSING_ERROR: a fault.
 */
enum refusal attempts_run(struct call *call, attempt_act *act, void *work);

enum { ATTEMPTS_MAX = 10 };

#endif
