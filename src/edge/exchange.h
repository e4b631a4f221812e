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
 * Reads the accepted request to its end. `came_at` is the monotonic time of its first byte, from which its time budget
 * counts. Keeps nothing in the arena that the caller must free. *exchange must not move until it is answered.
 */
void exchange_read(struct exchange *exchange, FCGX_Request *fcgi, struct service *service, struct arena *arena,
                   duration came_at);

/*
 * Serves the request, counts it, sends the reply (FCGX_Finish_r) and then writes one log line, so that the caller does
 * not wait for the log.
 */
void exchange_answer(struct exchange *exchange, FCGX_Request *fcgi);

#endif
