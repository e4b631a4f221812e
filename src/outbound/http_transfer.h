/* One request in progress, and its library handle, which is reused. Used by outbound/http.c only. */
#ifndef RECAUDO_OUTBOUND_HTTP_TRANSFER_H
#define RECAUDO_OUTBOUND_HTTP_TRANSFER_H

#include "outbound/http.h"
#include "outbound/http_sockets.h"

#include <curl/curl.h>

/*
 * The library gives an address that does not answer half of the time that is left, but its version 7.88 tries the next
 * address only when it is called again: it is called after this time.
 */
#define HTTP_NUDGE (SECOND / 10)

struct http_transfer {
    CURL *easy;
    const struct address_guard *guard;
    struct http_sockets *sockets;
    struct arena *arena; /* holds the request and the reply */
    struct curl_slist *headers;
    size_t reply_max, header_bytes;
    char *body;                   /* reply_max bytes; allocated when the first arrives */
    bool was_refused, was_opened; /* the guard has refused, permitted one address at least */
    bool lacked_file;             /* no descriptor was left for a connection */
    bool headers_ended;
    bool needs_fresh;              /* the reused connection was unusable, and nothing was sent */
    char problem[CURL_ERROR_SIZE]; /* written by the library */
    struct http_reply reply;
    void *tag;
    struct http_transfer *next; /* in the client's lists */
};

void http_transfer_open(struct http_transfer *transfer, const struct address_guard *guard, struct http_sockets *sockets,
                        const char *ca_file);
void http_transfer_close(struct http_transfer *transfer);

/* False: the URL is not acceptable, and the reply says so. */
MUST_USE bool http_transfer_prepare(struct http_transfer *transfer, const struct http_request *request);

/* True: the handle has finished without sending anything; start it again, on a new connection. */
MUST_USE bool http_transfer_begin_anew(struct http_transfer *transfer);

/* Fills the reply once the handle has finished with `result`. */
void http_transfer_finish(struct http_transfer *transfer, CURLcode result);

#endif
