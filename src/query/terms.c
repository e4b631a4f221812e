#include "query/terms.h"

#include "base/memory.h"
#include "outbound/trust.h"

/* Lookups that wait for the answer to an equal query already in flight, per query allowed in flight. */
enum { SHARING_PER_QUERY = 2, SHARING_PER_QUERY_OF_MERCHANT = 8 };

static struct query_limits limits_of(const struct config *config) {
    return (struct query_limits){.in_flight = config->external_query.in_flight,
                                 .in_flight_per_merchant = config->external_query.in_flight_per_merchant,
                                 .sharing = SHARING_PER_QUERY * config->external_query.in_flight,
                                 .sharing_per_merchant =
                                     SHARING_PER_QUERY_OF_MERCHANT * config->external_query.in_flight_per_merchant,
                                 .rest_after = config->external_query.rest_after,
                                 .rest = config->external_query.rest};
}

struct terms *terms_read(void) {
    struct terms *terms = memory_zeroed(1, sizeof *terms);
    char error[CONFIG_ERROR_SIZE], list_error[ADDRESS_GUARD_ERROR_SIZE];
    if (!config_read(config_path(NULL), &terms->config, error)) {
        log_line(LOG_ERROR, "%s", error);
        free(terms);
        return NULL;
    }
    if (!address_guard_read(&terms->config, &terms->guard, list_error)) {
        log_line(LOG_ERROR, "%s", list_error);
        config_free(&terms->config);
        free(terms);
        return NULL;
    }
    log_set_level(terms->config.log.level);
    trust_tell(&terms->config);
    terms->limits = limits_of(&terms->config);
    terms->client = http_client_create(&terms->guard, terms->limits.in_flight, terms->config.security.ca_file);
    terms->users = 1;
    return terms;
}

struct terms *terms_use(struct terms *terms) {
    terms->users++;
    return terms;
}

void terms_leave(struct terms *terms) {
    if (--terms->users == 0) {
        http_client_destroy(terms->client);
        config_free(&terms->config);
        free(terms);
    }
}
