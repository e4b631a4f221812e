/*
 * A secret and its predecessor, which stays valid for a time after a rotation (doc/protocol.md, "Rotation of secrets").
 * Requests that recaudo sends are signed with the current secret.
 */
#ifndef RECAUDO_AUTH_SECRET_PAIR_H
#define RECAUDO_AUTH_SECRET_PAIR_H

#include "auth/checksum.h"
#include "auth/vault.h"
#include "base/sealed_pair.h"

struct secret_pair {
    struct secret current, old; /* old.size 0: there is none */
    duration old_until;         /* `old` expires at this time of the monotonic clock */
};

enum secret_used { SECRET_NONE, SECRET_CURRENT, SECRET_OLD };

/* How a caller reports a current secret that cannot be decrypted: "the FIXED_HASH of NAME " SECRET_UNOPENED. */
#define SECRET_UNOPENED                                                                                                \
    "cannot be decrypted: encrypted with another key, or damaged; restore the copy of the key file, then "             \
    "recaudoctl config check"

/*
 * Decrypts both secrets. `asked_at` is the monotonic time just before they were read from the database, so the old one
 * never counts as valid for too long. If the old one cannot be decrypted (auth/vault.h), this is logged and it counts
 * as absent: after the loss of a key it must not block its successor. False: the current one cannot be decrypted, and
 * *out is wiped.
 */
MUST_USE bool secret_pair_open(struct vault *vault, const char *kind, struct text owner,
                               const struct sealed_pair *sealed, duration asked_at, struct secret_pair *out);

void secret_pair_wipe(struct secret_pair *pair);

/* True if there is an old secret and it is still valid. */
bool secret_pair_has_old(const struct secret_pair *pair, duration now);

/* Returns the secret that `given` was computed with (auth/checksum.h). Always tries both, so that the time taken
 * reveals nothing. */
enum secret_used secret_pair_verify(enum checksum_recipe recipe, const struct text *parts,
                                    const struct secret_pair *pair, duration now, struct text given);

#endif
