/* The schema's version, its foundation and its upgrades (files of sql/, built into the program). */
#ifndef RECAUDO_STORE_SCHEMA_SCHEMA_H
#define RECAUDO_STORE_SCHEMA_SCHEMA_H

#include "base/arena.h"
#include "store/db/connection.h"

/* The version that this program knows. */
unsigned schema_known_version(void);

/* STATUS_OK when the database has exactly that version; else STATUS_FAULT, and the log says what to do. */
enum status schema_check(struct connection *connection);

/* Whether a server can be worked with. */
enum schema_access {
    SCHEMA_READY,
    SCHEMA_AWAY,    /* it cannot be reached, or answers nothing */
    SCHEMA_REFUSED, /* it refuses the login, or has no such database */
    SCHEMA_OTHER,   /* its schema is none that this program knows, or one left half migrated */
};

/* Connects to one server and checks its schema. On SCHEMA_READY *out is to be closed; else the log says why. */
enum schema_access schema_access_at(const struct connection_options *options, size_t server, struct connection **out);

/* As connection_open. STATUS_FAULT also for a schema that this program does not know. */
enum status schema_connect(const struct connection_options *options, struct connection **out);

/* The version of the database; 0 when nothing was migrated yet. STATUS_FAULT when a migration was left half done. */
enum status schema_version(struct connection *connection, unsigned *out);

/* Whether the database has our tables, of whatever version, as far as the account may see them. */
enum status schema_exists(struct connection *connection, bool *out);

/* What the owner's configuration says. */
struct schema_settings {
    struct text account_host; /* the host part of the accounts' names */
    duration cancel_window;
};

struct schema_report {
    unsigned applied;    /* 1: the schema was made or upgraded; 0: it had this version already */
    struct text revoked; /* what was taken from accounts, one REVOKE a line; empty: nothing */
};

/*
 * Makes the schema in an empty database, or upgrades that of an older release, while `lock` (a second connection) holds
 * the lock row; then writes the settings, then makes the grants exactly those of sql/grants.sql
 * (store/schema/grants.h). STATUS_FAULT, told in the log, for a database whose version no release had, whose rows of
 * schema_version no release has written or are gone, or in which a migration began and never ended; nothing is applied
 * then.
 */
enum status schema_migrate(struct connection *connection, struct connection *lock,
                           const struct schema_settings *settings, struct arena *arena, struct schema_report *report);

#endif
