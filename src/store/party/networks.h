/* Collection networks: what requests need, and settings by operators. */
#ifndef RECAUDO_STORE_PARTY_NETWORKS_H
#define RECAUDO_STORE_PARTY_NETWORKS_H

#include "base/arena.h"
#include "store/db/connection.h"
#include "store/db/party_row.h"

/* How its requests are told apart (doc/protocol.md, "Signed requests"). */
struct network_signing {
    bool ids_are_distinct; /* false: any transaction id is accepted */
    enum signature_rule signature;
};

/* From which addresses a network may call, how often, and how it signs. */
struct network_access {
    struct text allow; /* address ranges separated by spaces, in their shortest form; empty: any address */
    struct rate rate;
    struct network_signing signing;
};

/* STATUS_NONE: no network has this name. */
enum status networks_find(struct connection *connection, struct text name, struct arena *arena, struct party_row *out);

/* A network without its secret. */
struct network_description {
    uint64_t id;
    struct text name;
    bool enabled;
    instant old_hash_until;   /* end of validity of the previous FIXED_HASH; 0: not valid */
    instant old_hash_used_at; /* its last use, to the minute; 0: not since the rotation */
    instant created_at, changed_at;
    struct text changed_by;
    struct network_access access;
    instant unsigned_used_at; /* last unsigned request, to the minute, while the signature is `accepted`; 0: none */
    instant plain_until;      /* until then, older transaction ids that are not distinct can still be confirmed; 0: they
                                 cannot */
};

/* STATUS_NONE: no network has this name. */
enum status networks_describe(struct connection *connection, struct text name, struct arena *arena,
                              struct network_description *out);

/* Calls `each` for every network, by name; texts lie in the arena. `each` must not use the connection. */
enum status networks_list(struct connection *connection, struct arena *arena,
                          void (*each)(void *context, const struct network_description *network), void *context);

/* STATUS_CLASH: the name is taken. */
enum status networks_insert(struct connection *connection, struct text name, struct text sealed_hash,
                            const struct network_access *access, struct text actor);

/* Sets the access. When ids must become distinct, ids registered before can be confirmed for another day. `was`: the
 * network as it was read. STATUS_CHANGED: it was modified since then, or does not exist. */
enum status networks_set_access(struct connection *connection, const struct network_description *was,
                                const struct network_access *access, struct text actor);

/* STATUS_CHANGED: no such network, or it is in that state already. */
enum status networks_set_enabled(struct connection *connection, struct text name, bool enabled, struct text actor);

/* Replaces FIXED_HASH. The previous secret stays valid for `overlap`; an older one becomes invalid at once. `was`: the
 * network as it was read. STATUS_CHANGED: it was modified since then, or does not exist. */
enum status networks_rotate(struct connection *connection, const struct network_description *was,
                            struct text sealed_hash, duration overlap, struct text actor);

/* Makes the old FIXED_HASH invalid. STATUS_CHANGED: none is valid, or the network was modified since `was` was read;
 * read it again and retry. */
enum status networks_end_old_secret(struct connection *connection, const struct network_description *was,
                                    struct text actor);

#endif
