/*
 * Connects a client's transfers to the loop of the process (base/loop/loop.h), which watches their descriptors and
 * timer. Used by outbound/http.c only.
 */
#ifndef RECAUDO_OUTBOUND_HTTP_LOOP_H
#define RECAUDO_OUTBOUND_HTTP_LOOP_H

#include "base/clock.h"

#include <curl/curl.h>

struct http_loop;

/* Calls `went_on` with `client` after each step of the transfers. Call http_loop_end after the multi handle is freed.
 */
struct http_loop *http_loop_begin(CURLM *multi, void (*went_on)(void *client), void *client);
void http_loop_end(struct http_loop *loop);

#endif
