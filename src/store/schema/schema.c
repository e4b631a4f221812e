#include "store/schema/schema.h"

#include "store/db/rows.h"
#include "store/schema/embedded.h"
#include "store/schema/grants.h"
#include "store/schema/migration_checks.h"
#include "store/schema/migration_lock.h"
#include "store/schema/tables.h"

#include <signal.h>

const char sql_text_of_schema_version[] =
    "SELECT COALESCE(MAX(version), 0), COUNT(*) - COUNT(applied_at) FROM schema_version";

const char sql_text_of_migration_list[] =
    "SELECT version, name, checksum, applied_at IS NULL FROM schema_version ORDER BY version";

const char sql_text_of_migration_begin[] = "INSERT INTO schema_version (version, name, checksum) VALUES (?, ?, ?)";

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
                 "schema: a migration began and did not end: wait while it runs; if it was killed, or lost the "
                 "database, run `recaudoctl db migrate` again, which goes on");
        return STATUS_FAULT;
    }
    return status;
}

enum status schema_exists(struct connection *connection, bool *out) {
    return table_exists(connection, TEXT("networks"), out);
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

/* How far the migrations of before came. */
struct progress {
    unsigned version; /* that was reached; 0: none */
    bool begun;       /* that from there to this program's began and did not end */
};

/* Only this program knows what its own migration has done already when it did not end. */
static enum status note_row(struct progress *progress, unsigned version, struct text name, bool unfinished) {
    if (unfinished && version != schema_known_version()) {
        log_line(LOG_ERROR,
                 "schema: migration %.*s began and did not end, and is of another release: run `recaudoctl db "
                 "migrate` of that one, or restore the backup made before it",
                 TEXT_ARGS(name));
        return STATUS_FAULT;
    }
    progress->begun = unfinished;
    progress->version = unfinished ? progress->version : version;
    return STATUS_OK;
}

static enum status read_progress(struct connection *connection, struct arena *arena, struct progress *progress) {
    struct sql *sql = sql_begin(connection, SQL_migration_list);
    enum status status = sql_first(sql);
    *progress = (struct progress){.version = 0};
    for (; status == STATUS_OK; status = sql_next(sql)) {
        unsigned version = (unsigned)sql_get_number(sql);
        struct text name = sql_get_text(sql, arena);
        struct text checksum = sql_get_text(sql, arena);
        bool unfinished = sql_get_number(sql) != 0;
        if (!known_row(version, name, checksum)) {
            log_line(LOG_ERROR, "schema: migration %.*s in the database is not one that this program knows",
                     TEXT_ARGS(name));
            status = STATUS_FAULT;
        } else {
            status = note_row(progress, version, name, unfinished);
        }
        if (status != STATUS_OK) {
            break;
        }
    }
    return sql_end_list(sql, status);
}

/* How far they came, where none runs any more: through another server of a cluster one may end while it is asked. */
static enum status settle_progress(struct connection *connection, const struct config *config, struct arena *arena,
                                   struct progress *progress) {
    enum status status = read_progress(connection, arena, progress);
    if (status == STATUS_OK && progress->begun) {
        status = migration_lock_ask_cluster(connection, config, arena);
        status = status == STATUS_OK ? read_progress(connection, arena, progress) : status;
    }
    return status;
}

static enum status note_begin(struct connection *connection) {
    struct sql *sql = sql_begin(connection, SQL_migration_begin);
    sql_number(sql, embedded_foundation.version);
    sql_text(sql, text_of(embedded_foundation.name));
    sql_text(sql, text_of(embedded_foundation.checksum));
    enum status status = sql_run_and_end(sql);
    return status == STATUS_CLASH ? STATUS_AGAIN : status; /* through another server of a cluster one began meanwhile */
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

/* A reader of a table, or of a row, may come at any moment of a migration, which then waits, however short the server
 * lets others wait, and a table is written anew where the server would refuse that: one that began must not fail. */
static const char PATIENCE[] = "SET max_statement_time = 0, alter_algorithm = 'DEFAULT', "
                               "@recaudo_wait = @@lock_wait_timeout, @recaudo_row_wait = @@innodb_lock_wait_timeout, "
                               "lock_wait_timeout = 31536000, innodb_lock_wait_timeout = 100000000;\n",
                  END_OF_PATIENCE[] = "SET lock_wait_timeout = @recaudo_wait, "
                                      "innodb_lock_wait_timeout = @recaudo_row_wait;\n";

static void append(struct text *script, struct text part, struct arena *arena) {
    *script = arena_print(arena, "%.*s%.*s", TEXT_ARGS(*script), TEXT_ARGS(part));
}

/* Appends what comes before the programs; of a migration that began, what it has not applied. */
static enum status append_before(struct connection *connection, const struct progress *progress,
                                 const struct upgrade *upgrade, struct arena *arena, struct text *script) {
    bool applied = false;
    enum status status = progress->begun ? table_exists(connection, upgrade->last, &applied)
                                         : migration_check_name(connection, upgrade->last);
    if (!applied) {
        append(script, upgrade->before, arena);
    }
    return status;
}

/* The statements from a version to this program's. */
static enum status write_upgrade(struct connection *connection, const struct progress *progress, struct arena *arena,
                                 struct text *script) {
    size_t first = 0;
    enum status status = find_upgrade(progress->version, &first);
    for (size_t i = first; i < embedded_upgrade_count && status == STATUS_OK; i++) {
        status = append_before(connection, progress, &embedded_upgrades[i], arena, script);
    }
    append(script, embedded_programs, arena);
    for (size_t i = first; i < embedded_upgrade_count && status == STATUS_OK; i++) {
        append(script, embedded_upgrades[i].after, arena);
    }
    /* A second time, because a part may have dropped a trigger that its changes would fire. */
    append(script, embedded_programs, arena);
    return status;
}

/*
 * The whole migration, to the note of its end, is one script: the server has all of it from the beginning, and goes on
 * with it where this program is killed, unless it waits for a table, when it notices that nobody is there any more.
 */
static enum status write_script(struct connection *connection, const struct progress *progress, struct arena *arena,
                                struct text *script) {
    enum status status = STATUS_OK;
    *script = text_of(PATIENCE);
    if (progress->version == 0) {
        append(script, embedded_tables, arena);
        append(script, embedded_programs, arena);
    } else {
        status = write_upgrade(connection, progress, arena, script);
    }
    append(script,
           arena_print(arena, "UPDATE schema_version SET applied_at = UTC_TIMESTAMP(6) WHERE version = %u;\n%s",
                       embedded_foundation.version, END_OF_PATIENCE),
           arena);
    return status;
}

/* A function's parameters and variables keep the character set that the database had when the function was created. */
static const char CHARACTER_SET[] = "EXECUTE IMMEDIATE IF(@@collation_database = 'utf8mb4_nopad_bin', 'DO 0', "
                                    "'ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin')";

/* From here to the end of the program: Ctrl-C, or a terminal that is closed, would leave half a schema. */
static void ignore_interruptions(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
}

static enum status run_script(struct connection *connection, const struct progress *progress, struct text script,
                              struct schema_report *report) {
    ignore_interruptions();
    enum status status = progress->begun ? STATUS_OK : note_begin(connection);
    if (status == STATUS_OK) {
        report->begun = true;
        status = sql_script(connection, "migration", script);
        report->applied = status == STATUS_OK;
    }
    return status;
}

static enum status apply_migration(struct connection *connection, const struct config *config,
                                   const struct progress *progress, struct arena *arena, struct schema_report *report) {
    struct text script;
    report->begun = progress->begun;
    enum status status = write_script(connection, progress, arena, &script);
    if (status == STATUS_OK && !progress->begun) {
        status = migration_check_database(connection, progress->version, script, arena);
    }
    if (status == STATUS_OK) {
        status = migration_check_server(connection);
    }
    if (status == STATUS_OK) {
        status = migration_check_rights(connection, text_of(config->database.account_host), arena);
    }
    if (status == STATUS_OK) {
        status = sql_script(connection, "character set", text_of(CHARACTER_SET));
    }
    return status == STATUS_OK ? run_script(connection, progress, script, report) : status;
}

/* Writes the settings that the database itself uses. */
static enum status write_settings(struct connection *connection, const struct config *config) {
    struct sql *sql = sql_begin(connection, SQL_settings_write);
    sql_number(sql, (uint64_t)config->worker.cancel_window);
    return sql_run_and_end(sql);
}

enum status schema_migrate(struct connection *connection, const struct config *config, struct arena *arena,
                           struct schema_report *report) {
    struct progress progress = {.version = 0};
    report->revoked = TEXT("");
    enum status status = migration_lock_take(connection);
    if (status == STATUS_OK) {
        status = sql_script(connection, "versions.sql", embedded_versions);
    }
    if (status == STATUS_OK) {
        status = settle_progress(connection, config, arena, &progress);
    }
    if (status == STATUS_OK && progress.version != schema_known_version()) {
        status = apply_migration(connection, config, &progress, arena, report);
    }
    if (status == STATUS_OK) {
        status = write_settings(connection, config);
    }
    return status == STATUS_OK
               ? grants_apply(connection, text_of(config->database.account_host), arena, &report->revoked)
               : status;
}
