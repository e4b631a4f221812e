/*
 * Serves FastCGI requests with a few threads until told to stop.
 *
 * More threads than may work at once (api/worker/work_slots.h) stand in for those that wait for a merchant.
 *
 * Connections that nginx keeps open wait in one epoll set and cost no thread; one that has something to read is handed
 * to the thread that asks next. So idle connections, however many, never keep a new one waiting.
 */
#ifndef RECAUDO_EDGE_SERVE_H
#define RECAUDO_EDGE_SERVE_H

#include "api/worker/service.h"
#include "edge/listener.h"

/*
 * Blocks until SIGTERM or SIGINT (which the caller has blocked), answers what was already received, and returns. False
 * when the threads or the epoll set could not be made; logged. `threads`: all of them, those that stand by too.
 */
MUST_USE bool serve_until_stopped(const struct listener *listener, struct service *service, size_t threads);

#endif
