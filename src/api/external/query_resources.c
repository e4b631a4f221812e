#include "api/external/query_resources.h"

#include "base/memory.h"
#include "outbound/trust.h"

/* Lookups that wait for the answer to an equal query already in flight, per query allowed in flight. */
enum { SHARING_PER_QUERY = 2, SHARING_PER_QUERY_OF_MERCHANT = 8 };

static size_t sharing_max(const struct config *config) {
    return SHARING_PER_QUERY * config->external_query.in_flight;
}

/* The limiter's file: [external_query] shared_file; by default the worker's socket with ".queries" behind it. */
static struct query_limiter *open_limiter(const struct config *config) {
    const struct query_limits limits = {.in_flight = config->external_query.in_flight,
                                        .in_flight_per_merchant = config->external_query.in_flight_per_merchant,
                                        .sharing = sharing_max(config),
                                        .sharing_per_merchant = SHARING_PER_QUERY_OF_MERCHANT *
                                                                config->external_query.in_flight_per_merchant,
                                        .rest_after = config->external_query.rest_after,
                                        .rest = config->external_query.rest};
    char path[1024];
    snprintf(path, sizeof path, "%s.queries", config->worker.socket);
    return query_limiter_open(config->external_query.shared_file == NULL ? path : config->external_query.shared_file,
                              &limits);
}

static bool read_guard(const struct config *config, struct address_guard *out) {
    char error[ADDRESS_GUARD_ERROR_SIZE];
    bool valid = address_guard_read(config, out, error);
    if (!valid) {
        log_line(LOG_ERROR, "%s", error);
    }
    return valid;
}

void query_resources_tell(const struct config *config) {
    trust_tell(config);
}

struct query_resources *query_resources_create(const struct config *config) {
    struct query_resources *resources = memory_zeroed(1, sizeof *resources);
    if (!read_guard(config, &resources->guard) || (resources->limiter = open_limiter(config)) == NULL) {
        free(resources);
        return NULL;
    }
    resources->client =
        http_client_create(&resources->guard, config->external_query.in_flight, config->security.ca_file);
    resources->integrations = integrations_create();
    return resources;
}

void query_resources_destroy(struct query_resources *resources) {
    integrations_destroy(resources->integrations);
    http_client_destroy(resources->client);
    query_limiter_close(resources->limiter);
    free(resources);
}
