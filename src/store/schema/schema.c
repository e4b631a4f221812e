#include "store/schema/schema.h"

#include "store/db/rows.h"
#include "store/schema/embedded.h"
#include "store/schema/grants.h"

#include <signal.h>

const char sql_text_of_schema_version[] =
    "SELECT COALESCE(MAX(version), 0), COUNT(*) - COUNT(applied_at) FROM schema_version";

const char sql_text_of_schema_exists[] =
    "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'networks'";

const char sql_text_of_migration_lock[] = "SELECT id FROM schema_lock WHERE id = 1 FOR UPDATE";

const char sql_text_of_migration_tables[] =
    "SELECT GROUP_CONCAT(CONCAT('`', REPLACE(TABLE_NAME, '`', '``'), '` WRITE')) FROM information_schema.TABLES"
    " WHERE TABLE_SCHEMA = DATABASE() AND ENGINE = 'InnoDB' AND TABLE_NAME <> 'schema_lock'";

const char sql_text_of_migration_server[] =
    "SELECT @@GLOBAL.log_bin AND NOT @@GLOBAL.log_bin_trust_function_creators, @@SESSION.max_allowed_packet < 1048576";

const char sql_text_of_migration_list[] = "SELECT version, name, checksum FROM schema_version ORDER BY version";

const char sql_text_of_migration_begin[] = "INSERT INTO schema_version (version, name, checksum) VALUES (?, ?, ?)";

const char sql_text_of_migration_end[] = "UPDATE schema_version SET applied_at = UTC_TIMESTAMP(6) WHERE version = ?";

const char sql_text_of_settings_write[] = "UPDATE settings SET cancel_window = ? WHERE id = 1";

unsigned schema_known_version(void) {
    return embedded_foundation.version;
}

enum status schema_version(struct connection *connection, unsigned *out) {
    struct sql *sql = sql_begin(connection, SQL_schema_version);
    uint64_t unfinished = 0;
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        *out = (unsigned)sql_get_number(sql);
        unfinished = sql_get_number(sql);
    }
    sql_end(sql);
    if (unfinished > 0) {
        log_line(LOG_ERROR,
                 "schema: a migration began and did not end; restore the backup made before it (of an empty database: "
                 "drop the database and make it again), or finish it by hand and set applied_at in schema_version");
        return STATUS_FAULT;
    }
    return status;
}

enum status schema_exists(struct connection *connection, bool *out) {
    return rows_one_bool(sql_begin(connection, SQL_schema_exists), out);
}

enum status schema_check(struct connection *connection) {
    unsigned version;
    enum status status = schema_version(connection, &version);
    if (status == STATUS_OK && version != schema_known_version()) {
        log_line(LOG_ERROR, "schema: the database has version %u, this program knows %u: %s", version,
                 schema_known_version(),
                 version < schema_known_version() ? "run `recaudoctl db migrate`" : "install the newer program");
        return STATUS_FAULT;
    }
    return status;
}

enum schema_access schema_access_at(const struct connection_options *options, size_t server, struct connection **out) {
    enum status status = connection_open_at(options, server, out);
    if (status != STATUS_OK) {
        return status == STATUS_FAULT ? SCHEMA_REFUSED : SCHEMA_AWAY;
    }
    status = schema_check(*out);
    if (status == STATUS_OK) {
        return SCHEMA_READY;
    }
    connection_close(*out);
    *out = NULL;
    /* The check only reads, so a lost connection leaves no outcome open. */
    return status == STATUS_FAULT ? SCHEMA_OTHER : SCHEMA_AWAY;
}

enum status schema_connect(const struct connection_options *options, struct connection **out) {
    enum schema_access access = SCHEMA_AWAY;
    size_t servers = connection_servers(options->config);
    for (size_t server = 0; server < servers && access != SCHEMA_READY; server++) {
        access = schema_access_at(options, server, out);
    }
    return access == SCHEMA_READY ? STATUS_OK : access == SCHEMA_AWAY ? STATUS_AWAY : STATUS_FAULT;
}

/* Returns true if a release, or this program, has written this row of schema_version. */
static bool known_row(uint64_t version, struct text name, struct text checksum) {
    const struct version_row *own = &embedded_foundation;
    bool found = false;
    for (size_t i = 0; i <= embedded_released_count && !found; i++) {
        const struct version_row *row = i < embedded_released_count ? &embedded_released[i] : own;
        found = version == row->version && text_equal(name, text_of(row->name)) &&
                text_equal(checksum, text_of(row->checksum));
    }
    return found;
}

