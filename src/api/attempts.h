/*
 * A use case reads, judges what it read, and writes with a guarded statement. Where something came in between it tries
 * again: this is the one place that does (doc/protocol.md, "Time of a request").
 */
#ifndef RECAUDO_API_ATTEMPTS_H
#define RECAUDO_API_ATTEMPTS_H

#include "api/call.h"

/*
 * One try with a connection. STATUS_OK: done; *refusal, REFUSED_NOT at first, says what is answered. STATUS_NONE,
 * STATUS_CLASH, STATUS_AGAIN: what was judged is no longer so, or a lock was waited for in vain; nothing was written.
 * It keeps nothing of a try before.
 */
typedef enum status attempt_act(struct call *call, struct connection *connection, void *work, enum refusal *refusal);

/*
 * Takes a connection and tries until it is done: at most ATTEMPTS_MAX times, and no try begins when the time that the
 * connection was lent for has passed (pool_take_until). Returns the *refusal of the try that was done; REFUSED_TRY_AGAIN
 * when none was, when there is no connection, and when an outcome is not known; REFUSED_PROCESSING_ERROR after a fault.
 */
enum refusal attempts_run(struct call *call, attempt_act *act, void *work);

enum { ATTEMPTS_MAX = 10 };

#endif
