/* What a worker process needs for external queries: the limiter, an HTTP client, and cached integrations. */
#ifndef RECAUDO_API_EXTERNAL_QUERY_RESOURCES_H
#define RECAUDO_API_EXTERNAL_QUERY_RESOURCES_H

#include "api/external/integrations.h"
#include "base/config/config.h"
#include "outbound/http.h"
#include "outbound/query_limiter.h"

struct query_resources {
    struct query_limiter *limiter;
    struct http_client *client;
    struct integrations *integrations;
    struct address_guard guard;
};

/* Logs a warning if there are no certificates to verify merchants' servers against. */
void query_resources_tell(const struct config *config);

/* Call it in the process that makes the queries. `config` must outlive the result. NULL: the configuration or the
 * shared file cannot be used; logged. */
struct query_resources *query_resources_create(const struct config *config);
void query_resources_destroy(struct query_resources *resources);

#endif
