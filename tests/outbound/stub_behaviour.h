/* What the stub does for each path. */
#ifndef RECAUDO_TESTS_OUTBOUND_STUB_BEHAVIOUR_H
#define RECAUDO_TESTS_OUTBOUND_STUB_BEHAVIOUR_H

#include "base/text.h"

#include <openssl/ssl.h>

struct peer {
    int socket;
    SSL *tls; /* NULL: plain */
};

/* False when the peer has gone. */
bool peer_send(struct peer *peer, struct text bytes);

/* Bytes received; 0 when the peer has gone. */
size_t peer_receive(struct peer *peer, char *out, size_t size);

/* Answers a request for the path. False: the connection is to be closed. */
bool behave(struct peer *peer, struct text path);

#endif
