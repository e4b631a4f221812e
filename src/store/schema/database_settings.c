#include "store/schema/database_settings.h"

#include "store/db/sql.h"

const char sql_text_of_database_settings[] =
    "SELECT cancel_window, @@GLOBAL.secure_timestamp, @@GLOBAL.innodb_flush_log_at_trx_commit,"
    " @@GLOBAL.log_bin = 1 AND @@GLOBAL.binlog_format = 'STATEMENT' FROM settings"
    " WHERE id = 1";

enum status database_settings_read(struct connection *connection, struct arena *arena, struct database_settings *out) {
    struct sql *sql = sql_begin(connection, SQL_database_settings);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->cancel_window = (duration)sql_get_number(sql);
        out->secure_timestamp = sql_get_text(sql, arena);
        out->flush_log = sql_get_number(sql);
        out->logs_statements = sql_get_number(sql) != 0;
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
                       "[worker] cancel_window is %g s, and the database goes by %g s: run recaudoctl db migrate, "
                       "which writes the configured one into it, or put the setting back",
                       (double)configured / SECOND, (double)settings->cancel_window / SECOND);
}

struct text database_settings_lost_commits(const struct database_settings *settings, struct arena *arena) {
    enum { AT_EACH_COMMIT = 1 };
    if (settings->flush_log == AT_EACH_COMMIT) {
        return TEXT("");
    }
    return arena_print(arena,
                       "innodb_flush_log_at_trx_commit is %llu: payments that were acknowledged are lost when the "
                       "database's machine fails; set it to 1 in MariaDB's file and with SET GLOBAL",
                       (unsigned long long)settings->flush_log);
}

struct text database_settings_refused_writes(const struct database_settings *settings) {
    if (!settings->logs_statements) {
        return TEXT("");
    }
    return TEXT(
        "binlog_format is STATEMENT: the database refuses payments (error 1665), because their transactions read "
        "committed rows; set it to ROW in MariaDB's file and with SET GLOBAL, then restart the programs");
}

bool database_settings_lets_sessions_misdate(const struct database_settings *settings) {
    return text_equal(settings->secure_timestamp, TEXT("NO"));
}
