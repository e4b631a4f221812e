/*
 * Encryption of secrets at rest: AES-256-GCM with a key from the key file (auth/key_file.h). Each ciphertext is bound
 * to its column and its row's name, so a copy in another row cannot be decrypted. Format: 1 byte version, 4 bytes id of
 * the key, 12 bytes nonce, ciphertext, 16 bytes tag. Earlier programs wrote version 1 without an id: every key is
 * tried.
 *
 * A vault reads the key file again when it meets an unknown key id, so running programs need not be told of a new key.
 * Safe for use by several threads.
 */
#ifndef RECAUDO_AUTH_VAULT_H
#define RECAUDO_AUTH_VAULT_H

#include "auth/key_file.h"
#include "auth/secret.h"

enum { VAULT_SEALED_MAX = SECRET_MAX + 33, VAULT_ERROR_SIZE = KEY_FILE_ERROR_SIZE };

struct vault;

/* Reads the key file. Returns a vault that the caller closes, or NULL: `error` says why. */
struct vault *vault_open(const char *key_file, char error[VAULT_ERROR_SIZE]);

/* Wipes the keys and frees the vault, which may be NULL. */
void vault_close(struct vault *vault);

/* Encrypts with the current key of the file. `kind` is the column, as SECRET_OF_NETWORK (base/sealed_pair.h), `owner`
 * the row's name. Returns the size written to out; 0: failure. */
size_t vault_seal(struct vault *vault, const char *kind, struct text owner, const struct secret *secret,
                  unsigned char out[VAULT_SEALED_MAX]);

/* Decrypts `sealed`. False: it was encrypted with a key that is not in the file or for another row, or it is damaged.
 */
MUST_USE bool vault_unseal(struct vault *vault, const char *kind, struct text owner, struct text sealed,
                           struct secret *out);

/* Copies the id of the key that `sealed` was encrypted with. False: it has no id (version 1). */
MUST_USE bool vault_key_id(struct text sealed, unsigned char id[KEY_ID_BYTES]);

#endif
