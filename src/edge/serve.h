/*
 * Serves FastCGI requests in the process's loop (base/loop/loop.h) until told to stop.
 *
 * Each request is served on a task of its own, once it is complete (edge/inbox.h). A connection that is idle, stops in
 * the middle of a request or does not speak FastCGI delays no other.
 */
#ifndef RECAUDO_EDGE_SERVE_H
#define RECAUDO_EDGE_SERVE_H

#include "api/worker/service.h"
#include "edge/handover.h"
#include "edge/listener.h"

/*
 * Runs the loop, which is open, until SIGTERM or SIGINT, or SIGHUP if connections can be handed over. The caller has
 * blocked these signals. Answers the requests already received, then returns. SIGHUP hands the connections over; the
 * others close them. False: it cannot serve; the reason is logged.
 */
MUST_USE bool serve_until_stopped(const struct listener *listener, const struct handover *handover,
                                  struct service *service);

#endif
