#include "api/worker/known_countries.h"

#include "store/party/countries.h"

static enum status load_country(struct call *call, uint64_t code, struct country *out) {
    struct connection *connection;
    struct text currency, time_zone;
    enum status status = call_take_connection(call, &connection);
    if (status == STATUS_OK) {
        status = countries_find(connection, code, call->arena, &currency, &time_zone);
        pool_give(call->service->pool, connection);
    }
    if (status == STATUS_OK) {
        *out = (struct country){.code = code};
        snprintf(out->currency, sizeof out->currency, "%.*s", TEXT_ARGS(currency));
        snprintf(out->time_zone, sizeof out->time_zone, "%.*s", TEXT_ARGS(time_zone));
    }
    return status;
}

enum status known_countries_find(struct call *call, uint64_t code, struct country *out) {
    struct cache *cache = call->service->countries;
    if (cache_get(cache, cache_key(&code), out)) {
        return STATUS_OK;
    }
    duration asked_at = clock_monotonic();
    enum status status = load_country(call, code, out);
    if (status == STATUS_OK) {
        cache_put(cache, cache_key(&code), asked_at, out);
    }
    return status;
}

void known_countries_complain(const struct country *country) {
    log_line(LOG_ERROR, "the system does not know time zone %s of country %llu (package tzdata)", country->time_zone,
             (unsigned long long)country->code);
}
