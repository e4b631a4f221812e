/*
 * HTTP clients shared by many threads: each takes one for one request (http_perform). The one that was used last for
 * the same place is given first, so that its connection is used again.
 */
#ifndef RECAUDO_OUTBOUND_HTTP_POOL_H
#define RECAUDO_OUTBOUND_HTTP_POOL_H

#include "outbound/http.h"

struct http_pool;

/* As http_client_create. At most `size` clients are taken at the same time; they are made when they are needed. */
struct http_pool *http_pool_create(const struct address_guard *guard, size_t size, const char *ca_file);

/* All must have been given back. */
void http_pool_destroy(struct http_pool *pool);

/* `place`: any number that stands for where the request goes; not 0. */
struct http_client *http_pool_take(struct http_pool *pool, uint64_t place);
void http_pool_give(struct http_pool *pool, struct http_client *client, uint64_t place);

#endif
