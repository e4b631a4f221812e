/* Countries in which merchants register orders. */
#ifndef RECAUDO_STORE_PARTY_COUNTRIES_H
#define RECAUDO_STORE_PARTY_COUNTRIES_H

#include "base/arena.h"
#include "store/db/connection.h"

struct country_row {
    uint64_t code;
    struct text name;
    struct text currency;
};

/* Reads a country's currency and the time zone in which due dates of its orders end. STATUS_NONE: no such country. */
enum status countries_find(struct connection *connection, uint64_t code, struct arena *arena, struct text *currency,
                           struct text *time_zone);

/* Calls `each` for every country, by code. `each` must not use the connection. */
enum status countries_list(struct connection *connection, struct arena *arena,
                           void (*each)(void *context, const struct country_row *country), void *context);

#endif
