/* One request and its reply over FastCGI. */
#ifndef RECAUDO_EDGE_EXCHANGE_H
#define RECAUDO_EDGE_EXCHANGE_H

#include "api/worker/service.h"
#include "base/arena.h"

#include <fcgiapp.h>

/*
 * Reads the accepted request to its end, serves it, counts it, sends the reply (FCGX_Finish_r) and then writes one log
 * line, so that nobody waits for the line. Keeps nothing in the arena that the caller must free.
 */
void exchange_serve(FCGX_Request *fcgi, struct service *service, struct arena *arena);

#endif
