#include "store/schema/database_settings.h"

#include "store/db/sql.h"

const char sql_text_of_database_settings[] =
    "SELECT cancel_window, @@GLOBAL.secure_timestamp, @@GLOBAL.innodb_flush_log_at_trx_commit,"
    " IF(@@GLOBAL.log_bin, @@GLOBAL.sync_binlog, 1), @@GLOBAL.innodb_flush_method,"
    " IF(@@GLOBAL.log_bin, @@GLOBAL.binlog_format, ''), @@character_set_database, @@GLOBAL.max_connections,"
    " @@GLOBAL.sql_select_limit"
    " FROM settings WHERE id = 1";

enum status database_settings_read(struct connection *connection, struct arena *arena, struct database_settings *out) {
    struct sql *sql = sql_begin(connection, SQL_database_settings);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->cancel_window = (duration)sql_get_number(sql);
        out->secure_timestamp = sql_get_text(sql, arena);
        out->flush_log = sql_get_number(sql);
        out->sync_binlog = sql_get_number(sql);
        out->flush_method = sql_get_text(sql, arena);
        out->binlog_format = sql_get_text(sql, arena);
        out->character_set = sql_get_text(sql, arena);
        out->max_connections = sql_get_number(sql);
        out->select_limit = sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

struct text database_settings_other_window(const struct database_settings *settings, duration configured,
                                           struct arena *arena) {
    if (settings->cancel_window == configured) {
        return TEXT("");
    }
    return arena_print(arena,
                       "[worker] cancel_window is %g s, and the database uses %g s: run recaudoctl db migrate, which "
                       "writes the configured one into it, or put the setting back",
                       (double)configured / SECOND, (double)settings->cancel_window / SECOND);
}

struct text database_settings_lost_commits(const struct database_settings *settings, struct arena *arena) {
    enum { AT_EACH_COMMIT = 1 };
    static const char LOST[] = "payments that were acknowledged are lost when the database's machine fails";
    if (settings->flush_log != AT_EACH_COMMIT) {
        return arena_print(arena,
                           "innodb_flush_log_at_trx_commit is %llu: %s; set it to 1 in MariaDB's file and with "
                           "SET GLOBAL",
                           (unsigned long long)settings->flush_log, LOST);
    }
    if (settings->sync_binlog != AT_EACH_COMMIT) {
        return arena_print(arena,
                           "sync_binlog is %llu, and there is a binary log, which decides after a crash what was "
                           "committed: %s; set it to 1 in MariaDB's file and with SET GLOBAL",
                           (unsigned long long)settings->sync_binlog, LOST);
    }
    if (text_equal(settings->flush_method, TEXT("nosync")) || text_equal(settings->flush_method, TEXT("littlesync"))) {
        return arena_print(arena, "innodb_flush_method is %.*s: %s; remove it from MariaDB's file and restart MariaDB",
                           TEXT_ARGS(settings->flush_method), LOST);
    }
    return TEXT("");
}

#define SET_TO_ROW "set it to ROW in MariaDB's file and with SET GLOBAL"

struct text database_settings_refused_writes(const struct database_settings *settings) {
    if (!text_equal(settings->binlog_format, TEXT("STATEMENT"))) {
        return TEXT("");
    }
    return TEXT("binlog_format is STATEMENT: the database refuses payments (error 1665), because their transactions "
                "read committed rows; " SET_TO_ROW "; a program that was refused connects anew by itself");
}

struct text database_settings_needless_waits(const struct database_settings *settings) {
    if (!text_equal(settings->binlog_format, TEXT("MIXED"))) {
        return TEXT("");
    }
    return TEXT("MIXED: the database locks what its triggers only read, so confirmations of a network with limits of "
                "money wait for each other; " SET_TO_ROW ", then restart the programs, whose connections keep it");
}

struct text database_settings_lost_letters(const struct database_settings *settings, struct arena *arena) {
    if (text_equal(settings->character_set, TEXT("utf8mb4"))) {
        return TEXT("");
    }
    return arena_print(
        arena,
        "that of the database is %.*s, and so may be that of the functions: they refuse texts with other "
        "letters; as the owner, ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin, then make "
        "the functions and triggers again (database.md)",
        TEXT_ARGS(settings->character_set));
}

struct text database_settings_few_connections(const struct database_settings *settings, uint64_t of_workers,
                                              struct arena *arena) {
    enum { OF_OTHERS = 50 };
    uint64_t needed = of_workers + OF_OTHERS;
    if (settings->max_connections >= needed) {
        return TEXT("");
    }
    return arena_print(arena,
                       "%llu: the workers of this host make %llu connections, other programs and people need some "
                       "more, and requests fail (0028) where a worker gets too few; set it to %llu or more, in "
                       "MariaDB's file and with SET GLOBAL",
                       (unsigned long long)settings->max_connections, (unsigned long long)of_workers,
                       (unsigned long long)needed);
}

struct text database_settings_refused_backups(const struct database_settings *settings, struct arena *arena) {
    if (settings->select_limit == UINT64_MAX) {
        return TEXT("");
    }
    return arena_print(arena,
                       "%llu: mariadb-dump would leave out rows and tables, so recaudo-backup saves nothing; remove it "
                       "from MariaDB's file, and SET GLOBAL sql_select_limit = DEFAULT",
                       (unsigned long long)settings->select_limit);
}

bool database_settings_lets_sessions_misdate(const struct database_settings *settings) {
    return text_equal(settings->secure_timestamp, TEXT("NO"));
}
