/* Whether the key file decrypts the stored secrets of networks and merchants, including the old ones of a rotation. */
#ifndef RECAUDO_CTL_COMMON_STORED_SECRETS_H
#define RECAUDO_CTL_COMMON_STORED_SECRETS_H

#include "ctl/core/command.h"

struct stored_secrets {
    uint64_t stored;
    uint64_t closed;   /* number of secrets that cannot be decrypted */
    struct text first; /* owner and column of the first of them; in the arena */
};

/*
 * Counts the stored secrets and tries to decrypt each with the vault; without a vault (NULL) none can be decrypted.
 * Returns the status of reading them.
 */
enum status stored_secrets_try(struct connection *connection, struct vault *vault, struct arena *arena,
                               struct stored_secrets *out);

/* Says how many secrets cannot be decrypted, and what to do; empty if all can. In the arena. */
struct text stored_secrets_problem(const struct stored_secrets *secrets, const char *key_file, struct arena *arena);

/* Refused if secrets are stored and the vault decrypts none of them. It then lacks the key that encrypted them, and
 * anything that is encrypted with it now could be lost with it. */
enum outcome stored_secrets_need_key(const struct context *context, struct vault *vault);

#endif
