/* Countries in which merchants register orders. */
#ifndef RECAUDO_STORE_COUNTRIES_H
#define RECAUDO_STORE_COUNTRIES_H

#include "base/arena.h"
#include "store/connection.h"

struct country_row {
    uint64_t code;
    struct text name;
    struct text currency;
};

/* Calls `each` for every country, by code. `each` must not use the connection. */
enum status countries_list(struct connection *connection, struct arena *arena,
                           void (*each)(void *context, const struct country_row *country), void *context);

#endif
