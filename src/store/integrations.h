/* Integrations: which references merchants answer themselves. */
#ifndef RECAUDO_STORE_INTEGRATIONS_H
#define RECAUDO_STORE_INTEGRATIONS_H

#include "base/arena.h"
#include "domain/integration.h"
#include "store/connection.h"

/* All of them, with what a query needs to know of merchant and currency. Array and texts are the arena's. */
enum status integrations_read(struct connection *connection, struct arena *arena, struct integration **out,
                              size_t *count);

#endif
