/* Secrets given in a file or made up, and sealed for the database. */
#ifndef RECAUDO_CTL_COMMON_SECRETS_H
#define RECAUDO_CTL_COMMON_SECRETS_H

#include "ctl/core/command.h"

/* The option beside each that names a file with a secret. */
#define WEAK_SECRET_OPTION                                                                                             \
    {.name = "weak-secret", .help = "take it even if it has less than 32 bytes, which can be guessed from a message"}

/*
 * The secret in the file that `option` names ("-": standard input; a line end at its end does not count), or a new one.
 * Refuses one of less than 32 bytes without --weak-secret.
 */
enum outcome secrets_take(const struct context *context, const char *option, struct secret *out);

/* Encrypts it for a column and a row; the bytes are the arena's. `at` is NULL on failure, which has been reported. */
struct text secrets_seal(const struct context *context, const char *column, struct text owner,
                         const struct secret *secret);

#endif
