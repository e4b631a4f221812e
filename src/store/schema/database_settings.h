/* The settings in force in the database and its server, whatever a program's configuration says. */
#ifndef RECAUDO_STORE_SCHEMA_DATABASE_SETTINGS_H
#define RECAUDO_STORE_SCHEMA_DATABASE_SETTINGS_H

#include "base/arena.h"
#include "store/db/connection.h"

struct database_settings {
    duration cancel_window;       /* `settings.cancel_window`: the length of the windows that the database writes */
    struct text secure_timestamp; /* the server's variable: NO, SUPER, REPLICATION or YES; in the arena */
    uint64_t flush_log;           /* innodb_flush_log_at_trx_commit; 1: each commit reaches the disk */
    uint64_t sync_binlog;         /* 1: the binary log reaches the disk at each commit; 1 if there is no binary log */
    struct text flush_method;     /* innodb_flush_method, in the arena */
    struct text binlog_format;    /* of the binary log; empty: there is none; in the arena */
    struct text character_set;    /* the database's, which new functions use for their parameters; in the arena */
    uint64_t max_connections;     /* of all clients of the server together */
    uint64_t select_limit;        /* sql_select_limit of new sessions, unless their program sets it */
};

/* Needs SELECT on `settings`. STATUS_NONE: its row is missing. */
enum status database_settings_read(struct connection *connection, struct arena *arena, struct database_settings *out);

/* Returns how the database's window differs from the configured one, and the remedy; empty if it does not. In the
 * arena. */
struct text database_settings_other_window(const struct database_settings *settings, duration configured,
                                           struct arena *arena);

/* Returns which server setting lets a crash lose commits, and the remedy; empty if none does. In the arena. */
struct text database_settings_lost_commits(const struct database_settings *settings, struct arena *arena);

/* Returns why the server refuses every write of the programs, and the remedy; empty if it does not. */
struct text database_settings_refused_writes(const struct database_settings *settings);

/* Returns why confirmations wait for each other although they need not, and the remedy; empty if they do not. */
struct text database_settings_needless_waits(const struct database_settings *settings);

/* Returns what is wrong with the character set, and the remedy; empty if nothing is. In the arena. */
struct text database_settings_lost_letters(const struct database_settings *settings, struct arena *arena);

/* Returns why the server allows too few connections for `of_workers`, those that the workers of this host make, and for
 * other programs and people beside them, and the remedy; empty if it allows enough. In the arena. */
struct text database_settings_few_connections(const struct database_settings *settings, uint64_t of_workers,
                                              struct arena *arena);

/* Returns why recaudo-backup refuses to save the database, and the remedy; empty if it does not. In the arena. */
struct text database_settings_refused_backups(const struct database_settings *settings, struct arena *arena);

/* Returns true if every session may set the clock that dates the entries of the event log. */
bool database_settings_lets_sessions_misdate(const struct database_settings *settings);

#endif
