/*
 * How a client's transfers go on in the loop of a process (base/loop/loop.h), which watches their descriptors and their
 * clock. Only for outbound/http.c.
 */
#ifndef RECAUDO_OUTBOUND_HTTP_LOOP_H
#define RECAUDO_OUTBOUND_HTTP_LOOP_H

#include "base/clock.h"

#include <curl/curl.h>

struct http_loop;

/* `went_on` is called with `client` after each step that the transfers have made. Ended after the multi handle. */
struct http_loop *http_loop_begin(CURLM *multi, void (*went_on)(void *client), void *client);
void http_loop_end(struct http_loop *loop);

#endif
