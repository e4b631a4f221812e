#include "auth/secret_pair.h"

#include "base/log.h"

#include <openssl/crypto.h>

bool secret_pair_open(struct vault *vault, const char *kind, struct text owner, const struct sealed_pair *sealed,
                      duration asked_at, struct secret_pair *out) {
    out->old.size = 0;
    out->old_until = asked_at + sealed->old_for;
    if (!vault_unseal(vault, kind, owner, sealed->current, &out->current)) {
        secret_pair_wipe(out);
        return false;
    }
    if (sealed->old.size > 0 && !vault_unseal(vault, kind, owner, sealed->old, &out->old)) {
        log_line(
            LOG_ERROR,
            "the old secret of %.*s (%s) cannot be decrypted and is ignored; restore the copy of the key file; only "
            "where there is none, rotate --end removes it",
            TEXT_ARGS(owner), kind);
        secret_wipe(&out->old);
    }
    return true;
}

void secret_pair_wipe(struct secret_pair *pair) {
    OPENSSL_cleanse(pair, sizeof *pair);
}

bool secret_pair_has_old(const struct secret_pair *pair, duration now) {
    return pair->old.size > 0 && now < pair->old_until;
}

enum secret_used secret_pair_verify(enum checksum_recipe recipe, const struct text *parts,
                                    const struct secret_pair *pair, duration now, struct text given) {
    bool is_current = checksum_verify(recipe, parts, &pair->current, given);
    bool is_old = checksum_verify(recipe, parts, &pair->old, given) && secret_pair_has_old(pair, now);
    return is_current ? SECRET_CURRENT : is_old ? SECRET_OLD : SECRET_NONE;
}
