/* One request and its reply over FastCGI. */
#ifndef RECAUDO_EDGE_EXCHANGE_H
#define RECAUDO_EDGE_EXCHANGE_H

#include "api/worker/call.h"
#include "base/arena.h"

#include <fcgiapp.h>

struct exchange {
    duration came_at;
    struct request request;
    struct call call;
    struct text id;
};

/*
 * Reads the accepted request to its end; its first byte came at that moment of clock_monotonic, and its time counts
 * from there. Keeps nothing in the arena that the caller must free. Must stay where it is.
 */
void exchange_read(struct exchange *exchange, FCGX_Request *fcgi, struct service *service, struct arena *arena,
                   duration came_at);

/*
 * Serves it, counts it, sends the reply (FCGX_Finish_r) and then writes one log line, so that nobody waits for the
 * line.
 */
void exchange_answer(struct exchange *exchange, FCGX_Request *fcgi);

#endif
