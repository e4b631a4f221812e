/*
 * A secret and the one before it, which after a rotation is good too until its time is over (doc/protocol.md, "Rotation
 * of secrets"). What recaudo sends is signed with the current one.
 */
#ifndef RECAUDO_AUTH_SECRET_PAIR_H
#define RECAUDO_AUTH_SECRET_PAIR_H

#include "auth/checksum.h"
#include "auth/vault.h"
#include "base/sealed_pair.h"

struct secret_pair {
    struct secret current, old; /* old.size 0: there is none */
    duration old_until;         /* by the monotonic clock: at this moment it is good no more */
};

enum secret_used { SECRET_NONE, SECRET_CURRENT, SECRET_OLD };

/*
 * Opens both; `asked_at` is when they began to be read, by the monotonic clock, so that the old one never seems good
 * for longer than it is. An old one that does not open (auth/vault.h) is logged and is none: after the key was lost it
 * must not keep out its successor. False: the current one does not open, and nothing is left in *out.
 */
MUST_USE bool secret_pair_open(struct vault *vault, const char *kind, struct text owner,
                               const struct sealed_pair *sealed, duration asked_at, struct secret_pair *out);

void secret_pair_wipe(struct secret_pair *pair);

/* The old one is there and still good. */
bool secret_pair_has_old(const struct secret_pair *pair, duration now);

/* With which of them `given` was made (auth/checksum.h); both are tried always, so the time taken tells nothing. */
enum secret_used secret_pair_verify(enum checksum_recipe recipe, const struct text *parts,
                                    const struct secret_pair *pair, duration now, struct text given);

#endif
