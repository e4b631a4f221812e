/*
 * How a client's transfers go on in the loop of a process (base/loop/loop.h): the loop watches their descriptors, and
 * the task that waits for a reply goes on with them. Only for outbound/http.c.
 */
#ifndef RECAUDO_OUTBOUND_HTTP_LOOP_H
#define RECAUDO_OUTBOUND_HTTP_LOOP_H

#include "base/clock.h"

#include <curl/curl.h>

struct http_loop;

/* NULL: the process has no loop, and the client waits for itself. Ended after the multi handle. */
struct http_loop *http_loop_begin(CURLM *multi);
void http_loop_end(struct http_loop *loop);

/* On a task: waits until there is something to do for the transfers, at most until that moment, and does it. */
void http_loop_wait(struct http_loop *loop, duration until);

#endif
