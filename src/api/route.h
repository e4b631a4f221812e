/* Which use case serves which request, as one table (doc/protocol.md, "Routes"). */
#ifndef RECAUDO_API_ROUTE_H
#define RECAUDO_API_ROUTE_H

#include "api/call.h"

enum { BODY_MAX = 16 * 1024 };

/* Serves the request: afterwards call->reply is set, whatever came. */
void route_serve(struct call *call);

#endif
