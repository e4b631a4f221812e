#include "api/credentials.h"

#include "store/networks.h"

static enum status load(struct service *service, struct text name, struct arena *arena, struct credential *out) {
    struct connection *connection;
    struct network_row row;
    enum status status = pool_take(service->pool, &connection);
    if (status != STATUS_OK) {
        return status;
    }
    status = networks_find(connection, name, arena, &row);
    pool_give(service->pool, connection);
    if (status != STATUS_OK) {
        return status;
    }
    out->network_id = row.id;
    out->enabled = row.enabled;
    if (!vault_unseal(&service->vault, "networks.fixed_hash", name, row.sealed_hash, &out->fixed_hash)) {
        log_line(LOG_ERROR, "the FIXED_HASH of network %llu does not open: sealed with another key, or damaged",
                 (unsigned long long)row.id);
        return STATUS_FAULT;
    }
    return STATUS_OK;
}

enum status credentials_find(struct service *service, struct text name, struct arena *arena, struct credential *out,
                             bool *remembered) {
    *remembered = cache_get(service->credentials, name, out);
    return *remembered ? STATUS_OK : credentials_read(service, name, arena, out);
}

enum status credentials_read(struct service *service, struct text name, struct arena *arena, struct credential *out) {
    duration asked_at = clock_monotonic();
    enum status status = load(service, name, arena, out);
    if (status == STATUS_OK) {
        cache_put(service->credentials, name, asked_at, out);
    }
    return status;
}
