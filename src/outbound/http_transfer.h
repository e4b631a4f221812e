/* One request of a client on its way, and the handle it uses, over and over again. Only for outbound/http.c. */
#ifndef RECAUDO_OUTBOUND_HTTP_TRANSFER_H
#define RECAUDO_OUTBOUND_HTTP_TRANSFER_H

#include "outbound/http.h"
#include "outbound/http_sockets.h"

#include <curl/curl.h>

struct http_transfer {
    CURL *easy;
    const struct address_guard *guard;
    struct http_sockets *sockets;
    struct arena *arena; /* holds the request and the reply */
    struct curl_slist *headers;
    size_t reply_max, header_bytes;
    char *body;                   /* reply_max bytes, once the first has come */
    bool was_refused, was_opened; /* addresses, by the guard */
    bool lacked_file;             /* for a connection */
    bool headers_ended;
    bool needs_fresh;              /* the connection was of no use, and nothing was sent */
    char problem[CURL_ERROR_SIZE]; /* written by the library */
    struct http_reply reply;
    void *tag;
    struct http_transfer *next; /* in the client's lists */
};

void http_transfer_open(struct http_transfer *transfer, const struct address_guard *guard, struct http_sockets *sockets,
                        const char *ca_file);
void http_transfer_close(struct http_transfer *transfer);

/* False: the URL is not one to send to, and the reply says so. */
MUST_USE bool http_transfer_prepare(struct http_transfer *transfer, const struct http_request *request);

/* True: the handle has finished without having sent anything, and is to be started again, on a new connection. */
MUST_USE bool http_transfer_begin_anew(struct http_transfer *transfer);

/* Fills the reply once the handle has finished with `result`. */
void http_transfer_finish(struct http_transfer *transfer, CURLcode result);

#endif
