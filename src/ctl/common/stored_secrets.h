/* Whether the key file opens what is stored: every secret of networks and merchants, the old ones of a rotation too. */
#ifndef RECAUDO_CTL_COMMON_STORED_SECRETS_H
#define RECAUDO_CTL_COMMON_STORED_SECRETS_H

#include "ctl/core/command.h"

struct stored_secrets {
    uint64_t stored;
    uint64_t closed;   /* of them: those that do not open */
    struct text first; /* whose it is and which column, of the first that does not open; in the arena */
};

/*
 * Counts the stored secrets and tries to open each with the vault; without one (NULL) none opens. The status is that of
 * reading them.
 */
enum status stored_secrets_try(struct connection *connection, struct vault *vault, struct arena *arena,
                               struct stored_secrets *out);

/* How many do not open, and what to do; empty: all open. In the arena. */
struct text stored_secrets_problem(const struct stored_secrets *secrets, const char *key_file, struct arena *arena);

/* Refused where secrets are stored and the vault opens none of them: it is not the key that encrypted them, and what it
 * seals now would be lost with it. */
enum outcome stored_secrets_need_key(const struct context *context, struct vault *vault);

#endif
