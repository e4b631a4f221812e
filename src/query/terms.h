/* By what rules merchants are asked: of the configuration, from its last reload on. */
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
    size_t users; /* queries that began under them, and their keeper */
};

/*
 * Reads the configuration and makes the client, which is the loop's: a loop is open. NULL: the configuration cannot be
 * used; logged. It has one user, its keeper.
 */
struct terms *terms_read(void);

/* One user more, one less; with the last one they go. */
struct terms *terms_use(struct terms *terms);
void terms_leave(struct terms *terms);

#endif
