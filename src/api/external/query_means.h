/* What a worker process needs to ask merchants: the gate, HTTP clients, and the integrations it remembers. */
#ifndef RECAUDO_API_EXTERNAL_QUERY_MEANS_H
#define RECAUDO_API_EXTERNAL_QUERY_MEANS_H

#include "api/external/integrations.h"
#include "base/config/config.h"
#include "outbound/gate.h"
#include "outbound/http_pool.h"

struct query_means {
    struct gate *gate;
    struct http_pool *clients;
    struct integrations *integrations;
    struct address_guard guard;
};

/* Warns in the log where no certificates are to be found to verify merchants' against. */
void query_means_tell(const struct config *config);

/* NULL: the configuration or the shared file cannot be used; logged. To be called in the process that asks. `config`
 * outlives it. */
struct query_means *query_means_create(const struct config *config);
void query_means_destroy(struct query_means *means);

/* How many lookups may wait for merchants at the same time: so many threads must stand by. */
size_t query_means_waiting_max(const struct config *config);

#endif
