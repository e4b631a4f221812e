/*
 * The key file has one line of 64 hex digits for each key. Exactly one line has nothing after the digits: that key
 * encrypts. ` next` (at most one) or ` old` after the digits marks a key that only decrypts. Usually the file has one
 * line.
 */
#ifndef RECAUDO_AUTH_KEY_FILE_H
#define RECAUDO_AUTH_KEY_FILE_H

#include "auth/key_ring.h"

enum { KEY_FILE_ERROR_SIZE = 512 };

/* Reads the file, which others must not be able to read (mode 0600 or 0640). False: `error` says why.
 */
MUST_USE bool key_file_read(const char *path, struct key_ring *out, char error[KEY_FILE_ERROR_SIZE]);

/* Creates a key file with mode 0600 and a new key. False, with the reason in `error`: it exists or cannot be written.
 */
MUST_USE bool key_file_create(const char *path, char error[KEY_FILE_ERROR_SIZE]);

/*
 * Replaces the keys of an existing file and keeps its owner, group and mode. The replacement is atomic, even if the
 * system crashes. False: the file is unchanged, or it is replaced and may be as before after a crash; `error` says
 * which, and why.
 */
MUST_USE bool key_file_replace(const char *path, const struct key_ring *ring, char error[KEY_FILE_ERROR_SIZE]);

/* Locks the file against replacement by other programs until the returned descriptor is closed. -1:
 * `error` says why, for example that another program holds the lock. */
int key_file_lock(const char *path, char error[KEY_FILE_ERROR_SIZE]);

#endif
