/* The table of routes: which use case serves which request (doc/protocol.md, "Routes"). */
#ifndef RECAUDO_API_WORKER_ROUTE_H
#define RECAUDO_API_WORKER_ROUTE_H

#include "api/worker/call.h"

enum { BODY_MAX = 16 * 1024 };

/* Routes are numbered from 0 in the order of the table. */
#define ROUTE_NONE SIZE_MAX

size_t route_count(void);

/* Return method and path of a route; {} in the path stands for one segment. */
const char *route_method(size_t number);
const char *route_path(size_t number);

/* Serves the request. Always sets call->reply. */
void route_serve(struct call *call);

#endif
