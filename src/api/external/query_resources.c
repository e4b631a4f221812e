#include "api/external/query_resources.h"

#include "base/memory.h"
#include "outbound/trust.h"

/*
 * Links per query that may be in flight: one for the query, two for lookups that share it, and one for a lookup that is
 * refused because of the limit. With more, a hanging recaudo-query would fill the worker with waiting lookups.
 */
enum { LINKS_PER_QUERY = 4 };

bool query_resources_fit(const struct config *config) {
    char error[ADDRESS_GUARD_ERROR_SIZE];
    struct address_guard guard;
    bool fits = address_guard_read(config, &guard, error);
    if (!fits) {
        log_line(LOG_ERROR, "%s", error);
    }
    trust_tell(config);
    return fits;
}

struct query_resources *query_resources_create(const struct config *config, const char *socket) {
    struct query_resources *resources = memory_zeroed(1, sizeof *resources);
    *resources = (struct query_resources){
        query_links_create(socket, LINKS_PER_QUERY * config->external_query.in_flight), known_integrations_create()};
    return resources;
}

void query_resources_destroy(struct query_resources *resources) {
    known_integrations_destroy(resources->integrations);
    query_links_destroy(resources->links);
    free(resources);
}
