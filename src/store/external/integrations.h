/* Integrations: which references merchants answer themselves, as lookups need them and as the operator keeps them. */
#ifndef RECAUDO_STORE_EXTERNAL_INTEGRATIONS_H
#define RECAUDO_STORE_EXTERNAL_INTEGRATIONS_H

#include "base/arena.h"
#include "domain/external/integration.h"
#include "store/db/connection.h"

/* All that are in force, with what a query needs to know of merchant and currency. Array and texts are the arena's. */
enum status integrations_read(struct connection *connection, struct arena *arena, struct integration **out,
                              size_t *count);

/* An integration as the operator sees it. */
struct integration_row {
    uint64_t id, kind;
    struct text merchant, code;
    struct text network; /* of an agreement; else empty */
    struct text endpoint, currency;
    struct text changed_by;
    instant created_at;
    instant removed_at; /* 0: it is in force */
};

struct integration_filter {
    uint64_t merchant_id; /* 0: of all merchants */
    bool removed_too;
};

/* Calls `each` by kind and code, the newest of a code first; its texts are the arena's. `each` must not use the
 * connection. */
enum status integrations_list(struct connection *connection, const struct integration_filter *filter,
                              struct arena *arena,
                              void (*each)(void *context, const struct integration_row *integration), void *context);

/* STATUS_NONE: there is none with this id. */
enum status integrations_describe(struct connection *connection, uint64_t id, struct arena *arena,
                                  struct integration_row *out);

struct integration_settings {
    uint64_t merchant_id;
    enum integration_kind kind;
    struct text code;
    uint64_t network_id; /* 0: none */
    struct text endpoint, currency;
};

/* The first reference of another merchant's order, open or still kept, that the integration would answer for. Empty:
 * none. Only merchant, kind and code matter. */
enum status integrations_find_overlap(struct connection *connection, const struct integration_settings *settings,
                                      struct arena *arena, struct text *reference);

/* STATUS_CLASH: an integration of this kind that is in force has the code, or it overlaps what is another merchant's:
 * a prefix, the code of an integration, the reference of an order. */
enum status integrations_insert(struct connection *connection, const struct integration_settings *settings,
                                struct text actor, uint64_t *id);

/* An empty text stays as it is. STATUS_CHANGED: there is none, or it was removed. */
enum status integrations_change(struct connection *connection, uint64_t id, struct text endpoint, struct text currency,
                                struct text actor);

/* STATUS_CHANGED: there is none, or it was removed before. */
enum status integrations_remove(struct connection *connection, uint64_t id, struct text actor);

#endif
