/* The schema's version, its foundation and its upgrades (files of sql/, built into the program). */
#ifndef RECAUDO_STORE_SCHEMA_SCHEMA_H
#define RECAUDO_STORE_SCHEMA_SCHEMA_H

#include "base/arena.h"
#include "store/db/connection.h"

/* The version that this program knows. */
unsigned schema_known_version(void);

/* STATUS_OK when the database has exactly that version; else STATUS_FAULT, and the log says what to do. */
enum status schema_check(struct connection *connection);

/* As connection_open_at and connection_open. STATUS_FAULT also for a schema that this program does not know. */
enum status schema_connect_at(const struct connection_options *options, size_t server, struct connection **out);
enum status schema_connect(const struct connection_options *options, struct connection **out);

/* The version of the database; 0 when nothing was migrated yet. STATUS_FAULT when a migration was left half done. */
enum status schema_version(struct connection *connection, unsigned *out);

/* What the owner's configuration says. */
struct schema_terms {
    struct text account_host; /* the host part of the accounts' names */
    duration cancel_window;
};

struct schema_report {
    unsigned applied;    /* 1: the schema was made or upgraded; 0: it had this version already */
    struct text revoked; /* what was taken from accounts, one REVOKE a line; empty: nothing */
};

/*
 * Makes the schema in an empty database, or upgrades that of an older release, while `lock` (a second connection) holds
 * the lock row; then writes the terms, then makes the grants exactly those of sql/grants.sql (store/schema/grants.h).
 * STATUS_FAULT, told in the log, for a database whose version no release had, whose rows of schema_version no release
 * has written, or in which a migration began and never ended; nothing is applied then.
 */
enum status schema_migrate(struct connection *connection, struct connection *lock, const struct schema_terms *terms,
                           struct arena *arena, struct schema_report *report);

#endif
