/* Secrets read from a file or generated, and encrypted for the database. */
#ifndef RECAUDO_CTL_COMMON_SECRETS_H
#define RECAUDO_CTL_COMMON_SECRETS_H

#include "ctl/core/command.h"

/* Accompanies each option that names a file with a secret. */
#define WEAK_SECRET_OPTION                                                                                             \
    {.name = "weak-secret", .help = "take it even if it has less than 32 bytes, which can be guessed from a message"}

/*
 * Reads the secret from the file that `option` names ("-": standard input; a final line end is ignored), or generates
 * one. Refuses a secret of less than 32 bytes without --weak-secret.
 */
enum outcome secrets_take(const struct context *context, const char *option, struct secret *out);

/* Encrypts the secret for a column and a row; the bytes are in the arena. `at` is NULL on failure, which has been
 * reported. */
struct text secrets_seal(const struct context *context, const char *column, struct text owner,
                         const struct secret *secret);

#endif
