/* One kept connection to the web server: bytes out, one reply in. Knows nothing of what they mean. */
#ifndef RECAUDO_BENCH_LOAD_LINK_H
#define RECAUDO_BENCH_LOAD_LINK_H

#include "bench/load/load_http.h"
#include "bench/load/load_request.h"

#include <sys/socket.h>

enum { REPLY_SIZE = 16384 };

struct address {
    struct sockaddr_storage at;
    socklen_t size;
};

struct link {
    int fd; /* -1: not connected */
    size_t out_length;
    size_t out_sent;
    size_t in_length;
    char out[REQUEST_SIZE];
    char in[REPLY_SIZE + 1];
};

enum received {
    RECEIVED_PART,
    RECEIVED_REPLY,
    RECEIVED_END,    /* closed by the server */
    RECEIVED_GARBAGE /* not HTTP, or larger than REPLY_SIZE */
};

/* Ends the program when the host is no numeric address. */
struct address address_of(const struct load_options *options);

/* Connects within two seconds; the socket does not block from then on. */
bool link_open(struct link *link, const struct address *address);

void link_close(struct link *link);

/* Begins to send `out`, of `out_length` bytes; a reply read before is forgotten. False when the connection is broken.
 */
bool link_send(struct link *link);

/* Goes on sending after the socket has become writable. */
bool link_send_rest(struct link *link);

/* Reads what is there. *reply points into the connection and is valid until the next request is sent. */
enum received link_receive(struct link *link, struct http_reply *reply);

#endif
