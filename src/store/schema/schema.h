/* The schema's version, its foundation and its upgrades (files of sql/, built into the program). */
#ifndef RECAUDO_STORE_SCHEMA_SCHEMA_H
#define RECAUDO_STORE_SCHEMA_SCHEMA_H

#include "base/arena.h"
#include "store/db/connection.h"

/* Returns the schema version that this program needs. */
unsigned schema_known_version(void);

/* For tests: STATUS_OK if the database has exactly that version; otherwise STATUS_FAULT, and the log says what to do.
 */
enum status schema_check(struct connection *connection);

/* Whether a program can work with a server. */
enum schema_access {
    SCHEMA_READY,
    SCHEMA_AWAY,    /* it cannot be reached, or does not answer */
    SCHEMA_REFUSED, /* it refuses the login, or does not have the database */
    SCHEMA_OTHER,   /* its schema has another version, or was left half migrated */
};

/* Connects to one server and checks its schema. SCHEMA_READY: the caller closes *out; otherwise the log says why. */
enum schema_access schema_access_at(const struct connection_options *options, size_t server, struct connection **out);

/* As connection_open. STATUS_FAULT also if the schema has another version. */
enum status schema_connect(const struct connection_options *options, struct connection **out);

/* Reads the database's schema version; 0: nothing was migrated yet. STATUS_FAULT: a migration began and did not end. */
enum status schema_version(struct connection *connection, unsigned *out);

/* *out: the database has our tables, of whatever version, as far as the account may see them. */
enum status schema_exists(struct connection *connection, bool *out);

/* Begins as {0}; several runs may tell one what they did. */
struct schema_report {
    bool begun;          /* a migration began; if `applied` is 0, it goes on when it is run again */
    unsigned applied;    /* 1: the schema was created or upgraded; 0: it had this version already */
    struct text revoked; /* what was revoked, one REVOKE a line; empty if nothing was */
};

/*
 * Creates the schema in an empty database, or upgrades that of an older release, or goes on with what a run of this
 * program began and did not end. Then writes the settings, and makes the grants exactly those of sql/grants.sql
 * (store/schema/grants.h). Until the connection is closed, no other one can (store/schema/migration_lock.h).
 * STATUS_AGAIN, logged: another one is doing so, or has locked a row; to be run again.
 * STATUS_FAULT, logged: no release had the database's version, rows of schema_version are missing or from no release, a
 * table, view, routine or trigger that is none of ours has the name of one of ours, an open transaction has used a
 * table, so that an upgrade would wait for it, a migration of another release did not end, the connection's account
 * lacks a right, or one that is to be given rights is missing. Nothing is applied then.
 */
enum status schema_migrate(struct connection *connection, const struct config *config, struct arena *arena,
                           struct schema_report *report);

#endif
