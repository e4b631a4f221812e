/* Merchants as networks see them, cached for seconds (api/worker/cache.h). */
#ifndef RECAUDO_API_WORKER_COMMERCES_H
#define RECAUDO_API_WORKER_COMMERCES_H

#include "api/worker/service.h"
#include "base/arena.h"
#include "domain/order.h"

enum { COMMERCE_BYTES_MAX = 400 };

struct commerce {
    char name[COMMERCE_BYTES_MAX];
    size_t name_size;
    bool enabled;
};

/* Sets the order's members about its merchant: name, and whether it is enabled. Uses the connection only if they are
 * not cached. */
enum status commerces_complete(struct service *service, struct connection *connection, struct arena *arena,
                               struct order *order);

/* The same from what is cached alone. Returns false, and changes nothing, if that merchant is not. */
bool commerces_remember(const struct service *service, struct arena *arena, struct order *order);

#endif
