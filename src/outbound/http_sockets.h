/* The sockets of a client's connections, open or idle. Used by outbound/http.c and http_transfer.c only. */
#ifndef RECAUDO_OUTBOUND_HTTP_SOCKETS_H
#define RECAUDO_OUTBOUND_HTTP_SOCKETS_H

#include "base/text.h"

#include <curl/curl.h>

struct http_sockets;

/* Grows to the number of sockets open at once. */
struct http_sockets *http_sockets_create(void);

/* Call it after all sockets are closed. */
void http_sockets_destroy(struct http_sockets *sockets);

/* Returns -1 on failure; errno is set. */
int http_sockets_open(struct http_sockets *sockets, const struct curl_sockaddr *to);

/* A callback of the library. */
int http_sockets_close(void *of_sockets, curl_socket_t socket);

/* Returns whether input, or the end of the connection, is pending at a socket with this local port. */
bool http_sockets_have_input(struct http_sockets *sockets, int local_port);

#endif
