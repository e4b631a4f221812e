/*
 * What has come on a connection of the web server, until a request is there whole: FastCGI records up to the empty one
 * that ends the request's input. libfcgi reads them afterwards. It is given nothing that it would answer itself or end
 * the process for: one request after the other, each with its beginning, its parameters and its body, in this order.
 */
#ifndef RECAUDO_EDGE_INBOX_H
#define RECAUDO_EDGE_INBOX_H

#include "base/base.h"

/* Parameters and body together; web servers send at most a few times ten thousand. */
enum { INBOX_REQUEST_MAX = 512 * 1024 };

/* All zero at first. */
struct inbox {
    char *bytes;
    size_t size, room;
    size_t looked_at;      /* whole records before this one have been looked at */
    size_t body;           /* bytes of the request's body in them, those that were left out too */
    unsigned char id[2];   /* the request's */
    bool parameters_ended; /* there */
};

enum inbox_state {
    INBOX_PART, /* more has to come */
    INBOX_WHOLE,
    INBOX_BROKEN /* no request as web servers send it, more than INBOX_REQUEST_MAX, or given up: to be closed */
};

/* Adds what has come. */
void inbox_add(struct inbox *inbox, const char *bytes, size_t size);

/*
 * Looks how far the first request has come. INBOX_WHOLE: it is the first *size bytes. Of a body of more than
 * `body_max` bytes only so many records stay that this shows.
 */
enum inbox_state inbox_look(struct inbox *inbox, size_t body_max, size_t *size);

/* Takes away the first request; what came after it stays. */
void inbox_take(struct inbox *inbox, size_t size);

/* Gives the memory back. */
void inbox_free(struct inbox *inbox);

#endif
