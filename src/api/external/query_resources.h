/* What a worker process needs to ask merchants: the limiter, HTTP clients, and the integrations it remembers. */
#ifndef RECAUDO_API_EXTERNAL_QUERY_RESOURCES_H
#define RECAUDO_API_EXTERNAL_QUERY_RESOURCES_H

#include "api/external/integrations.h"
#include "base/config/config.h"
#include "outbound/http_pool.h"
#include "outbound/query_limiter.h"

struct query_resources {
    struct query_limiter *limiter;
    struct http_pool *clients;
    struct integrations *integrations;
    struct address_guard guard;
};

/* Warns in the log where no certificates are to be found to verify merchants' against. */
void query_resources_tell(const struct config *config);

/* NULL: the configuration or the shared file cannot be used; logged. To be called in the process that asks. `config`
 * outlives it. */
struct query_resources *query_resources_create(const struct config *config);
void query_resources_destroy(struct query_resources *resources);

/* How many lookups may wait for merchants at the same time: so many threads must stand by. */
size_t query_resources_waiting_max(const struct config *config);

#endif
