#include "api/known_countries.h"

#include "store/countries.h"

static enum status load(struct service *service, uint64_t code, struct arena *arena, struct country *out) {
    struct connection *connection;
    struct text currency, time_zone;
    enum status status = pool_take(service->pool, &connection);
    if (status == STATUS_OK) {
        status = countries_find(connection, code, arena, &currency, &time_zone);
        pool_give(service->pool, connection);
    }
    if (status == STATUS_OK) {
        *out = (struct country){.code = code};
        snprintf(out->currency, sizeof out->currency, "%.*s", TEXT_ARGS(currency));
        snprintf(out->time_zone, sizeof out->time_zone, "%.*s", TEXT_ARGS(time_zone));
    }
    return status;
}

enum status known_countries_find(struct service *service, uint64_t code, struct arena *arena, struct country *out) {
    struct text key = {(const char *)&code, sizeof code};
    if (cache_get(service->countries, key, out)) {
        return STATUS_OK;
    }
    duration asked_at = clock_monotonic();
    enum status status = load(service, code, arena, out);
    if (status == STATUS_OK) {
        cache_put(service->countries, key, asked_at, out);
    }
    return status;
}

void known_countries_complain(const struct country *country) {
    log_line(LOG_ERROR, "the system does not know time zone %s of country %llu (package tzdata)", country->time_zone,
             (unsigned long long)country->code);
}
