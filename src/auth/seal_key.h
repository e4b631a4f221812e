/*
 * Keys that sign the seals of the event log: Ed25519, in PEM files as OpenSSL writes them. The private key's file must
 * not be readable by others. The public key suffices to check seals, and anybody may have it.
 */
#ifndef RECAUDO_AUTH_SEAL_KEY_H
#define RECAUDO_AUTH_SEAL_KEY_H

#include "base/text.h"

enum { SEAL_KEY_ERROR_SIZE = 512, SEAL_KEY_ID_SIZE = 17, SEAL_SIGNATURE_SIZE = 129, SEAL_KEYS_MAX = 32 };

/* A private or public key. */
struct seal_key;

/* Creates a file with mode 0600 and a new private key. False: it exists or cannot be written, `error` says why. */
MUST_USE bool seal_key_create(const char *path, char error[SEAL_KEY_ERROR_SIZE]);

/* Reads a private key. NULL: `error` says why. Release it with seal_key_free. */
struct seal_key *seal_key_read(const char *path, char error[SEAL_KEY_ERROR_SIZE]);

/* Reads the public keys of a file, at most SEAL_KEYS_MAX. Returns how many; 0: `error` says why. */
size_t seal_key_read_public(const char *path, struct seal_key *keys[SEAL_KEYS_MAX], char error[SEAL_KEY_ERROR_SIZE]);

void seal_key_free(struct seal_key *key);

/* Returns the id: the first 8 bytes of SHA-256 over the 32 bytes of the public key, in hex. */
const char *seal_key_id(const struct seal_key *key);

/* Prints the public key as PEM to `file`. False: it could not be written. */
MUST_USE bool seal_key_print_public(const struct seal_key *key, FILE *file);

/* Writes the signature of `message` in hex. */
void seal_key_sign(const struct seal_key *key, struct text message, char out[SEAL_SIGNATURE_SIZE]);

/* True if `signature` (hex) is this key's for `message`. */
MUST_USE bool seal_key_verify(const struct seal_key *key, struct text message, struct text signature);

#endif
