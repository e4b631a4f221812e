#include "api/worker/commerces.h"

#include "store/party/merchants.h"

static enum status load_commerce(struct connection *connection, uint64_t merchant_id, struct arena *arena,
                                 struct commerce *out) {
    struct text name;
    enum status status = merchants_find_commerce(connection, merchant_id, arena, &name, &out->enabled);
    if (status != STATUS_OK || name.size > COMMERCE_BYTES_MAX) {
        return status == STATUS_OK || status == STATUS_NONE ? STATUS_FAULT : status;
    }
    memcpy(out->name, name.at, name.size);
    out->name_size = name.size;
    return STATUS_OK;
}

static void set_commerce(struct order *order, const struct commerce *commerce, struct arena *arena) {
    order->commerce = arena_copy(arena, (struct text){commerce->name, commerce->name_size});
    order->merchant_enabled = commerce->enabled;
}

bool commerces_remember(const struct service *service, struct arena *arena, struct order *order) {
    struct commerce commerce = {0};
    bool found = cache_get(service->commerces, cache_key(&order->merchant_id), &commerce);
    if (found) {
        set_commerce(order, &commerce, arena);
    }
    return found;
}

enum status commerces_complete(struct service *service, struct connection *connection, struct arena *arena,
                               struct order *order) {
    if (commerces_remember(service, arena, order)) {
        return STATUS_OK;
    }
    struct commerce commerce = {0};
    duration asked_at = clock_monotonic();
    enum status status = load_commerce(connection, order->merchant_id, arena, &commerce);
    if (status == STATUS_OK) {
        cache_put(service->commerces, cache_key(&order->merchant_id), asked_at, &commerce);
    }
    set_commerce(order, &commerce, arena);
    return status;
}
