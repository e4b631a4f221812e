/*
 * Secrets at rest: AES-256-GCM with a key from a file of its own. Each ciphertext is bound to what it is and whose it is, so one
 * copied into another row does not open. Form: 1 byte version, 12 bytes nonce, ciphertext, 16 bytes tag.
 */
#ifndef RECAUDO_AUTH_VAULT_H
#define RECAUDO_AUTH_VAULT_H

#include "auth/secret.h"

enum { VAULT_KEY_BYTES = 32, VAULT_SEALED_MAX = SECRET_MAX + 29, VAULT_ERROR_SIZE = 512 };

struct vault {
    unsigned char key[VAULT_KEY_BYTES];
};

/* Reads the key file: 64 hex digits, closed to others (mode 0600, or 0640). False: `error` says why. */
bool vault_open(struct vault *vault, const char *key_file, char error[VAULT_ERROR_SIZE]);

/* Makes a new key file with mode 0600. False when it exists already or cannot be written. */
bool vault_create_key(const char *key_file, char error[VAULT_ERROR_SIZE]);

void vault_close(struct vault *vault);

/* `kind` is the column, "networks.fixed_hash"; `owner` the row's name. Returns the size written to out, 0 on failure. */
size_t vault_seal(const struct vault *vault, const char *kind, struct text owner, const struct secret *secret,
                  unsigned char out[VAULT_SEALED_MAX]);

/* False when it was sealed with another key, for another row, or is damaged. */
bool vault_unseal(const struct vault *vault, const char *kind, struct text owner, struct text sealed,
                  struct secret *out);

#endif
