/* Integrations: which references merchants answer themselves. For lookups and for operators. */
#ifndef RECAUDO_STORE_EXTERNAL_INTEGRATIONS_H
#define RECAUDO_STORE_EXTERNAL_INTEGRATIONS_H

#include "base/arena.h"
#include "domain/external/integration.h"
#include "store/db/connection.h"

/* Reads all integrations that are in force, with what a query needs of merchant and currency. Array and texts lie in
 * the arena. */
enum status integrations_read(struct connection *connection, struct arena *arena, struct integration **out,
                              size_t *count);

/* An integration for operators. */
struct integration_row {
    uint64_t id, kind;
    struct text merchant, code;
    struct text network; /* of an agreement code; otherwise empty */
    struct text endpoint, currency;
    struct text changed_by;
    instant created_at;
    instant removed_at; /* 0: it is in force */
};

struct integration_filter {
    uint64_t merchant_id; /* 0: of all merchants */
    bool removed_too;
};

/* Calls `each` by kind and code, the newest of a code first; texts lie in the arena. `each` must not use the
 * connection. */
enum status integrations_list(struct connection *connection, const struct integration_filter *filter,
                              struct arena *arena,
                              void (*each)(void *context, const struct integration_row *integration), void *context);

/* STATUS_NONE: there is no integration with this id. */
enum status integrations_describe(struct connection *connection, uint64_t id, struct arena *arena,
                                  struct integration_row *out);

struct integration_settings {
    uint64_t merchant_id;
    enum integration_kind kind;
    struct text code;
    uint64_t network_id; /* 0: none */
    struct text endpoint, currency;
};

/* Finds the first reference of another merchant's order, open or still kept, that the integration would answer for.
 * *reference is empty: none. Uses only merchant, kind and code of `settings`. */
enum status integrations_find_overlap(struct connection *connection, const struct integration_settings *settings,
                                      struct arena *arena, struct text *reference);

/* STATUS_CLASH: an integration of this kind in force has the code, or it overlaps a prefix, an integration or an
 * order's reference of another merchant. */
enum status integrations_insert(struct connection *connection, const struct integration_settings *settings,
                                struct text actor, uint64_t *id);

/* Changes an integration; an empty text keeps the stored value. STATUS_CHANGED: there is none, or it was removed. */
enum status integrations_change(struct connection *connection, uint64_t id, struct text endpoint, struct text currency,
                                struct text actor);

/* STATUS_CHANGED: there is none, or it was removed already. */
enum status integrations_remove(struct connection *connection, uint64_t id, struct text actor);

#endif
