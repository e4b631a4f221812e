/* HTTP/1.1 replies, as far as a client of one server needs them. */
#ifndef RECAUDO_BENCH_LOAD_HTTP_H
#define RECAUDO_BENCH_LOAD_HTTP_H

#include "base/text.h"

enum http_state {
    HTTP_PARTIAL, /* more bytes must come */
    HTTP_WHOLE,
    HTTP_BROKEN /* never will be a reply; the connection is of no further use */
};

/* Points into the bytes it was read from. */
struct http_reply {
    unsigned status;
    bool json;  /* Content-Type is application/json */
    bool close; /* the server closes the connection after it */
    struct text body;
};

/* Reads one reply; bytes[length] must be NUL. The bytes of a chunked body are moved together in place once it is whole.
 */
enum http_state http_read(char *bytes, size_t length, struct http_reply *reply);

#endif
