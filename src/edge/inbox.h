/*
 * Collects the bytes of a web server's connection until a request is complete: FastCGI records up to the empty one that
 * ends the request's input. libfcgi reads it only then. The inbox accepts one request at a time: its beginning,
 * parameters and body, in this order. libfcgi would answer some other records itself, or abort the process.
 */
#ifndef RECAUDO_EDGE_INBOX_H
#define RECAUDO_EDGE_INBOX_H

#include "base/base.h"

/* Parameters and body together; web servers send at most some tens of thousands of bytes. */
enum { INBOX_REQUEST_MAX = 512 * 1024 };

/* All zero initially. */
struct inbox {
    char *bytes;
    size_t size, room;
    size_t looked_at;      /* end of the records already examined */
    size_t body;           /* bytes of the request's body in these records, including bytes that were dropped */
    unsigned char id[2];   /* of the request */
    bool parameters_ended; /* by their empty record */
};

enum inbox_state {
    INBOX_PART, /* more records must arrive */
    INBOX_WHOLE,
    INBOX_BROKEN /* malformed, aborted or larger than INBOX_REQUEST_MAX: close the connection */
};

/* Appends received bytes. */
void inbox_add(struct inbox *inbox, const char *bytes, size_t size);

/*
 * Examines the first request. INBOX_WHOLE: it is complete, in the first *size bytes. Of a body larger than `body_max`
 * bytes, keeps only enough records to show that it is too large.
 */
enum inbox_state inbox_look(struct inbox *inbox, size_t body_max, size_t *size);

/* Removes the first request and keeps what arrived after it. */
void inbox_take(struct inbox *inbox, size_t size);

/* Frees the memory. */
void inbox_free(struct inbox *inbox);

#endif
