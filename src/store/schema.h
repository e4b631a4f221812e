/* The schema's version and its migrations (files of sql/, built into the program). */
#ifndef RECAUDO_STORE_SCHEMA_H
#define RECAUDO_STORE_SCHEMA_H

#include "base/arena.h"
#include "store/connection.h"

/* The version that this program knows. */
unsigned schema_known_version(void);

/* STATUS_OK when the database has exactly that version; else STATUS_FAULT, and the log says what to do. */
enum status schema_check(struct connection *connection);

/* The version of the database; 0 when nothing was migrated yet. STATUS_FAULT when a migration was left half done. */
enum status schema_version(struct connection *connection, unsigned *out);

/*
 * Applies what is missing, in order, while `lock` (a second connection) holds the lock row, then the grants, to accounts that log in from
 * `account_host` (the host part of their names).
 * *applied: how many migrations were new. A migration whose text is not the one applied before, or that began and never
 * ended, is a fault, told in the log; nothing further is applied.
 */
enum status schema_migrate(struct connection *connection, struct connection *lock, struct text account_host,
                           struct arena *arena, unsigned *applied);

#endif
