/* Countries of the merchant order API, cached for seconds (api/worker/cache.h). */
#ifndef RECAUDO_API_WORKER_KNOWN_COUNTRIES_H
#define RECAUDO_API_WORKER_KNOWN_COUNTRIES_H

#include "api/worker/call.h"
#include "base/zone/zone.h"

struct country {
    uint64_t code;
    char currency[4];
    char time_zone[ZONE_NAME_SIZE];
};

/* STATUS_NONE: no such country. */
enum status known_countries_find(struct call *call, uint64_t code, struct country *out);

/* Logs that the system does not know the country's time zone. */
void known_countries_complain(const struct country *country);

#endif