static enum status compare_rows(struct connection *connection, struct arena *arena) {
    struct sql *sql = sql_begin(connection, SQL_migration_list);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        uint64_t version = sql_get_number(sql);
        struct text name = sql_get_text(sql, arena);
        struct text checksum = sql_get_text(sql, arena);
        if (!known_row(version, name, checksum)) {
            log_line(LOG_ERROR, "schema: migration %.*s in the database is not one that this program knows",
                     TEXT_ARGS(name));
            status = STATUS_FAULT;
            break;
        }
    }
    return sql_end_list(sql, status);
}

static enum status note_migration(struct connection *connection, enum statement statement) {
    struct sql *sql = sql_begin(connection, statement);
    sql_number(sql, embedded_foundation.version);
    if (statement == SQL_migration_begin) {
        sql_text(sql, text_of(embedded_foundation.name));
        sql_text(sql, text_of(embedded_foundation.checksum));
    }
    return sql_run_and_end(sql);
}

/* A part of a file; it may be empty. */
static enum status run_part(struct connection *connection, const char *name, struct text part) {
    return part.size > 0 ? sql_script(connection, name, part) : STATUS_OK;
}

/* *first: the upgrade from this version; the later ones follow it. */
static enum status find_upgrade(unsigned version, size_t *first) {
    for (*first = 0; *first < embedded_upgrade_count; (*first)++) {
        if (embedded_upgrades[*first].from == version) {
            return STATUS_OK;
        }
    }
    log_line(LOG_ERROR, "schema: version %u was never released, so there is no upgrade from it to version %u", version,
             schema_known_version());
    return STATUS_FAULT;
}

static enum status upgrade(struct connection *connection, size_t first) {
    enum status status = STATUS_OK;
    for (size_t i = first; i < embedded_upgrade_count && status == STATUS_OK; i++) {
        status = run_part(connection, "upgrade", embedded_upgrades[i].before);
    }
    if (status == STATUS_OK) {
        status = sql_script(connection, embedded_foundation.name, embedded_programs);
    }
    for (size_t i = first; i < embedded_upgrade_count && status == STATUS_OK; i++) {
        status = run_part(connection, "upgrade", embedded_upgrades[i].after);
    }
    /* A second time, because a part may have dropped a trigger that its changes would fire. */
    return status == STATUS_OK ? sql_script(connection, embedded_foundation.name, embedded_programs) : status;
}

static enum status found(struct connection *connection) {
    enum status status = sql_script(connection, embedded_foundation.name, embedded_tables);
    return status == STATUS_OK ? sql_script(connection, embedded_foundation.name, embedded_programs) : status;
}

/* Refuses tables without a row of schema_version, because their version is unknown. */
static enum status check_empty(struct connection *connection) {
    bool exists = false;
    enum status status = schema_exists(connection, &exists);
    if (status == STATUS_OK && exists) {
        log_line(LOG_ERROR, "schema: the database has the tables, but schema_version is empty: "
                            "restore its rows from a backup");
        return STATUS_FAULT;
    }
    return status;
}

/* A function's parameters and variables keep the character set that the database had when the function was created. */
static const char CHARACTER_SET[] = "EXECUTE IMMEDIATE IF(@@collation_database = 'utf8mb4_nopad_bin', 'DO 0', "
                                    "'ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin')";

/* A reader of a table may come at any moment of a migration, which then waits, however short the server's own
 * lock_wait_timeout is: one that began must not fail. */
static const char END_OF_LOCK[] = "UNLOCK TABLES; SET max_statement_time = 0, lock_wait_timeout = 31536000";

/* Locks all tables, as each change of a table locks one, and waits for all of them together 5 seconds at most. */
static enum status try_tables(struct connection *connection, struct text tables, struct arena *arena) {
    enum status status =
        sql_script(connection, "lock of all tables",
                   arena_print(arena, "SET max_statement_time = 5; LOCK TABLES %.*s", TEXT_ARGS(tables)));
    enum status unlocked = sql_script(connection, "end of the lock", text_of(END_OF_LOCK));
    return status == STATUS_OK ? unlocked : status;
}

/*
 * A transaction that has read a table keeps it from being changed until it ends, and whoever needs the table waits
 * behind the change. Such a transaction is found before the migration begins, because one that began must not fail.
 */
