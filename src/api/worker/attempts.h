/*
 * A use case reads, judges what it read, and writes with a guarded statement. When somebody else changed the rows in
 * between, it reads and judges again. Only this module does that (doc/protocol.md, "Time of a request").
 */
#ifndef RECAUDO_API_WORKER_ATTEMPTS_H
#define RECAUDO_API_WORKER_ATTEMPTS_H

#include "api/worker/call.h"

/*
 * One attempt on a connection. It must not use anything that an earlier attempt read.
 *
 * STATUS_OK: done. *refusal, which is GRANTED at first, says what is answered.
 * STATUS_CHANGED: a guarded write wrote nothing; STATUS_CLASH: a unique key was taken; STATUS_AGAIN: a deadlock, or a
 * lock that stayed taken. All three: nothing was written, and another attempt is made.
 * Any other status ends the attempts. STATUS_NONE is one of them: the attempt itself must answer for a missing row.
 */
typedef enum status attempt_act(struct call *call, struct connection *connection, void *work, enum refusal *refusal);

/*
 * Takes a connection and makes attempts: at most ATTEMPTS_MAX, and none begins after the time that the connection was
 * lent for (pool_take_until). Returns the *refusal of the attempt that was done. Otherwise what call_refusal_of says of
 * the last status: REFUSED_TRY_AGAIN when every attempt lost its race, when there was no connection, and when the
 * outcome of a commit is not known; REFUSED_NETWORK_LIMIT; REFUSED_PROCESSING_ERROR after a fault.
 */
enum refusal attempts_run(struct call *call, attempt_act *act, void *work);

enum { ATTEMPTS_MAX = 10 };

#endif
