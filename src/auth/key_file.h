/*
 * The file that holds the keys: a line each of 64 hex digits. A line with nothing behind them is the key that seals,
 * and there is exactly one; ` next` (one at most) or ` old` behind them marks one that only opens. A file of one line
 * is the usual case.
 */
#ifndef RECAUDO_AUTH_KEY_FILE_H
#define RECAUDO_AUTH_KEY_FILE_H

#include "auth/key_ring.h"

enum { KEY_FILE_ERROR_SIZE = 512 };

/* Reads a file that is closed to others (mode 0600, or 0640). False: `error` says why. */
MUST_USE bool key_file_read(const char *path, struct key_ring *out, char error[KEY_FILE_ERROR_SIZE]);

/* Makes a new key file with mode 0600. False when it exists already or cannot be written. */
MUST_USE bool key_file_create(const char *path, char error[KEY_FILE_ERROR_SIZE]);

/*
 * Puts these keys into the file that exists, with its owner, group and mode; whoever reads it, after a crash too, finds
 * the keys before or these. False: the keys are those before; `error` says why.
 */
MUST_USE bool key_file_replace(const char *path, const struct key_ring *ring, char error[KEY_FILE_ERROR_SIZE]);

/* Keeps other programs from replacing the file until the descriptor returned is closed. -1: somebody else does, or
 * `error`. */
int key_file_lock(const char *path, char error[KEY_FILE_ERROR_SIZE]);

#endif
