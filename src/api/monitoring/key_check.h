/* Whether requests can be authenticated at all: the key opens what is stored. */
#ifndef RECAUDO_API_MONITORING_KEY_CHECK_H
#define RECAUDO_API_MONITORING_KEY_CHECK_H

#include "auth/vault.h"
#include "base/arena.h"
#include "store/db/connection.h"

/*
 * *fits: the vault opens the FIXED_HASH of one network or merchant at least, or none is stored. One suffices: while the
 * key is being changed it opens some, the wrong key none. Usually one statement that reads 16 rows; with the wrong key
 * 64 of each table at most. The status is that of reading them.
 */
enum status key_check(struct connection *connection, struct vault *vault, struct arena *arena, bool *fits);

/* Reads the key file as it is now and tries it as above. False: logged why, with the remedy. */
MUST_USE bool key_check_file(struct connection *connection, const char *key_file, struct arena *arena);

/* Says in the log that the key file opens no secret, and what to do. */
void key_check_tell(const char *key_file);

#endif