static enum status check_tables_are_free(struct connection *connection, struct arena *arena) {
    struct sql *sql = sql_begin(connection, SQL_migration_tables);
    struct text tables = {"", 0};
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        tables = sql_get_text(sql, arena);
    }
    sql_end(sql);
    status = status == STATUS_OK ? try_tables(connection, tables, arena) : status;
    if (status != STATUS_OK) {
        log_line(LOG_ERROR,
                 "schema: the migration did not begin, and nothing was changed. If the line above says "
                 "\"max_statement_time exceeded\", a transaction has used a table and is still open: the migration, "
                 "and payments behind it, would wait for its end. doc/database.md, \"Locks and slow statements\", "
                 "says how to find it");
    }
    return status;
}

/* A migration that began must not fail, so what the server would refuse midway is asked before. */
static enum status check_server(struct connection *connection) {
    bool refuses_functions = false, refuses_scripts = false;
    struct sql *sql = sql_begin(connection, SQL_migration_server);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        refuses_functions = sql_get_number(sql) != 0;
        refuses_scripts = sql_get_number(sql) != 0;
    }
    sql_end(sql);
    if (refuses_functions || refuses_scripts) {
        log_line(
            LOG_ERROR,
            "schema: the migration did not begin, and nothing was changed: the server would refuse its %s. %s, and "
            "write it into the server's file too",
            refuses_functions ? "functions, because it has a binary log" : "scripts, because they are too long",
            refuses_functions ? "SET GLOBAL log_bin_trust_function_creators = 1"
                              : "SET GLOBAL max_allowed_packet = 16777216");
        return STATUS_FAULT;
    }
    return status;
}

static enum status prepare_upgrade(struct connection *connection, unsigned version, struct arena *arena,
                                   size_t *first) {
    enum status status = find_upgrade(version, first);
    return status == STATUS_OK ? check_tables_are_free(connection, arena) : status;
}

/* From here to the end of the program: Ctrl-C, or a terminal that is closed, would leave half a schema. */
static void ignore_interruptions(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
}

/* Migrates from `version` (0: the database is empty) to this program's. */
static enum status apply_migration(struct connection *connection, unsigned version, struct arena *arena) {
    size_t first = 0;
    enum status status = version == 0 ? check_empty(connection) : prepare_upgrade(connection, version, arena, &first);
    if (status == STATUS_OK) {
        status = check_server(connection);
    }
    if (status == STATUS_OK) {
        status = sql_script(connection, "character set", text_of(CHARACTER_SET));
    }
    if (status == STATUS_OK) {
        ignore_interruptions();
        status = note_migration(connection, SQL_migration_begin);
    }
    if (status == STATUS_OK) {
        status = version == 0 ? found(connection) : upgrade(connection, first);
    }
    return status == STATUS_OK ? note_migration(connection, SQL_migration_end) : status;
}

/* The lock's session is idle while tables are rewritten. If the server ended it, another migration would begin, and
 * take this one for one that did not end. */
static const char BEGIN_LOCK[] = "SET wait_timeout = 31536000, idle_transaction_timeout = 0, "
                                 "idle_readonly_transaction_timeout = 0; START TRANSACTION";

static enum status take_lock(struct connection *lock) {
    enum status status = sql_script(lock, "lock", text_of(BEGIN_LOCK));
    if (status != STATUS_OK) {
        return status;
    }
    struct sql *sql = sql_begin(lock, SQL_migration_lock);
    status = sql_first(sql);
    sql_end(sql);
    if (status == STATUS_AGAIN) {
        log_line(LOG_ERROR, "schema: another process is migrating it; try again later");
    }
    return status;
}

/* Writes the settings that the database itself uses. */
static enum status write_settings(struct connection *connection, const struct schema_settings *settings) {
    struct sql *sql = sql_begin(connection, SQL_settings_write);
    sql_number(sql, (uint64_t)settings->cancel_window);
    return sql_run_and_end(sql);
}

enum status schema_migrate(struct connection *connection, struct connection *lock,
                           const struct schema_settings *settings, struct arena *arena, struct schema_report *report) {
    unsigned version = 0;
    *report = (struct schema_report){0, {"", 0}};
    enum status status = sql_script(connection, "versions.sql", embedded_versions);
    if (status == STATUS_OK) {
        status = take_lock(lock);
    }
    if (status == STATUS_OK) {
        status = schema_version(connection, &version);
    }
    if (status == STATUS_OK) {
        status = compare_rows(connection, arena);
    }
    if (status == STATUS_OK && version != schema_known_version()) {
        status = apply_migration(connection, version, arena);
        report->applied = status == STATUS_OK;
    }
    if (status == STATUS_OK) {
        status = write_settings(connection, settings);
    }
    return status == STATUS_OK ? grants_apply(connection, settings->account_host, arena, &report->revoked) : status;
}
