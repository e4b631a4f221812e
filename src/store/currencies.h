/* Currencies that orders and accounts may have. */
#ifndef RECAUDO_STORE_CURRENCIES_H
#define RECAUDO_STORE_CURRENCIES_H

#include "base/arena.h"
#include "store/connection.h"

/* Calls `each` for every currency's ISO 4217 code, in order. `each` must not use the connection. */
enum status currencies_list(struct connection *connection, struct arena *arena,
                            void (*each)(void *context, struct text code), void *context);

#endif
