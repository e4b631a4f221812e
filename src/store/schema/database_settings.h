/* What the database itself goes by, whatever a program's configuration says. */
#ifndef RECAUDO_STORE_SCHEMA_DATABASE_SETTINGS_H
#define RECAUDO_STORE_SCHEMA_DATABASE_SETTINGS_H

#include "base/arena.h"
#include "store/db/connection.h"

struct database_settings {
    duration cancel_window;       /* `settings.cancel_window`: the length of the windows that it writes */
    struct text secure_timestamp; /* the server's variable: NO, SUPER, REPLICATION or YES; in the arena */
    uint64_t flush_log;           /* innodb_flush_log_at_trx_commit: 1 writes to disk what is committed */
    uint64_t sync_binlog;         /* 1 writes the binary log to disk at each commit; 1 where there is none */
    struct text flush_method;     /* innodb_flush_method, in the arena */
    bool logs_statements;         /* there is a binary log, with binlog_format STATEMENT */
    struct text character_set;    /* the database's, which new functions take for their parameters; in the arena */
};

/* Needs SELECT on `settings`. STATUS_NONE: the row is not there. */
enum status database_settings_read(struct connection *connection, struct arena *arena, struct database_settings *out);

/* What differs from the configured window and what to do; empty: nothing does. In the arena. */
struct text database_settings_other_window(const struct database_settings *settings, duration configured,
                                           struct arena *arena);

/* Which setting of the server keeps commits off the disk, and what to do; empty: none. In the arena. */
struct text database_settings_lost_commits(const struct database_settings *settings, struct arena *arena);

/* Why the server refuses every write of the programs, and what to do; empty: it does not. */
struct text database_settings_refused_writes(const struct database_settings *settings);

/* What is wrong with the character set, and what to do; empty: nothing. In the arena. */
struct text database_settings_lost_letters(const struct database_settings *settings, struct arena *arena);

/* Whether every session may set the clock that dates the entries of the log. */
bool database_settings_lets_sessions_misdate(const struct database_settings *settings);

#endif
