/*
 * Serves FastCGI requests in the process's loop (base/loop/loop.h) until told to stop.
 *
 * A request is served once it is there whole (edge/inbox.h), each on a task of its own: connections that idle, that
 * stop in the middle, or that do not speak FastCGI keep nobody waiting.
 */
#ifndef RECAUDO_EDGE_SERVE_H
#define RECAUDO_EDGE_SERVE_H

#include "api/worker/service.h"
#include "edge/handover.h"
#include "edge/listener.h"

/*
 * Runs the loop, which is open, until SIGTERM, SIGINT or, where there is somebody to hand to, SIGHUP (which the caller
 * has blocked), answers what was already received, and returns. At SIGHUP the connections are handed over, at the
 * others they are closed. False when it cannot serve; logged.
 */
MUST_USE bool serve_until_stopped(const struct listener *listener, const struct handover *handover,
                                  struct service *service);

#endif
