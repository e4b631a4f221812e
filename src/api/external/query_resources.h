/* What a worker process needs for external queries: its links to the process that asks merchants, and cached
 * integrations. */
#ifndef RECAUDO_API_EXTERNAL_QUERY_RESOURCES_H
#define RECAUDO_API_EXTERNAL_QUERY_RESOURCES_H

#include "api/external/known_integrations.h"
#include "base/config/config.h"
#include "outbound/query/query_links.h"

struct query_resources {
    struct query_links *links;
    struct known_integrations *integrations;
};

/*
 * Checks whether recaudo-query can use the configuration. Logs a warning if there are no certificates to verify
 * merchants' servers against. False: it cannot; the reason is logged.
 */
MUST_USE bool query_resources_fit(const struct config *config);

/* Call it in the worker process itself. recaudo-query listens at `socket`, which must outlive the result. */
struct query_resources *query_resources_create(const struct config *config, const char *socket);
void query_resources_destroy(struct query_resources *resources);

#endif
