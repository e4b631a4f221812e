/* The rules under which merchants are asked: the configuration as of the last reload. */
#ifndef RECAUDO_QUERY_TERMS_H
#define RECAUDO_QUERY_TERMS_H

#include "base/config/config.h"
#include "outbound/http.h"
#include "outbound/query/query_limiter.h"

struct terms {
    struct config config;
    struct address_guard guard;
    struct http_client *client;
    struct query_limits limits;
    size_t users; /* queries that began under these terms, and the owner */
};

/*
 * Reads the configuration and creates a client for the loop, which is open. The caller is the first user, its owner.
 * NULL: the configuration is invalid; the reason is logged.
 */
struct terms *terms_read(void);

/* Add and remove a user. Removing the last one frees the terms. */
struct terms *terms_use(struct terms *terms);
void terms_leave(struct terms *terms);

#endif
