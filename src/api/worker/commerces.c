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

enum status commerces_complete(struct service *service, struct connection *connection, struct arena *arena,
                               struct order *order) {
    struct commerce commerce = {0};
    struct text key = {(const char *)&order->merchant_id, sizeof order->merchant_id};
    enum status status = STATUS_OK;
    if (!cache_get(service->commerces, key, &commerce)) {
        duration asked_at = clock_monotonic();
        status = load_commerce(connection, order->merchant_id, arena, &commerce);
        if (status == STATUS_OK) {
            cache_put(service->commerces, key, asked_at, &commerce);
        }
    }
    order->commerce = arena_copy(arena, (struct text){commerce.name, commerce.name_size});
    order->merchant_enabled = commerce.enabled;
    return status;
}
