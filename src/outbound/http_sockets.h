/* The sockets of a client's connections, open or idle. Only for outbound/http.c and http_transfer.c. */
#ifndef RECAUDO_OUTBOUND_HTTP_SOCKETS_H
#define RECAUDO_OUTBOUND_HTTP_SOCKETS_H

#include "base/text.h"

#include <curl/curl.h>

struct http_sockets;

/* Grows to as many as are open at the same time. */
struct http_sockets *http_sockets_create(void);

/* After all of them are closed. */
void http_sockets_destroy(struct http_sockets *sockets);

/* -1: it cannot be opened, and errno says why. */
int http_sockets_open(struct http_sockets *sockets, const struct curl_sockaddr *to);

/* As the library calls it. */
int http_sockets_close(void *of_sockets, curl_socket_t socket);

/* Whether something can be read, or the end of the connection, at a socket with this local port. */
bool http_sockets_have_input(struct http_sockets *sockets, int local_port);

#endif
