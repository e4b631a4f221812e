/*
 * Secrets at rest: AES-256-GCM with a key from a file of its own (auth/key_file.h). Each ciphertext is bound to what it
 * is and whose it is, so one copied into another row does not open. Form: 1 byte version, 4 bytes id of the key, 12
 * bytes nonce, ciphertext, 16 bytes tag. What was written by earlier programs has version 1 and no id: any of the keys
 * may be its own.
 *
 * A vault reads its file anew when it meets a key that it does not know, so programs that run need not be told of a new
 * one. Safe for many threads.
 */
#ifndef RECAUDO_AUTH_VAULT_H
#define RECAUDO_AUTH_VAULT_H

#include "auth/key_file.h"
#include "auth/secret.h"

enum { VAULT_SEALED_MAX = SECRET_MAX + 33, VAULT_ERROR_SIZE = KEY_FILE_ERROR_SIZE };

struct vault;

/* Reads the key file. NULL: `error` says why. */
struct vault *vault_open(const char *key_file, char error[VAULT_ERROR_SIZE]);

/* Wipes and frees it. */
void vault_close(struct vault *vault);

/* Seals with the key that the file names at this moment. `kind` is the column, "networks.fixed_hash"; `owner` the row's
 * name. Returns the size written to out, 0 on failure. */
size_t vault_seal(struct vault *vault, const char *kind, struct text owner, const struct secret *secret,
                  unsigned char out[VAULT_SEALED_MAX]);

/* False when it was sealed with a key that is not in the file, for another row, or is damaged. */
MUST_USE bool vault_unseal(struct vault *vault, const char *kind, struct text owner, struct text sealed,
                           struct secret *out);

/* The id of the key that it was sealed with. False: it has none. */
MUST_USE bool vault_key_id(struct text sealed, unsigned char id[KEY_ID_BYTES]);

#endif
