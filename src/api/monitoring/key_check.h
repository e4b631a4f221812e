/* Checks that the key decrypts the stored secrets, without which no request can be authenticated. */
#ifndef RECAUDO_API_MONITORING_KEY_CHECK_H
#define RECAUDO_API_MONITORING_KEY_CHECK_H

#include "auth/vault.h"
#include "base/arena.h"
#include "store/db/connection.h"

/*
 * Sets *fits if the vault decrypts at least one stored FIXED_HASH, or none is stored. One suffices: during a rotation
 * the key decrypts some, the wrong key decrypts none. Usually one statement that reads 16 rows; with the wrong key at
 * most 64 of each table. Returns the status of reading.
 */
enum status key_check(struct connection *connection, struct vault *vault, struct arena *arena, bool *fits);

/* Reads the key file and does the same check. False: the reason and the remedy were logged. */
MUST_USE bool key_check_file(struct connection *connection, const char *key_file, struct arena *arena);

/* Logs that the key file decrypts no secret, and the remedy. */
void key_check_tell(const char *key_file);

#endif
