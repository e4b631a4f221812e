/* Is the reply what the specification says it must be? */
#ifndef RECAUDO_BENCH_LOAD_CHECK_H
#define RECAUDO_BENCH_LOAD_CHECK_H

#include "bench/load/load_http.h"
#include "bench/load/load_request.h"

enum mismatch {
    MISMATCH_NONE,
    MISMATCH_CONNECT, /* no connection */
    MISMATCH_CLOSED,  /* the connection ended before the reply */
    MISMATCH_TIMEOUT,
    MISMATCH_FRAMING, /* not HTTP */
    MISMATCH_STATUS,  /* not 200 */
    MISMATCH_TYPE,    /* not application/json */
    MISMATCH_JSON,    /* not an object with CODE, TEXT and, on success, DATA */
    MISMATCH_CODE,    /* not 0000, or not the refusal that the request must get */
    MISMATCH_AMOUNT,  /* as text: 100.00 is not 100.0 */
    MISMATCH_REFERENCE,
    MISMATCH_COMMERCE,
    MISMATCH_IDTRANSACTION,
    MISMATCH_IDSERVICE,
    MISMATCH_CONFIRM,
    MISMATCH_ORDER,           /* of a merchant: another number */
    MISMATCH_ACKNOWLEDGEMENT, /* of a notification: not OK */
    MISMATCHES
};

enum { CODE_MISSING = 10000 };

/* "status", "AMOUNT", ... */
const char *mismatch_name(enum mismatch mismatch);

/* The first thing wrong with the reply to a request about `subject`. *code is CODE as a number, or CODE_MISSING. */
enum mismatch check_reply(const struct http_reply *reply, const struct subject *subject, unsigned *code);

#endif
