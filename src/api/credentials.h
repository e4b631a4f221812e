/* Networks' credentials, remembered for seconds (api/cache.h). Unknown names are not remembered: a new network is known at once. */
#ifndef RECAUDO_API_CREDENTIALS_H
#define RECAUDO_API_CREDENTIALS_H

#include "api/service.h"
#include "base/arena.h"

struct credential {
    uint64_t network_id;
    bool enabled;
    struct secret fixed_hash; /* wipe it after use */
};

/* STATUS_NONE: no network has this name. `name` is at most 40 characters. *remembered: no round trip was made. */
enum status credentials_find(struct service *service, struct text name, struct arena *arena, struct credential *out,
                             bool *remembered);

/* The same as it stands in the database now; remembered from then on. */
enum status credentials_read(struct service *service, struct text name, struct arena *arena, struct credential *out);

#endif
