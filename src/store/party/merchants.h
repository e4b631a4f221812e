/* Merchants: settings by operators, and what requests need. */
#ifndef RECAUDO_STORE_PARTY_MERCHANTS_H
#define RECAUDO_STORE_PARTY_MERCHANTS_H

#include "base/arena.h"
#include "domain/notification/notification.h"
#include "store/db/connection.h"
#include "store/db/party_row.h"

/* An operator's settings. In merchants_change a text whose `at` is NULL, or a country 0, keeps the stored value. */
struct merchant_settings {
    struct text commerce;
    uint64_t country;
    struct text notify_url;      /* empty: no notifications */
    struct text notify_digest;   /* sha256, sha512 */
    struct text acknowledgement; /* strict, http2xx */
};

/* A merchant without its secrets. */
struct merchant_description {
    uint64_t id;
    struct text name;
    struct merchant_settings settings;
    bool enabled;
    instant old_hash_until;              /* end of validity of the previous FIXED_HASH; 0: not valid */
    instant old_hash_used_at;            /* its last use, to the minute; 0: not since the rotation */
    instant old_notification_hash_until; /* until then notifications are signed with the previous NOTIFICATION_HASH too;
                                            0: they are not */
    duration reference_quarantine;       /* how long a reference stays its own after its order was closed */
    instant created_at, changed_at;
    struct text changed_by;
};

/* STATUS_NONE: no merchant has this name. */
enum status merchants_find(struct connection *connection, struct text name, struct arena *arena, struct party_row *out);

/* Reads what networks see of a merchant: its name for them, and whether its orders can be paid. STATUS_NONE: no such
 * merchant. */
enum status merchants_find_commerce(struct connection *connection, uint64_t id, struct arena *arena,
                                    struct text *commerce, bool *enabled);

/* STATUS_NONE: no merchant has this name. */
enum status merchants_describe(struct connection *connection, struct text name, struct arena *arena,
                               struct merchant_description *out);

/* Where a merchant is notified, and how. */
struct merchant_target {
    instant now;                     /* the database's clock */
    struct text name, url, currency; /* url: empty: nowhere; currency: its country's */
    struct sealed_pair sealed_hash;  /* NOTIFICATION_HASH, encrypted for the merchant's name */
    enum notification_digest digest;
    enum acknowledgement acknowledgement;
};

/* STATUS_NONE: no merchant has this name. */
enum status merchants_find_target(struct connection *connection, struct text name, struct arena *arena,
                                  struct merchant_target *out);

/* Calls `each` for every merchant, by name; texts lie in the arena. `each` must not use the connection. */
enum status merchants_list(struct connection *connection, struct arena *arena,
                           void (*each)(void *context, const struct merchant_description *merchant), void *context);

/* STATUS_CLASH: the name is taken. Hashes are encrypted (auth/vault.h). */
enum status merchants_insert(struct connection *connection, struct text name, const struct merchant_settings *settings,
                             struct text sealed_hash, struct text sealed_notification_hash, struct text actor);

/* Returns true if merchants_change would change nothing. */
bool merchants_has_settings(const struct merchant_description *merchant, const struct merchant_settings *wanted);

/* STATUS_CHANGED: no such merchant. */
enum status merchants_change(struct connection *connection, struct text name, const struct merchant_settings *settings,
                             struct text actor);

/* STATUS_CHANGED: no such merchant, or it is in that state already. */
enum status merchants_set_enabled(struct connection *connection, struct text name, bool enabled, struct text actor);

enum merchant_secret { MERCHANT_FIXED_HASH, MERCHANT_NOTIFICATION_HASH };

/* Replaces a secret. The previous one stays valid for `overlap`; an older one becomes invalid at once. `was`: the
 * merchant as it was read. STATUS_CHANGED: it was modified since then, or does not exist. */
enum status merchants_rotate(struct connection *connection, enum merchant_secret secret,
                             const struct merchant_description *was, struct text sealed_hash, duration overlap,
                             struct text actor);

/* Makes the old secret invalid. STATUS_CHANGED: none is valid, or the merchant was modified since `was` was read;
 * read it again and retry. */
enum status merchants_end_old_secret(struct connection *connection, enum merchant_secret secret,
                                     const struct merchant_description *was, struct text actor);

#endif
